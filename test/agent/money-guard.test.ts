import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';
import { policy as policies, scopedCap } from '@adaptor-marketplace/adaptor/transactions';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { run, sharedInput } from '../contracts/money-guard/actor.ts';
import {
  type AgentGuard,
  lockedDeposit,
  startAgentGuard,
  writeProgram,
} from '../contracts/money-guard/agent-world.ts';
import type { Round, SetUp } from '../contracts/money-guard/case.ts';
import { takeSnapshot, violations } from '../contracts/money-guard/invariant.ts';
import { program } from '../contracts/money-guard/programs.ts';
import type { Scene } from '../contracts/money-guard/round.ts';
import { setUpWallet } from '../contracts/money-guard/set-up.ts';
import { StateReader } from '../contracts/money-guard/state.ts';
import { max, step } from '../contracts/money-guard/steps.ts';

let guard: AgentGuard;
beforeAll(async () => {
  guard = await startAgentGuard();
});
afterAll(() => guard?.close());

const amount = 50n;
const grant = { A: { allowance: 1000n, pull: 100n }, B: { allowance: max, pull: max } };
const setUp: SetUp = {
  sender: 'agent',
  paused: false,
  offeredTo: 'nobody',
  balances: { A: 1000n, B: 1000n },
  grants: { S: grant, T: grant, Bank: grant },
  budgets: { services: { S: 1000n, T: 1000n, Bank: 1000n }, coins: { A: 1000n, B: 1000n } },
  expiry: 'none',
  policy: { trustsService: true, trustsBearer: true, listed: false, spendInto: true },
  job: { state: 'funded', assessor: 'bank' },
};

/** The bounds of a run's wallet, as a round of the property test that runs without an agent. */
const bounds: Round = {
  steps: [{ kind: 'action', service: 'S', takes: { A: amount }, brings: {}, hostile: [], calls: [] }],
  handed: 'plain',
  whose: 'own',
  turn: 'written',
  gas: 'simulated',
};

const argument = {
  object: (objectId: string) => ({ role: 'object' as const, objectId, mutable: true }),
  rest: [{ role: 'amount' as const }, { role: 'clock' as const }],
};
const wallet = { role: 'wallet' as const };
const op = (
  entry: string,
  args: NonNullable<Manifest['ops'][number]['call']>['args'],
  typeArgs = ['coinIn'],
) => ({ kind: 'lend', module: 'lending', entry, call: { typeArgs, args } }) as Manifest['ops'][number];

/** The honest draft of a deposit by the op that is listed. */
function draftDeposit(scene: Scene): void {
  const { world } = scene;
  const { bank } = world.shared;
  guard.draft((tx) => {
    lockedDeposit(tx, scene, {
      amount,
      append: (wallet) =>
        tx.moveCall({
          target: `${world.packages.money_guard}::lending::deposit`,
          typeArguments: [world.types.coins.A],
          arguments: [
            ...[tx.object(guard.boardId), wallet, tx.object(bank), tx.pure.u64(amount), tx.object.clock()],
          ],
        }),
    });
    return [{ action: 'lendingADeposit', targets: 4 }];
  });
}

const listDeposit = () =>
  guard.list([
    op('deposit', [
      argument.object(guard.boardId),
      wallet,
      argument.object(guard.world.shared.bank),
      ...argument.rest,
    ]),
  ]);

const deposit = ({ world, guarded }: Scene) => ({
  action: 'lendingADeposit',
  walletId: guarded.walletId,
  coinType: world.types.coins.A,
  amount: String(amount),
});

const flip = () => {
  const { network, packages, cast } = guard.world;
  return run(network.ledger, cast.attacker, (tx) => {
    const board = tx.object(sharedInput(network.ledger, guard.boardId));
    tx.moveCall({ target: `${packages.money_guard}::board::flip`, arguments: [board] });
  });
};

beforeEach(() => guard.beforeSigning(async () => {}));

/** The program of a deposit before the adaptor turns hostile. */
const harmless = [step('PAY', { amount: 10n }), step('READ_WALLET'), step('READ_DELEGATES')];

describe('an adaptor that turns hostile between the simulation and the signature', () => {
  test('does what was asked while it is harmless', async () => {
    await listDeposit();
    const { scene } = await guard.wallet(setUp);
    draftDeposit(scene);
    await writeProgram(guard.world, guard.boardId, harmless, harmless);
    expect(await guard.run(deposit(scene))).toMatchObject({ status: 'done' });
    const { wallet } = takeSnapshot(new StateReader(guard.world), scene);
    expect(wallet.get('balance A')).toBe(990n);
  });

  test('takes no more than was asked, whatever it then does, and the run fails where it tries', async () => {
    await listDeposit();
    const outcomes: string[] = [];
    const seen = fc.asyncProperty(
      program({ handed: false, owner: false, several: false }),
      async (hostile) => {
        const { scene } = await guard.wallet(setUp);
        draftDeposit(scene);
        await writeProgram(guard.world, guard.boardId, harmless, hostile);
        const reader = new StateReader(guard.world);
        const before = takeSnapshot(reader, scene);
        guard.beforeSigning(async () => void (await flip()));
        const { status, digest } = await guard.run(deposit(scene));
        outcomes.push(status);
        expect(digest).toBeDefined();
        const executed = guard.world.network.ledger.getTransaction(digest!)!;
        const after = takeSnapshot(reader, scene);
        expect(violations(reader, scene, bounds, { executed, before, after })).toEqual([]);
        if (status !== 'done') expect(after).toEqual(before);
      },
    );
    const greedy = [step('PAY', { amount: amount + 1n })];
    await fc.assert(seen, { numRuns: 15, examples: [[harmless], [greedy]] });
    expect(outcomes.slice(0, 2)).toEqual(['done', 'error']);
  });
});

