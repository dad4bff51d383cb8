import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import { type ExecutableOp, pureTypeName } from '@adaptor-marketplace/adaptor/manifest';
import { byCoin, type CoinAmount, type OpChain, resolveOps } from '@adaptor-marketplace/adaptor/transactions';
import { Transaction } from '@mysten/sui/transactions';
import type { Pool } from 'pg';
import { readConfirmed } from '../../../db/queries/agent/operator.ts';
import { type CatalogEntry, isRunnable } from '../../../db/queries/catalog/entry.ts';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import { chooseOp, openersOf, opsOfRole, takesStated, valuesFor } from '../../../lib/actions/choose-op.ts';
import {
  type ActionRequest,
  type ActionStep,
  type Requirements,
  requirementsOf,
  slotOf,
  stepName,
  stepsOf,
} from '../../../lib/actions/request.ts';
import type { Slot, SlotSetting } from '../../../lib/actions/slots.ts';
import type { TransactionDraft } from '../../../lib/actions/tools-api.ts';
import { RunFailure, refusal } from '../../../lib/agent/run-failure.ts';
import { type CalledPackages, fromNode, type Node } from '../chain/node.ts';
import type { CheckedTransaction } from '../chain/prepare.ts';
import {
  type Call,
  type CallArgument,
  callsOf,
  checkSpend,
  expectBounds,
  objectIdsOf,
  readLock,
  typeInFull,
  u64Of,
} from './calls.ts';
import { checkObjects, heldOnChain, oursOn } from './objects.ts';

/** What was found right. */
export interface Checked extends CheckedTransaction {
  /** What leaves the wallet at most, over all steps. */
  takes: CoinAmount[];
  /** What comes into it at least. */
  brings: CoinAmount[];
}

/** What a draft is held against. */
interface CheckWorld {
  db: Pool;
  node: Node;
  packages: CalledPackages;
  /** Only adaptors that the operator confirmed are called: nothing on chain holds them to bounds. */
  confirmedOnly: boolean;
}

/**
 * Holds a drafted transaction against the request. The tool service is untrusted: which functions the transaction may
 * call is looked up in the verified manifests, what it may pass follows from the request, and what each adaptor may
 * take and must bring is stated to the wallet, which holds the adaptor to it at execution.
 * @throws RunFailure `unexpected_transaction`, `adaptor_not_listed`, `adaptor_not_confirmed`, `node_unavailable`
 */
export async function checkDraft(
  world: CheckWorld,
  request: ActionRequest,
  draft: TransactionDraft,
): Promise<Checked> {
  const { node, packages } = world;
  const steps = stepsOf(request);
  const { calls, objectIds } = callsOf(draft.transactionKind);
  // Where a step ends is the tool service's word; that each part is what its step asks for is not.
  const counts = draft.steps.map(({ targets }) => targets.length);
  if (counts.length !== steps.length || counts.reduce((sum, count) => sum + count, 0) !== calls.length) {
    throw refusal('it has other steps');
  }
  const listed = await listedAdaptors(world, steps);
  const { walletId } = request;
  const stamps = { caps: new Set<string>(), lists: new Set<string>() };
  const takes: CoinAmount[] = [];
  const brings: CoinAmount[] = [];
  const handed = new Set<string>();
  let first = 0;
  for (const [place, step] of steps.entries()) {
    const part = calls.slice(first, first + counts[place]!);
    await inStep(steps, place, async () => {
      if (part.length === 0) throw refusal('a step is left out');
      if (step.action === 'spend') {
        const { cap, lists } = checkSpend(part, first, step, { walletId, packages });
        stamps.caps.add(cap);
        for (const list of lists) stamps.lists.add(list);
        takes.push({ coinType: step.coinType, amount: BigInt(step.amount) });
      } else {
        const bounds = await checkStep(world, { calls: part, first, listed: listed[place]!, walletId });
        takes.push(...bounds.takes);
        brings.push(...bounds.brings);
        for (const id of objectIdsOf(part)) handed.add(id);
      }
    });
    first += part.length;
  }
  // A cap that is in the transaction for a spend could be split off by an adaptor that gets it.
  for (const id of [...stamps.caps, ...stamps.lists]) {
    if (handed.has(id)) throw refusal(`it passes ${id}, which authorizes a spend, to an adaptor`);
  }
  const { wallet, allowlist } = packages;
  const types = {
    walletType: `${wallet.originalId}::wallet::Wallet`,
    listType: allowlist && `${allowlist.originalId}::rule::Allowlist`,
  };
  const known = await fromNode(() =>
    checkObjects(node.objects, objectIds, { walletId, ...types, ...stamps }, oursOn(node)),
  );
  return {
    transactionKind: heldOnChain(draft.transactionKind, { packages, types: known }),
    caps: [...stamps.caps],
    ...{ takes: byCoin(takes), brings: byCoin(brings) },
    stepOfCall:
      steps.length < 2
        ? []
        : steps.flatMap((step, place) => Array(counts[place]!).fill(stepName(place, step))),
  };
}

