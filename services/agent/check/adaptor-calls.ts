import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import {
  type ExecutableOp,
  encodePure,
  listFixedObjects,
  listOpSteps,
  type StepArgument,
  type StepSpec,
} from '@adaptor-marketplace/adaptor/manifest';
import {
  type CoinAmount,
  type OpChain,
  type OpInputs,
  resolveEach,
  resolveOps,
} from '@adaptor-marketplace/adaptor/transactions';
import type { CatalogEntry } from '../../../db/queries/catalog/entry-schema.ts';
import { buildCallInputs, type CallFault, findCalledOp } from '../../../lib/actions/call-op.ts';
import {
  chooseOp,
  listOpeners,
  listRoleOps,
  takesStated,
  valuesFor,
  worksOn,
} from '../../../lib/actions/choose-op.ts';
import { type CallStep, parseAmounts } from '../../../lib/actions/request.ts';
import type { Requirements } from '../../../lib/actions/requirements.ts';
import type { Slot, SlotSetting } from '../../../lib/actions/slots.ts';
import { RunFailedError, refusal } from '../../../lib/agent/run-failure.ts';
import { type Call, type CallArgument, isObject, isResult, parseU64, toFullType } from './calls.ts';

/** The adaptor of a step, from the agent's own read model and settings. */
interface StepAdaptor {
  slot: Slot;
  required: Requirements;
  entry: CatalogEntry;
  /** Ops and values that the slot's setting names for the adaptor. */
  setting: Pick<SlotSetting, 'ops' | 'values'>;
}

/** The wallet of the calls, and the position of the first call in the transaction. */
interface CallPosition {
  walletId: string;
  first: number;
}

/** An op and the calls that are its own. */
export interface OpCalls {
  op: ExecutableOp;
  calls: readonly Call[];
}

/**
 * Checks the calls of one step against the request and the adaptor's verified manifest. The calls must be the op of the
 * action, after calls that open accounts if it needs them. They must use this wallet, the manifest's objects, and the
 * request's amounts, minimum and values. Returns the called ops in order; the last one serves the action.
 * @throws RunFailedError `unexpected_transaction`
 */
export function checkAdaptorCalls(
  calls: readonly Call[],
  { slot, required, entry, setting }: StepAdaptor,
  { walletId, first }: CallPosition,
): OpCalls[] {
  if (calls.length === 0) throw refusal('a step calls nothing');
  const { packageId, manifest, serviceType } = entry;
  const { amount, minOut, coinIn, coinOut } = required;
  /** Returns the first op that these calls match exactly. */
  const findMatching = (part: readonly Call[], ops: readonly ExecutableOp[], from: number): ExecutableOp => {
    const candidates = ops.filter((op) => hasTargets(part, op, packageId));
    if (candidates.length === 0) {
      throw refusal(`${part.at(-1)?.target} is not an op of ${serviceType} for the action`);
    }
    const flaws = candidates.map((op) => {
      const values = valuesFor(op, required.values, setting.values);
      // If the request names no coin, `resolveBounds` checks the coin against the pool's own.
      const inputs = { values, amount, minOut, coinIn, coinOut };
      return findFlaw(part, op, { ...inputs, walletId, first: from });
    });
    // Several ops of one function differ in their objects: one for each pool.
    const fitting = flaws.indexOf(undefined);
    if (fitting < 0) throw refusal(flaws[0] ?? 'its calls have other arguments');
    return candidates[fitting]!;
  };
  const serving = listRoleOps(manifest, required.role, setting.ops).filter(
    (op) => worksOn(op, required.objectId) && takesStated(op, required, setting.values),
  );
  // The op's own calls are the last ones. The manifest says how many there are.
  const lengths = new Set(serving.map((op) => listOpSteps(op).length));
  const length = [...lengths]
    .sort((a, b) => b - a)
    .find((count) => serving.some((op) => hasTargets(calls.slice(-count), op, packageId)));
  const opened = calls.slice(0, -(length ?? 1));
  const openers = listOpeners(manifest, slot, setting.ops);
  const called = [
    ...opened.map((call, index) => ({
      op: findMatching([call], openers, first + index),
      calls: [call],
    })),
    {
      op: findMatching(calls.slice(opened.length), serving, first + opened.length),
      calls: calls.slice(opened.length),
    },
  ];
  if (new Set(called.map(({ op }) => op)).size < called.length) throw refusal('it opens an account twice');
  return called;
}

