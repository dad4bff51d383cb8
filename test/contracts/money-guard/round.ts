import { action, policy as policies } from '@adaptor-marketplace/adaptor/transactions';
import type { Command } from '@adaptor-marketplace/localnet/execution/types';
import type {
  ExecutedTransaction,
  SimulatedTransaction,
  UnresolvedInput,
} from '@adaptor-marketplace/localnet/ledger/types';
import {
  Inputs,
  type Transaction,
  TransactionDataBuilder,
  type TransactionResult,
} from '@mysten/sui/transactions';
import { fromBase58, fromBase64 } from '@mysten/sui/utils';
import {
  buildBytes,
  buildTransaction,
  clock,
  executeBytes,
  ownedRef,
  run,
  type Signing,
  sharedInput,
} from './actor.ts';
import { type Amounts, harmlessProgram, type Round, type RoundStep } from './case.ts';
import { createRelay } from './relay.ts';
import type { Guarded } from './set-up.ts';
import { encodeProgram } from './steps.ts';
import { coins, type World } from './world.ts';

/** The wallet of a case, and the objects that all cases share. */
export interface Scene {
  world: World;
  boardId: string;
  guarded: Guarded;
  /** Wallets that no action is for. With `everything`, an op receives the first two. */
  others: Guarded[];
  sender: 'owner' | 'agent';
}

export type Outcome =
  /** The simulation failed, so the transaction was not signed. */
  | { kind: 'unsigned' }
  /** The simulation failed, and the programs were hostile from the start. */
  | { kind: 'tried'; failure: string }
  | { kind: 'executed'; executed: ExecutedTransaction; budget: bigint };

/** Gas limit of a run, in MIST. It is higher here than the agent's. */
const gasMax = 400_000_000n;

/**
 * Executes a round. If the attacker turns the programs hostile only after the simulation, the same bytes are executed.
 * If they are hostile at once, a transaction that fails in the simulation is executed only if `all` is set.
 */
export async function playRound(scene: Scene, round: Round, all: boolean): Promise<Outcome> {
  const { world } = scene;
  const { network, cast } = world;
  const { ledger } = network;
  const signing: Signing =
    scene.sender === 'owner'
      ? { sender: cast.owner, budget: gasMax }
      : { sender: cast.agent, payer: cast.host, budget: gasMax };
  if (round.turn === 'at once') {
    const build = (tx: Transaction) => {
      writePrograms(tx, scene, round);
      appendSteps(tx, scene, round);
    };
    const tried = all ? undefined : simulate(world, buildTransaction(ledger, signing, build));
    const failure = tried?.transaction.failureDescription;
    if (failure !== undefined) return { kind: 'tried', failure };
    const executed = await executeBytes(ledger, signing, await buildBytes(ledger, signing, build));
    return { kind: 'executed', executed, budget: signing.budget };
  }
  await run(ledger, cast.attacker, (tx) => writePrograms(tx, scene, round));
  const build = (tx: Transaction) => appendSteps(tx, scene, round);
  const simulated = simulate(world, buildTransaction(ledger, signing, build)).transaction;
  if (simulated.failureDescription !== undefined) return { kind: 'unsigned' };
  if (round.gas === 'simulated') signing.budget = computeBudget(simulated.effects.gasUsed);
  let bytes = await buildBytes(ledger, signing, build);
  // The digest decides whether the programs turn hostile. The budget is raised until it does.
  while (round.turn === 'digest' && !isOdd(bytes)) {
    signing.budget += 1n;
    bytes = await buildBytes(ledger, signing, build);
  }
  if (round.turn === 'written') await run(ledger, cast.attacker, (tx) => callBoard(tx, scene, 'flip'));
  if (round.turn === 'time') {
    network.passTime(10);
    ledger.createCheckpoint();
  }
  const executed = await executeBytes(ledger, signing, bytes);
  return { kind: 'executed', executed, budget: signing.budget };
}