interface StepCalls {
  calls: readonly Call[];
  /** Place of the first of them in the transaction. */
  first: number;
  listed: Listed;
  walletId: string;
}

/** Answers what the step takes at most, and brings at least. */
async function checkStep(
  { node, packages }: CheckWorld,
  { calls, first, listed, walletId }: StepCalls,
): Promise<Pick<Checked, 'takes' | 'brings'>> {
  const lock = packages.hasActions
    ? readLock(calls, first, { walletId, walletPackageId: packages.wallet.newestId })
    : undefined;
  const inner = lock?.inner ?? calls;
  const ops = checkAdaptorCalls(inner, listed, walletId);
  const bounds = await fromNode(() => boundsOf(node, inner, ops, listed));
  if (lock) expectBounds(lock, { service: listed.entry.serviceType, ...bounds });
  return bounds;
}

/** Each step's adaptor; undefined for a spend. */
async function listedAdaptors(
  { db, node, confirmedOnly }: CheckWorld,
  steps: readonly ActionStep[],
): Promise<(Listed | undefined)[]> {
  const { network, slots = {} } = node.settings;
  const asked = steps.map((step) => {
    if (step.action === 'spend') return undefined;
    const required = requirementsOf(step);
    const slot = slotOf[step.action];
    const setting = slots[slot];
    const serviceType = required.adaptor ?? setting?.serviceType ?? '';
    return {
      slot,
      required,
      serviceType,
      named: setting && serviceType === setting.serviceType ? setting : {},
    };
  });
  const serviceTypes = asked.map((one) => one?.serviceType ?? '');
  const [entries, confirmed] = await Promise.all([
    readEntries(
      db,
      serviceTypes.map((serviceType) => ({ network, serviceType })),
    ),
    confirmedOnly ? readConfirmed(db, network, serviceTypes) : undefined,
  ]);
  const usable = asked.map((one, place) =>
    inStep(steps, place, async () => {
      if (!one) return undefined;
      const entry = entries[place];
      // Anyone may register anyone's package: only what its own publisher lists is called.
      if (!isRunnable(entry)) {
        const reason = `The catalog of ${network} has no verified adaptor ${one.serviceType}. Nothing was signed.`;
        throw new RunFailure('adaptor_not_listed', reason);
      }
      if (!confirmed) return { ...one, entry };
      const { publisher, packageId, manifestHash } = confirmed.get(one.serviceType) ?? {};
      const same = publisher === entry.publisher && packageId === entry.packageId;
      if (same && manifestHash === entry.manifestHash) return { ...one, entry };
      throw new RunFailure(
        'adaptor_not_confirmed',
        `The operator has not confirmed ${one.serviceType} at its listed version. Nothing was signed. ` +
          "Ask the operator, or grant to the wallet's own agent address (GET /api/agent/address).",
      );
    }),
  );
  return await Promise.all(usable);
}