/**
 * Returns what the called ops may take and must bring, by the request and by the node's view of the fixed objects of
 * the op that serves. The types of the calls must agree, and a call that opens an account must use the same objects.
 * @param called the result of `checkAdaptorCalls`
 * @throws RunFailedError `unexpected_transaction`; ProblemError 502 or 504 if the node does not answer
 */
export async function resolveBounds(
  chain: OpChain,
  called: readonly OpCalls[],
  { required, entry }: StepAdaptor,
): Promise<{ takes: CoinAmount[]; brings: CoinAmount[] }> {
  const [resolved] = await resolveOps(chain, entry.packageId, [called.at(-1)!.op]);
  const chosen = resolved && chooseOp([resolved], required, entry.manifest.supportedCoins);
  if (!chosen) throw refusal('the coins that its op moves are unknown');
  // A coin that only the manifest names, and not the request, must not leave the wallet.
  const settledCoin = required.coinIn ?? resolved.coinIn ?? required.impliedIn;
  if (!required.pair && chosen.spends.some(({ coinType }) => coinType !== settledCoin)) {
    throw refusal('the coin that its op takes is unknown');
  }
  const objects = new Set(chosen.objects.map(({ objectId }) => objectId));
  for (const { op, calls } of called) {
    if (!listFixedObjects(op).every((objectId) => objects.has(objectId))) {
      throw refusal(`${calls[0]?.target} works on other objects than the matching op`);
    }
    for (const [position, { typeArgs }] of listOpSteps(op).entries()) {
      for (const [at, side] of typeArgs.entries()) {
        if (side !== 'coinIn' && side !== 'coinOut') continue;
        const type = calls[position]!.typeArguments[at];
        if (type !== chosen[side]) throw refusal(`it is for ${type}, not ${chosen[side]}`);
      }
    }
  }
  return { takes: chosen.spends, brings: chosen.receives };
}

/**
 * Finds the op that a `call` step names in the verified manifest. The calls must be to its functions, with as many
 * arguments. @throws RunFailedError `unexpected_transaction`, or a draft's codes if the manifest has changed
 */
export function findStepOp(
  calls: readonly Call[],
  step: CallStep,
  { manifest, packageId, serviceType }: CatalogEntry,
): ExecutableOp {
  const op = requireFitting(findCalledOp(manifest, step));
  if (!hasTargets(calls, op, packageId)) throw refusal(`its calls are not ${step.op} of ${serviceType}`);
  for (const [position, { args }] of listOpSteps(op).entries()) {
    const { target, arguments: passed } = calls[position]!;
    if (passed.length !== args.length) throw refusal(`${target} has other arguments`);
  }
  return op;
}

/**
 * Checks the calls of a `call` step against its op, with the values of the request. Returns what the step may take and
 * must bring by the request.
 * @param op the result of `findStepOp`
 * @throws RunFailedError `unexpected_transaction`, `op_not_executable`; ProblemError 502 or 504
 */
export async function checkOpCalls(
  chain: OpChain,
  calls: readonly Call[],
  { step, op, packageId }: { step: CallStep; op: ExecutableOp; packageId: string },
  position: CallPosition,
): Promise<{ takes: CoinAmount[]; brings: CoinAmount[] }> {
  const [resolved] = await resolveEach(chain, packageId, [op]);
  if (!resolved || 'why' in resolved) {
    throw new RunFailedError('op_not_executable', `${step.op}: ${resolved?.why} Nothing was signed.`);
  }
  const flaw = findFlaw(calls, op, { ...requireFitting(buildCallInputs(resolved, step)), ...position });
  if (flaw !== undefined) throw refusal(flaw);
  return { takes: parseAmounts(step.spends), brings: parseAmounts(step.receivesAtLeast) };
}

