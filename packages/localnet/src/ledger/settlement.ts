import type { Command, ExecutionFailure, ExecutionOutcome } from '../execution/types.ts';
import { consensusStart, type MoveObject, type Owner } from '../state/objects.ts';
import { encodeEvents } from './chain-bcs.ts';
import { digestOf } from './digests.ts';
import { type Draft, type DraftInput, draftChanges, gasCoinOf } from './drafts.ts';
import { balanceChanges, encodeEffects, type ObjectChange, touchedObjects } from './effects.ts';
import { describeFailure } from './execution-status.ts';
import { fundsChanges, type SuiChange, withChanges } from './funds.ts';
import { atMost, computationCost, failedGasSummary, gasSummary, netCost, storagePrice } from './gas.ts';
import { paymentOf, type TransactionObjects } from './input-objects.ts';
import { balanceCoinOf, coinBalance, coinTypeOf, denyListId, suiType, withU64 } from './move-types.ts';
import { recordObject } from './object-bcs.ts';
import { limits } from './protocol.ts';
import type { BalanceChange, GasCostSummary, TouchedObject } from './types.ts';

/** What a transaction's execution comes to: object versions, gas and effects. Nothing is stored yet. */
export interface Settlement {
  changes: ObjectChange[];
  gas: GasCostSummary;
  effectsBcs: Uint8Array;
  effectsDigest: string;
  eventsBcs: Uint8Array | undefined;
  eventsDigest: string | undefined;
  events: ExecutionOutcome['events'];
  failureDescription: string | undefined;
  /** Of coins and of funds, and both together. */
  coinChanges: BalanceChange[];
  fundsChanges: BalanceChange[];
  balanceChanges: BalanceChange[];
  objects: TouchedObject[];
}

interface SettlementInput extends DraftInput {
  transactionDigest: string;
  commands: readonly Command[];
  outcome: ExecutionOutcome;
  gasPrice: bigint;
  gasBudget: bigint;
  /** Transactions that published the called packages. */
  packageDependencies: string[];
}

/**
 * Gives versions and digests to what was executed, charges gas, and builds the effects. A transaction that
 * failed, that cannot pay for what it stores, or that does more than effects may tell, changes nothing but the
 * versions of its mutable inputs and its gas coin.
 */
export function settle(input: SettlementInput): Settlement {
  const { outcome, gasPrice, gasBudget } = input;
  const computation = computationCost(outcome.computationUnits, gasPrice);
  let failure = outcome.failure;
  if (failure === undefined) {
    const summary = (stored: bigint, paidBefore: bigint) => gasSummary(computation, stored, paidBefore);
    const success = charge(input, outcome, summary);
    const settled = netCost(success.gas) <= gasBudget ? conclude(input, success, undefined) : undefined;
    const size = settled?.effectsBcs.length ?? 0;
    if (settled !== undefined && size <= limits.maxEffectsBytes) return settled;
    failure = {
      command: undefined,
      reason:
        settled === undefined
          ? { kind: 'InsufficientGas' }
          : { kind: 'EffectsTooLarge', size, maxSize: limits.maxEffectsBytes },
    };
  }
  const bounded = atMost(gasBudget, computation);
  const summary = (stored: bigint, paidBefore: bigint) => failedGasSummary(bounded, stored, paidBefore);
  return conclude(input, charge(input, { writes: [], packages: [] }, summary), failure);
}

type FundsOutcome = Pick<ExecutionOutcome, 'funds' | 'gasLeft' | 'gasMoved'>;

interface Charged {
  changes: ObjectChange[];
  gas: GasCostSummary;
  lamportVersion: bigint;
}

function charge(
  input: SettlementInput,
  outcome: Pick<ExecutionOutcome, 'writes' | 'packages' | 'gasMoved'>,
  summary: (stored: bigint, paidBefore: bigint) => GasCostSummary,
): Charged {
  const drafts = draftChanges(input, outcome);
  const lamportVersion = nextVersion(input.objects, drafts);
  const previousTransaction = input.transactionDigest;
  const gasCoinId = outcome.gasMoved?.kind === 'object' ? outcome.gasMoved.id : gasCoinOf(input.objects)?.id;
  const record = (next: MoveObject) =>
    recordObject({ ...versioned(next, lamportVersion), previousTransaction }, storagePrice);
  const changes: ObjectChange[] = drafts.map((draft) => ({
    ...draft,
    next: draft.next && record(draft.next),
  }));
  for (const published of outcome.packages) {
    const next = recordObject({ ...published, previousTransaction }, storagePrice);
    changes.push({ id: published.id, kind: 'created', previous: undefined, next });
  }
  const stored = changes.reduce((sum, { next }) => sum + (next?.storageRebate ?? 0n), 0n);
  const paidBefore = changes.reduce((sum, { previous }) => sum + (previous?.storageRebate ?? 0n), 0n);
  const gas = summary(stored, paidBefore);
  const coin = drafts.find(({ id }) => id === gasCoinId);
  const change = changes.find(({ id }) => id === gasCoinId);
  if (coin?.next && change) {
    const left = coinBalance(coin.next.contents) - netCost(gas);
    // Below zero only where the caller is about to refuse this charge for exceeding the budget.
    change.next = record({
      ...coin.next,
      contents: withU64(coin.next.contents, left < 0n ? 0n : left),
    });
  }
  return { changes, gas, lamportVersion };
}