const isOdd = (bytes: Uint8Array) =>
  fromBase58(TransactionDataBuilder.getDigestFromBytes(bytes))[0]! % 2 === 1;

const listActions = ({ steps }: Round) => steps.filter((step) => step.kind === 'action');

/** Writes all programs on the board, and the event that turns them hostile. */
function writePrograms(tx: Transaction, scene: Scene, round: Round): void {
  callBoard(tx, scene, 'wipe');
  for (const { service, takes, brings, hostile } of listActions(round)) {
    const programs = [harmlessProgram({ service, takes, brings }), hostile].map(encodeProgram);
    callBoard(tx, scene, 'add', (program) => programs.map((bytes) => program.pure.vector('u8', bytes)));
  }
  if (round.turn === 'at once') callBoard(tx, scene, 'flip');
  if (round.turn === 'digest') callBoard(tx, scene, 'flip_by_digest');
  if (round.turn !== 'time') return;
  const ms = scene.world.network.passTime(0) + 5;
  callBoard(tx, scene, 'flip_at', ({ pure }) => [pure.u64(ms)]);
}

function callBoard(
  tx: Transaction,
  { world, boardId }: Scene,
  name: string,
  args: (tx: Transaction) => ReturnType<Transaction['pure']>[] = () => [],
): void {
  const target = `${world.packages.money_guard}::board::${name}`;
  const board = tx.object(sharedInput(world.network.ledger, boardId));
  tx.moveCall({ target, arguments: [board, ...args(tx)] });
}

/** Appends each action between `begin` and `end` with its bounds, and the spends between actions. */
function appendSteps(tx: Transaction, scene: Scene, round: Round): void {
  const { world, guarded } = scene;
  const { network, packages, types } = world;
  const wallet = { packageId: packages.wallet, wallet: sharedInput(network.ledger, guarded.walletId) };
  const target = (name: string) => `${packages.money_guard}::op::${name}`;
  const hand = round.handed === 'plain' ? undefined : tx.moveCall({ target: target('open') });
  const relay = createRelay(tx, scene);
  let position = 0;
  for (const each of round.steps) {
    if (each.kind === 'spend') {
      spend(tx, scene, each);
      continue;
    }
    const ticket = action.begin(tx, wallet, types.services[each.service]);
    for (const [coin, max] of entries(each.takes)) {
      action.mayTake(tx, wallet, { ticket, coinType: types.coins[coin], max });
    }
    for (const [coin, min] of entries(each.brings)) {
      action.mustBring(tx, wallet, { ticket, coinType: types.coins[coin], min });
    }
    const half = each.calls.length / 2;
    relay.append(each.calls.slice(0, half), each.service);
    callOp(tx, scene, round, position, hand);
    relay.append(each.calls.slice(half), each.service);
    action.end(tx, wallet, ticket);
    position += 1;
  }
  relay.close();
  if (hand) tx.moveCall({ target: target('close'), arguments: [hand] });
}

export const entries = (amounts: Amounts) =>
  coins.flatMap((coin): [typeof coin, bigint][] =>
    amounts[coin] === undefined ? [] : [[coin, amounts[coin]]],
  );