function requireFitting<T extends object>(one: T | CallFault): T {
  if (!('reason' in one)) return one;
  throw new RunFailedError(one.code, `${one.reason} Nothing was signed.`);
}

/** Returns `true` if the calls go to the functions of an op, in their order. */
function hasTargets(calls: readonly Call[], op: ExecutableOp, packageId: string): boolean {
  const steps = listOpSteps(op);
  const isCalled = ({ packageId: called = packageId, module, entry }: StepSpec, index: number) =>
    calls[index]?.target === `${normalizeAddress(called)}::${module}::${entry}`;
  return calls.length === steps.length && steps.every(isCalled);
}

/** Inputs that the calls of an op must have. If a coin is `undefined`, any coin matches. */
type ExpectedInputs = { [K in 'amount' | 'minOut']?: bigint | undefined } & {
  [K in 'coinIn' | 'coinOut']?: string | undefined;
} & Required<Pick<OpInputs, 'values'>> &
  CallPosition;

/** Describes the first difference between the calls of an op and what the op and the request require, if any. */
function findFlaw(calls: readonly Call[], op: ExecutableOp, expected: ExpectedInputs): string | undefined {
  const flaws = listOpSteps(op).map(({ args, typeArgs }, position) => {
    const call = calls[position]!;
    if (call.typeArguments.length !== typeArgs.length) return `${call.target} has other type arguments`;
    if (call.arguments.length !== args.length) return `${call.target} has other arguments`;
    const types = typeArgs.map((spec, index) => findTypeFlaw(spec, call.typeArguments[index]!, expected));
    const others = args.map((spec, index) => findArgumentFlaw(spec, call.arguments[index]!, expected));
    return [...types, ...others].find((flaw) => flaw !== undefined);
  });
  return flaws.find((flaw) => flaw !== undefined);
}

function findTypeFlaw(spec: string, type: string, expected: ExpectedInputs): string | undefined {
  if (spec === 'coinIn' || spec === 'coinOut') {
    const requested = expected[spec];
    return requested === undefined || requested === type ? undefined : `it is for ${type}, not ${requested}`;
  }
  return type === toFullType(spec) ? undefined : `it is for ${type}, its manifest says ${spec}`;
}

const clockId = normalizeAddress('0x6');

function findArgumentFlaw(
  spec: StepArgument,
  argument: CallArgument,
  expected: ExpectedInputs,
): string | undefined {
  const { amount, minOut, values, walletId, first } = expected;
  switch (spec.role) {
    case 'wallet':
      return isObject(argument, walletId) ? undefined : 'it names another wallet';
    case 'clock':
      return isObject(argument, clockId) ? undefined : 'it names another clock';
    case 'object':
      return isObject(argument, normalizeAddress(spec.objectId))
        ? undefined
        : `it names another object than ${spec.objectId}`;
    case 'result':
      return isResult(argument, first + spec.call, spec.index ?? 0)
        ? undefined
        : `it passes something else than result ${spec.index ?? 0} of call ${spec.call}`;
    case 'amount':
      return amount !== undefined && parseU64(argument) === amount ? undefined : 'it moves another amount';
    case 'minOut':
      // A loan states here what it borrows.
      return minOut !== undefined && parseU64(argument) === minOut
        ? undefined
        : 'it has another amount to bring';
    case 'pure':
      return findPureFlaw(spec, argument, values);
  }
}

function findPureFlaw(
  { name, type, value: fixed }: Extract<StepArgument, { role: 'pure' }>,
  argument: CallArgument,
  values: Record<string, unknown>,
): string | undefined {
  const key = name ?? type;
  const value = fixed === undefined ? (Object.hasOwn(values, key) ? values[key] : undefined) : fixed;
  const isSame = argument.kind === 'pure' && encodePure(type, value) === argument.bytes;
  return isSame ? undefined : `${key} has a value that was not asked for`;
}