function conclude(
  input: SettlementInput,
  { changes, gas, lamportVersion }: Charged,
  failure: ExecutionFailure | undefined,
): Settlement {
  const events = failure === undefined ? input.outcome.events : [];
  const eventsBcs = events.length > 0 ? encodeEvents(events) : undefined;
  const eventsDigest = eventsBcs && digestOf('TransactionEvents', eventsBcs);
  const changed = new Set(changes.map(({ id }) => id));
  const read = [...input.objects.records.values()].filter(({ id }) => !changed.has(id));
  const used = [...input.objects.records.values(), ...changes.flatMap(({ previous }) => previous ?? [])];
  const executed: FundsOutcome = failure === undefined ? input.outcome : { funds: [] };
  const funds = withChanges(executed.funds, gasChanges(input, executed, netCost(gas)));
  const effectsBcs = encodeEffects({
    transactionDigest: input.transactionDigest,
    failure,
    commands: input.commands,
    gas,
    gasObjectId: gasCoinOf(input.objects)?.id,
    lamportVersion,
    changes,
    funds,
    readShared: read.filter(({ owner }) => consensusStart(owner) !== undefined),
    readConfigs: readsDenyList(input) ? [denyListId] : [],
    dependencies: [...used.map((object) => object.previousTransaction), ...input.packageDependencies],
    eventsDigest,
  });
  return {
    changes,
    gas,
    effectsBcs,
    effectsDigest: digestOf('TransactionEffects', effectsBcs),
    eventsBcs,
    eventsDigest,
    events,
    failureDescription: failure && describeFailure(failure),
    ...balanceChanges(changes, fundsChanges(funds)),
    objects: touchedObjects(
      changes,
      read,
      input.outcome.loaded.filter(({ id }) => !changed.has(id)),
    ),
  };
}

/**
 * The chain looks up the deny lists of coins other than SUI that owners are left with, also of a transaction that
 * fails after its execution, and so reads `0x403`.
 */
function readsDenyList({ outcome, objects }: SettlementInput): boolean {
  if (objects.records.has(denyListId)) return false;
  const coinTypes = [
    ...outcome.writes.flatMap((write) =>
      'owner' in write && isOwnedByOne(write.owner) ? (coinTypeOf(write.type) ?? []) : [],
    ),
    ...outcome.funds.map(({ type }) => balanceCoinOf(type)),
  ];
  return coinTypes.some((coinType) => coinType !== suiType);
}

const isOwnedByOne = ({ kind }: Owner) => kind !== 'shared' && kind !== 'immutable';

/** What gas does to funds: of its payer, and of who was sent the gas coin. @param cost MIST. */
function gasChanges(
  { objects: { gas }, reserved }: SettlementInput,
  { gasLeft, gasMoved }: FundsOutcome,
  cost: bigint,
): SuiChange[] {
  const { owner } = gas;
  const changes: SuiChange[] = [];
  const change = (of: string, amount: bigint) => changes.push({ owner: of, amount });
  if (!gas.fundsFirst) change(owner, -gas.funds);
  else {
    // The funds take in the coins, and give what was spent of both.
    change(owner, paymentOf(gas) - gas.funds);
    if (gasMoved) change(owner, -paymentOf(gas));
    else if (gasLeft !== undefined) change(owner, gasLeft + reserved - paymentOf(gas));
  }
  if (gasMoved?.kind === 'funds') change(gasMoved.owner, reserved - cost);
  else if (gas.fundsFirst && gasMoved === undefined) change(owner, -cost);
  return changes;
}

/** The Lamport version: one above every object version that the transaction saw. */
function nextVersion(objects: TransactionObjects, drafts: Draft[]): bigint {
  let highest = 0n;
  const seen = [
    ...objects.records.values(),
    ...objects.gas.coins,
    ...drafts.flatMap(({ previous }) => previous ?? []),
  ];
  for (const { version } of seen) if (version > highest) highest = version;
  return highest + 1n;
}

function versioned(object: MoveObject, version: bigint): MoveObject {
  const { owner } = object;
  const fresh = consensusStart(owner) === 0n;
  return {
    kind: 'move',
    id: object.id,
    version,
    type: object.type,
    owner: !fresh
      ? owner
      : owner.kind === 'consensusAddress'
        ? { ...owner, startVersion: version }
        : { kind: 'shared', initialSharedVersion: version },
    contents: object.contents,
    hasPublicTransfer: object.hasPublicTransfer,
    previousTransaction: object.previousTransaction,
  };
}