/** Adds the name of the step to a failure of `check`, if the request has several steps. */
async function inStep<T>(steps: readonly ActionStep[], place: number, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (steps.length < 2 || !(error instanceof RunFailure)) throw error;
    throw new RunFailure(error.code, `${stepName(place, steps[place]!)}: ${error.message}`);
  }
}

type Argument = ExecutableOp['call']['args'][number];

/** The adaptor that a step goes to, out of the agent's own read model and settings. */
interface Listed {
  slot: Slot;
  required: Requirements;
  entry: CatalogEntry;
  /** What the slot's setting says of the adaptor. */
  named: Pick<SlotSetting, 'ops' | 'values'>;
}

const clockId = normalizeAddress('0x6');

/**
 * Holds the calls of one step against the request and the adaptor's verified manifest: the op that the action asks
 * for, after openings of accounts where it needs them, on this wallet, with the manifest's objects, and with the
 * request's amounts, minimum and values. Answers the ops that are called, in their order; the last one serves the action.
 * @throws RunFailure `unexpected_transaction`
 */
export function checkAdaptorCalls(calls: readonly Call[], listed: Listed, walletId: string): ExecutableOp[] {
  const { slot, required, entry, named } = listed;
  const serving = opsOfRole(entry.manifest, required.role, named.ops).filter(
    (op) => worksOn(op, required.objectId) && takesStated(op, required, named.values),
  );
  const openers = openersOf(entry.manifest, slot, named.ops);
  const called = calls.map((call, place) => {
    const candidates = (place === calls.length - 1 ? serving : openers).filter(
      ({ module, entry: name }) => call.target === `${entry.packageId}::${module}::${name}`,
    );
    if (candidates.length === 0)
      throw refusal(`${call.target} is not an op of ${entry.serviceType} for the action`);
    const flaws = candidates.map((op) => flawOf(call, op, listed, walletId));
    // Several ops of one function differ in their objects: one for each pool.
    const fitting = flaws.indexOf(undefined);
    if (fitting < 0) throw refusal(flaws[0] ?? 'its calls have other arguments');
    return candidates[fitting]!;
  });
  if (called.length === 0) throw refusal('a step calls nothing');
  if (new Set(called).size < called.length) throw refusal('it opens an account twice');
  return called;
}

/**
 * What the called ops may take and must bring, by the request and by what the node says of the fixed objects of the op
 * that serves. The types of the calls must agree with it, and what opens an account works on the same objects.
 * @param ops as `checkAdaptorCalls` answers them for the calls
 * @throws RunFailure `unexpected_transaction`
 * @throws ProblemError 502 or 504 if the node does not answer
 */
export async function boundsOf(
  chain: OpChain,
  calls: readonly Call[],
  ops: readonly ExecutableOp[],
  { required, entry }: Listed,
): Promise<{ takes: CoinAmount[]; brings: CoinAmount[] }> {
  const [resolved] = await resolveOps(chain, entry.packageId, ops.slice(-1));
  const chosen = resolved && chooseOp([resolved], required, entry.manifest.supportedCoins);
  if (!chosen) throw refusal('the coins that its op moves are unknown');
  // A coin that only the manifest names, and not the request, must not leave the wallet.
  const settled = required.coinIn ?? resolved.coinIn ?? required.impliedIn;
  if (!required.pair && chosen.spends.some(({ coinType }) => coinType !== settled)) {
    throw refusal('the coin that its op takes is unknown');
  }
  const objects = new Set(chosen.objects.map(({ objectId }) => objectId));
  for (const [place, { call: spec }] of ops.entries()) {
    const { target, typeArguments } = calls[place]!;
    if (!fixedObjects(spec).every((objectId) => objects.has(objectId))) {
      throw refusal(`${target} works on other objects than the matching op`);
    }
    for (const [at, side] of spec.typeArgs.entries()) {
      if (side !== 'coinIn' && side !== 'coinOut') continue;
      const type = typeArguments[at];
      if (type !== chosen[side]) throw refusal(`it is for ${type}, not ${chosen[side]}`);
    }
  }
  return { takes: chosen.spends, brings: chosen.receives };
}