describe('an adaptor that is upgraded between the simulation and the signature', () => {
  test('is called as it was', async () => {
    await listDeposit();
    const { scene } = await guard.wallet(setUp);
    draftDeposit(scene);
    await writeProgram(guard.world, guard.boardId, harmless, [step('PAY', { amount: 40n })]);
    const call = 'op::run(board, wallet, bank, 0, clock, ctx)';
    guard.beforeSigning(() => guard.upgradeAdaptor(call, `{ board.flip(); ${call} }`));
    expect(await guard.run(deposit(scene))).toMatchObject({ status: 'done' });
    const { wallet } = takeSnapshot(new StateReader(guard.world), scene);
    expect(wallet.get('balance A')).toBe(990n);
  });
});

describe('an adaptor whose manifest names what is not its own', () => {
  /** Returns the refusal of a run, and expects that nothing was signed. */
  const refused = async (request: Record<string, unknown>) => {
    let signed = false;
    guard.beforeSigning(async () => {
      signed = true;
      await flip();
    });
    const { detail } = await guard.run(request);
    expect(signed).toBe(false);
    return detail;
  };

  test("is not handed another owner's wallet", async () => {
    const { scene } = await guard.wallet(setUp);
    const { world } = scene;
    const victim = await setUpWallet(world, world.cast.stranger, setUp, guard.boardId);
    await guard.list([
      op('supply', [
        ...[argument.object(guard.boardId), wallet, argument.object(victim.walletId)],
        ...[argument.object(world.shared.bank), ...argument.rest],
      ]),
    ]);
    await writeProgram(world, guard.boardId, harmless, [step('PAY', { amount: 10n })]);
    guard.draft((tx) => {
      lockedDeposit(tx, scene, {
        amount,
        append: (wallet) =>
          tx.moveCall({
            target: `${world.packages.money_guard}::lending::supply`,
            typeArguments: [world.types.coins.A],
            arguments: [
              ...[tx.object(guard.boardId), wallet, tx.object(victim.walletId), tx.object(world.shared.bank)],
              ...[tx.pure.u64(amount), tx.object.clock()],
            ],
          }),
      });
      return [{ action: 'lendingADeposit', targets: 4 }];
    });
    expect(await refused(deposit(scene))).toContain(`it uses ${victim.walletId}, a `);
  });

  test.each([['open_account'], ['open_position']])(
    "is not handed the agent's cap, which a spend of the same request goes by: %s",
    async (entry) => {
      const { scene, capId } = await guard.wallet(setUp);
      const { world, guarded } = scene;
      const thief = world.cast.attacker.address;
      await guard.list([
        op(entry, [argument.object(capId!), wallet, { role: 'pure', type: 'address', value: thief }], []),
        op('deposit', [
          ...[argument.object(guard.boardId), wallet, argument.object(world.shared.bank), ...argument.rest],
        ]),
      ]);
      await writeProgram(world, guard.boardId, harmless, harmless);
      const reader = new StateReader(world);
      const before = takeSnapshot(reader, scene);
      const coinType = world.types.coins.A;
      const recipient = world.cast.friend.address;
      guard.draft((tx) => {
        const on = { packageId: world.packages.wallet, wallet: guarded.walletId };
        const request = policies.beginSpend(tx, on, { coinType, amount: 10n, recipient });
        scopedCap.spend(tx, world.packages.wallet, { capId: capId!, request });
        policies.confirmSpend(tx, on, { coinType, request });
        lockedDeposit(tx, scene, {
          amount,
          append: (wallet) => {
            tx.moveCall({
              target: `${world.packages.money_guard}::lending::${entry}`,
              arguments: [tx.object(capId!), wallet, tx.pure.address(thief)],
            });
            tx.moveCall({
              target: `${world.packages.money_guard}::lending::deposit`,
              typeArguments: [coinType],
              arguments: [
                ...[tx.object(guard.boardId), wallet, tx.object(world.shared.bank)],
                ...[tx.pure.u64(amount), tx.object.clock()],
              ],
            });
          },
        });
        return [
          { action: 'spend', targets: 3 },
          { action: 'lendingADeposit', targets: 5 },
        ];
      });
      const { owner: _, ...asked } = { owner: '', ...deposit(scene) };
      const { walletId, ...depositStep } = asked;
      const spendStep = { action: 'spend', coinType, amount: '10', recipient };
      const answer = await guard.run({ action: 'compose', walletId, steps: [spendStep, depositStep] });
      expect(takeSnapshot(reader, scene).caps).toEqual(before.caps);
      expect(answer.detail).toContain('drafted transaction does not match the request');
    },
  );
});
