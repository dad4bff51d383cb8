import type { ExecutedTransaction } from '@adaptor-marketplace/localnet/ledger/types';
import { onlyCreated, run, sharedInput } from './actor.ts';
import type { Case, Round, RoundStep, SetUp } from './case.ts';
import {
  changedByFailure,
  gasBeyond,
  readGasBalance,
  type Snapshot,
  takeSnapshot,
  violations,
} from './invariant.ts';
import { playRound, type Scene } from './round.ts';
import { type Guarded, setUpWallet } from './set-up.ts';
import { StateReader } from './state.ts';
import type { Statistics } from './statistics.ts';
import { max } from './steps.ts';
import { openWorld, type World, type WorldOptions } from './world.ts';

/** Each n-th round is executed even if its simulation failed. */
const executesAll = 8;

/** A world that plays one case after another, each on a new wallet. */
export class Guard {
  readonly world: World;
  readonly #boardId: string;
  readonly #reader: StateReader;
  /** Two wallets of the stranger's, and another one of the owner's. */
  readonly #others: { victim: Guarded; another: Guarded; sibling: Guarded };
  readonly #statistics: Statistics;
  #played = 0;

  private constructor(
    world: World,
    boardId: string,
    others: { victim: Guarded; another: Guarded; sibling: Guarded },
    statistics: Statistics,
  ) {
    this.world = world;
    this.#boardId = boardId;
    this.#reader = new StateReader(world);
    this.#others = others;
    this.#statistics = statistics;
  }

  static async open(statistics: Statistics, options: WorldOptions = {}): Promise<Guard> {
    const world = await openWorld(options);
    const { network, cast, packages, shared } = world;
    const opened = await run(network.ledger, cast.attacker, (tx) => {
      const target = `${packages.money_guard}::board::open`;
      tx.moveCall({ target, arguments: [tx.object(sharedInput(network.ledger, shared.mint))] });
    });
    const boardId = onlyCreated(opened, '::board::Board');
    const others = {
      victim: await setUpWallet(world, cast.stranger, bystander, boardId),
      another: await setUpWallet(world, cast.stranger, bystander, boardId),
      sibling: await setUpWallet(world, cast.owner, bystander, boardId),
    };
    return new Guard(world, boardId, others, statistics);
  }

  close(): void {
    this.world.close();
  }

  /** @throws Error with all forbidden effects of a transaction */
  async play({ setUp, rounds }: Case): Promise<void> {
    const { world } = this;
    const { network, cast } = world;
    const guarded = await setUpWallet(world, cast.owner, setUp, this.#boardId);
    const { victim, another, sibling } = this.#others;
    // In a transaction of the owner's, an op can do anything with another wallet of the owner's that it receives. The
    // signer must not pass one to it.
    const others = setUp.sender === 'owner' ? [victim, another] : [victim, sibling];
    const scene: Scene = { world, boardId: this.#boardId, guarded, others, sender: setUp.sender };
    this.#statistics.case();
    let before = takeSnapshot(this.#reader, scene);
    for (const each of rounds) {
      const round = playableRound(world, setUp, each);
      if (round) before = await this.#play(scene, round, before);
    }
    network.passTime(1_000);
    network.ledger.createCheckpoint();
    await this.#honest(scene, setUp);
  }

  /** Plays a round and returns the snapshot after it. */
  async #play(scene: Scene, round: Round, before: Snapshot): Promise<Snapshot> {
    const gas = readGasBalance(scene);
    this.#played += 1;
    const outcome = await playRound(scene, round, this.#played % executesAll === 0);
    this.#statistics.round(round, outcome);
    if (outcome.kind !== 'executed') return before;
    const { executed, budget } = outcome;
    const failed = executed.failureDescription !== undefined;
    const after = failed ? before : takeSnapshot(this.#reader, scene);
    const found = gasBeyond(gas, readGasBalance(scene), budget);
    if (failed) found.push(...changedByFailure(scene, executed));
    else found.push(...violations(this.#reader, scene, round, { executed, before, after }));
    if (found.length > 0) throw new GuardBroken(found, executed);
    return after;
  }

  /** Runs an empty action, which fails if a lock is left on the wallet. */
  async #honest({ world, guarded }: Scene, { paused }: SetUp): Promise<void> {
    if (paused) return;
    const { network, packages, types, cast } = world;
    await run(network.ledger, cast.owner, (tx) => {
      const wallet = tx.object(sharedInput(network.ledger, guarded.walletId));
      const typeArguments = [types.services.S];
      const ticket = tx.moveCall({
        target: `${packages.wallet}::action::begin`,
        typeArguments,
        arguments: [wallet],
      });
      tx.moveCall({ target: `${packages.wallet}::action::end`, arguments: [wallet, ticket] });
    });
  }
}

export class GuardBroken extends Error {
  constructor(found: readonly string[], { failureDescription }: ExecutedTransaction) {
    super(`${found.join('\n')}\n(${failureDescription ?? 'the transaction succeeded'})`);
    this.name = 'GuardBroken';
  }
}

/** A round without the caps and lists that this set-up does not have; undefined if no step is left. */
function playableRound({ mixed }: World, { sender, policy }: SetUp, round: Round): Round | undefined {
  const steps = round.steps.flatMap((step): RoundStep[] => {
    if (step.kind === 'action') return [step];
    if (sender === 'owner' || !policy) return [];
    return [{ ...step, cap: policy.trustsBearer && policy.listed && !mixed ? step.cap : 'scoped' }];
  });
  if (steps.length === 0) return undefined;
  const needsList = round.handed === 'everything' || round.handed === 'list';
  return { ...round, steps, handed: mixed && needsList ? 'threaded' : round.handed };
}

const granted = { A: { allowance: max, pull: 0n }, B: { allowance: 1000n, pull: 0n } };

const nothing = { A: { allowance: 0n, pull: 0n }, B: { allowance: 0n, pull: 0n } };

/**
 * Set-up of wallets that no action is for. They grant the same services, but let none of them pull or approve, and have
 * no bound account. The attacker alone can thus attempt everything that is possible with them.
 */
const bystander: SetUp = {
  sender: 'owner',
  paused: false,
  offeredTo: 'nobody',
  balances: { A: 1000n, B: 1000n },
  grants: { S: granted, T: granted, Bank: nothing },
  budgets: { services: { S: 0n, T: 0n, Bank: 0n }, coins: { A: 0n, B: 0n } },
  expiry: 'none',
  policy: { trustsService: false, trustsBearer: true, listed: true, spendInto: true },
  job: { state: 'funded', assessor: 'bank' },
};