/** What a call has that the op and the request do not ask for. */
function flawOf(
  call: Call,
  op: ExecutableOp,
  { required, named }: Listed,
  walletId: string,
): string | undefined {
  const { args, typeArgs } = op.call;
  if (call.typeArguments.length !== typeArgs.length) return `${call.target} has other type arguments`;
  if (call.arguments.length !== args.length) return `${call.target} has other arguments`;
  const values = valuesFor(op, required.values, named.values);
  const types = typeArgs.map((spec, place) => typeFlaw(spec, call.typeArguments[place]!, required));
  const others = args.map((spec, place) =>
    argumentFlaw(spec, call.arguments[place]!, required, values, walletId),
  );
  return [...types, ...others].find((flaw) => flaw !== undefined);
}

function worksOn({ call }: ExecutableOp, objectId: string | undefined): boolean {
  return objectId === undefined || fixedObjects(call).includes(objectId);
}

/** Ids of the objects that a manifest fixes for a call, in the long form. */
function fixedObjects({ args }: ExecutableOp['call']): string[] {
  return args.flatMap((spec) =>
    spec.role === 'object' ? (normalizeAddress(spec.objectId) ?? spec.objectId) : [],
  );
}

function typeFlaw(spec: string, type: string, required: Requirements): string | undefined {
  if (spec === 'coinIn' || spec === 'coinOut') {
    // A coin that the request does not name is held against the pool's own by `boundsOf`.
    const asked = required[spec];
    return asked === undefined || asked === type ? undefined : `it is for ${type}, not ${asked}`;
  }
  return type === typeInFull(spec) ? undefined : `it is for ${type}, its manifest says ${spec}`;
}

function argumentFlaw(
  spec: Argument,
  given: CallArgument,
  { amount, minOut }: Requirements,
  values: Record<string, unknown>,
  walletId: string,
): string | undefined {
  switch (spec.role) {
    case 'wallet':
      return isObject(given, walletId) ? undefined : 'it names another wallet';
    case 'clock':
      return isObject(given, clockId) ? undefined : 'it names another clock';
    case 'object':
      return isObject(given, normalizeAddress(spec.objectId))
        ? undefined
        : `it names another object than ${spec.objectId}`;
    case 'amount':
      return amount !== undefined && u64Of(given) === amount ? undefined : 'it moves another amount';
    case 'minOut':
      return (u64Of(given) ?? -1n) >= (minOut ?? 1n) ? undefined : 'it takes less in return';
    case 'pure':
      return pureFlaw(spec, given, values);
  }
}

const isObject = (given: CallArgument, objectId: string | undefined) =>
  given.kind === 'object' && given.objectId === objectId;

function pureFlaw(
  { name, type, value: fixed }: Extract<Argument, { role: 'pure' }>,
  given: CallArgument,
  values: Record<string, unknown>,
): string | undefined {
  const typeName = pureTypeName(type);
  const value = fixed === undefined ? values[name ?? type] : fixed;
  const same = typeName !== undefined && given.kind === 'pure' && bytesOf(typeName, value) === given.bytes;
  return same ? undefined : `${name ?? type} has a value that was not asked for`;
}

/** Base64 of the value's bytes as a pure argument; undefined where the type cannot hold it. */
function bytesOf(type: NonNullable<ReturnType<typeof pureTypeName>>, value: unknown): string | undefined {
  const tx = new Transaction();
  try {
    tx.pure(type as 'u64', value as string);
  } catch {
    return undefined;
  }
  const input = tx.getData().inputs[0];
  return input?.$kind === 'Pure' ? input.Pure.bytes : undefined;
}