function callOp(
  tx: Transaction,
  scene: Scene,
  { handed, whose }: Round,
  position: number,
  hand: TransactionResult | undefined,
): void {
  const { world, boardId, guarded, others } = scene;
  const { network, packages, shared } = world;
  const { ledger } = network;
  const input = (id: string) => tx.object(sharedInput(ledger, id));
  const target = (name: string) => `${packages.money_guard}::op::${name}`;
  const [board, wallet, bank] = [input(boardId), input(guarded.walletId), input(shared.bank)];
  const end = [tx.pure.u64(position), tx.object(clock(ledger))];
  if (!hand) {
    tx.moveCall({ target: target('run'), arguments: [board, wallet, bank, ...end] });
    return;
  }
  const [victim, sibling] = others as [Guarded, Guarded];
  const owner = whose === 'own' ? guarded : victim;
  const list = owner.listId ?? victim.listId!;
  // An object that a call takes by value exists only for the first call.
  const kind = position > 0 && handed !== 'everything' ? 'threaded' : handed;
  const start = [board, hand, wallet];
  switch (kind) {
    case 'everything':
      tx.moveCall({
        target: target('go_handed'),
        arguments: [
          ...start,
          input(victim.walletId),
          input(sibling.walletId),
          bank,
          input(list),
          input(owner.jobId),
          input(shared.adaptors),
          input(shared.rules),
          input(shared.agents),
          ...end,
        ],
      });
      return;
    case 'list':
      tx.moveCall({ target: target('go_retiring'), arguments: [...start, bank, input(list), ...end] });
      return;
    case 'job':
      tx.moveCall({ target: target('go_deleting'), arguments: [...start, bank, input(owner.jobId), ...end] });
      return;
    case 'waiting': {
      const ref = ledger.getObject(guarded.waitingId) && ownedRef(ledger, guarded.waitingId);
      if (ref) {
        const waiting = tx.object(Inputs.ReceivingRef(ref));
        tx.moveCall({ target: target('go_sweeping'), arguments: [...start, bank, waiting, ...end] });
        return;
      }
    }
  }
  tx.moveCall({ target: target('go'), arguments: [...start, bank, ...end] });
}

function spend(
  tx: Transaction,
  scene: Scene,
  { coin, amount, cap }: Extract<RoundStep, { kind: 'spend' }>,
): void {
  const { world, guarded } = scene;
  const { network, packages, types, cast } = world;
  const { ledger } = network;
  const wallet = { packageId: packages.wallet, wallet: sharedInput(ledger, guarded.walletId) };
  const coinType = types.coins[coin];
  const request = policies.beginSpend(tx, wallet, { coinType, amount, recipient: cast.friend.address });
  const stamp = (name: string, id: string) =>
    tx.moveCall({
      target: `${packages.wallet}::${name}`,
      arguments: [tx.object(Inputs.ObjectRef(ownedRef(ledger, id))), request],
    });
  if (cap === 'scoped') stamp('sub_delegate::spend', guarded.scopedCapId!);
  else {
    stamp('cap_auth::prove', guarded.bearerCapId!);
    tx.moveCall({
      target: `${packages.rules}::rule::enforce`,
      arguments: [tx.object(sharedInput(ledger, guarded.listId!)), request],
    });
  }
  policies.confirmSpend(tx, wallet, { coinType, request });
}

/** Simulates a transaction as the network's node does. */
function simulate({ network }: World, tx: Transaction): SimulatedTransaction {
  const { sender, inputs, commands, gasData } = tx.getData();
  return network.ledger.simulate({
    sender: sender!,
    inputs: inputs.map((input): UnresolvedInput => {
      if (input.Pure) return { kind: 'pure', bytes: fromBase64(input.Pure.bytes) };
      const { SharedObject: one, ImmOrOwnedObject: owned, Receiving: waiting } = input.Object!;
      if (one) return { kind: 'object', objectId: one.objectId, usage: 'shared', mutable: one.mutable };
      const usage = owned ? 'owned' : 'receiving';
      return { kind: 'object', objectId: (owned ?? waiting)!.objectId, usage };
    }),
    commands: commands as Command[],
    gas: {
      owner: gasData.owner!,
      payment: gasData.payment!.map((ref) => ({ ...ref, version: BigInt(ref.version) })),
      budget: BigInt(gasData.budget!),
    },
  });
}

function computeBudget({
  computationCost,
  storageCost,
}: {
  computationCost: string;
  storageCost: string;
}): bigint {
  return ((BigInt(computationCost) + BigInt(storageCost)) * 5n) / 4n + 2_000_000n;
}
