import { type ExecutableOp, normalizeAddress, pureTypeName } from '@adaptor-marketplace/adaptor';
import { type CoinAmount, type OpChain, resolveOps } from '@adaptor-marketplace/adaptor/transactions';
import { Transaction } from '@mysten/sui/transactions';
import type { CatalogEntry } from '../../../db/queries/catalog/entry.ts';
import { chooseOp, openersOf, opsOfRole, takesStated, valuesFor } from '../../../lib/actions/choose-op.ts';
import type { Wanted } from '../../../lib/actions/request.ts';
import type { Slot, SlotSetting } from '../../../lib/actions/slots.ts';
import { refusal } from '../../../lib/agent/run-failure.ts';
import { type Call, type CallArgument, typeInFull, u64Of } from './calls.ts';

type Argument = ExecutableOp['call']['args'][number];

/** The adaptor that a step goes to, out of the agent's own read model and settings. */
export interface Listed {
  slot: Slot;
  wanted: Wanted;
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
  const { slot, wanted, entry, named } = listed;
  const serving = opsOfRole(entry.manifest, wanted.role, named.ops).filter(
    (op) => worksOn(op, wanted.objectId) && takesStated(op, wanted, named.values),
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
  { wanted, entry }: Listed,
): Promise<{ takes: CoinAmount[]; brings: CoinAmount[] }> {
  const [resolved] = await resolveOps(chain, entry.packageId, ops.slice(-1));
  const chosen = resolved && chooseOp([resolved], wanted, entry.manifest.supportedCoins);
  if (!chosen) throw refusal('the coins that its op moves are unknown');
  // A coin that only the manifest names, and not the request, must not leave the wallet.
  const settled = wanted.coinIn ?? resolved.coinIn ?? wanted.impliedIn;
  if (!wanted.pair && chosen.spends.some(({ coinType }) => coinType !== settled)) {
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
  { wanted, named }: Listed,
  walletId: string,
): string | undefined {
  const { args, typeArgs } = op.call;
  if (call.typeArguments.length !== typeArgs.length) return `${call.target} has other type arguments`;
  if (call.arguments.length !== args.length) return `${call.target} has other arguments`;
  const values = valuesFor(op, wanted.values, named.values);
  const types = typeArgs.map((spec, place) => typeFlaw(spec, call.typeArguments[place]!, wanted));
  const others = args.map((spec, place) =>
    argumentFlaw(spec, call.arguments[place]!, wanted, values, walletId),
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

function typeFlaw(spec: string, type: string, wanted: Wanted): string | undefined {
  if (spec === 'coinIn' || spec === 'coinOut') {
    // A coin that the request does not name is held against the pool's own by `boundsOf`.
    const asked = wanted[spec];
    return asked === undefined || asked === type ? undefined : `it is for ${type}, not ${asked}`;
  }
  return type === typeInFull(spec) ? undefined : `it is for ${type}, its manifest says ${spec}`;
}

function argumentFlaw(
  spec: Argument,
  given: CallArgument,
  { amount, minOut }: Wanted,
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
