import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import {
  type ExecutableOp,
  encodePure,
  isExecutable,
  type ListedManifest,
  listOpArguments,
  listOpSteps,
  listOpTypeArgs,
  opFault,
  type StepArgument,
} from '@adaptor-marketplace/adaptor/manifest';
import type { OpInputs, ResolvedOp } from '@adaptor-marketplace/adaptor/transactions';
import { findNearestName } from '../errors/nearest-name.ts';
import { worksOn } from './choose-op.ts';
import type { CallStep } from './request.ts';
import type { DraftErrorCode } from './tools-api.ts';

/** Reason why a `call` request has no op or no inputs: the error code of the draft, and a text that names the field. */
export interface CallFault {
  code: DraftErrorCode;
  reason: string;
}

type Ops = Pick<ListedManifest, 'ops'>;

/** Returns the error text for an op that the manifest lacks, with the nearest name; undefined if it has the op. */
export function describeUnknownOp({ ops }: Ops, name: string): string | undefined {
  const names = [...new Set(ops.map(({ module, entry }) => `${module}::${entry}`))];
  if (names.includes(name)) return undefined;
  const nearest = findNearestName(name, names);
  return `the manifest has no op ${name}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

/**
 * Finds the op that a `call` request names. The tool service drafts with it, and the agent checks the draft against it.
 * Several ops of one function can differ in their objects or values. The request must match one of them, or several
 * that make the same calls.
 */
export function findCalledOp({ ops }: Ops, step: CallStep): ExecutableOp | CallFault {
  const unknown = describeUnknownOp({ ops }, step.op);
  if (unknown !== undefined) return { code: 'op_not_found', reason: `op: ${unknown}` };
  const [module, entry] = step.op.split('::');
  const named = ops.filter((op) => op.module === module && op.entry === entry);
  const [first] = named as [(typeof named)[number]];
  const executable = named.filter((op): op is ExecutableOp => isExecutable(op));
  if (executable.length === 0) {
    return { code: 'op_not_executable', reason: `${step.op}: ${opFault(first)?.detail}` };
  }
  const { objectId, values = {} } = step;
  const onObject = executable.filter((op) => worksOn(op, objectId));
  if (onObject.length === 0) {
    return { code: 'argument_mismatch', reason: `objectId: no op ${step.op} has the object ${objectId}.` };
  }
  const faults = onObject.map((op) => findValuesFault(op, values));
  const fitting = onObject.filter((_, index) => faults[index] === undefined);
  const [op] = fitting;
  if (!op) return { code: 'argument_mismatch', reason: faults[0]! };
  const calls = new Set(fitting.map((one) => JSON.stringify(fillCalls(one, values))));
  if (calls.size === 1) return op;
  const reason = `op: ${calls.size} different ops ${step.op} fit. State objectId, or the values that one of them fixes.`;
  return { code: 'argument_mismatch', reason };
}

type PureArgument = Extract<StepArgument, { role: 'pure' }>;

const listPures = (op: ExecutableOp) =>
  listOpArguments(op).filter((one): one is PureArgument => one.role === 'pure');
/** Maximum values that an error lists. */
const listMax = 8;

const getName = ({ name, type }: PureArgument) => name ?? type;

/** Returns the error text for values that the op does not accept, or that leave an open argument without a value. */
function findValuesFault(op: ExecutableOp, values: Readonly<Record<string, unknown>>): string | undefined {
  const pures = listPures(op);
  const known = new Set(pures.map(getName));
  const unknown = Object.keys(values).find((name) => !known.has(name));
  if (unknown !== undefined) {
    const list = pures.slice(0, listMax).map((one) => `${getName(one)} (${one.type})`);
    return `values.${unknown}: the op has no such value. It has ${list.join(', ') || 'none'}.`;
  }
  for (const one of pures) {
    const name = getName(one);
    if (!Object.hasOwn(values, name)) {
      if (one.value === undefined) return `values.${name}: missing, expected ${one.type}.`;
      continue;
    }
    const bytes = encodePure(one.type, values[name]);
    if (bytes === undefined) return `values.${name}: expected ${one.type}.`;
    if (one.value !== undefined && encodePure(one.type, one.value) !== bytes) {
      return `values.${name}: the op fixes another value.`;
    }
  }
  return undefined;
}

/** Returns the calls of an op with the values inserted. Ops with equal results do the same. */
function fillCalls(op: ExecutableOp, values: Readonly<Record<string, unknown>>): unknown {
  return listOpSteps(op).map(({ packageId, module, entry, typeArgs, args }) => [
    packageId && normalizeAddress(packageId),
    module,
    entry,
    typeArgs,
    args.map((one) => {
      if (one.role === 'object') return normalizeAddress(one.objectId);
      if (one.role === 'result') return [one.call, one.index ?? 0];
      if (one.role !== 'pure') return one.role;
      const name = getName(one);
      return [one.type, encodePure(one.type, Object.hasOwn(values, name) ? values[name] : one.value)];
    }),
  ]);
}

type CallInputs = Required<Pick<OpInputs, 'values'>> &
  Pick<OpInputs, 'amount' | 'minOut' | 'coinIn' | 'coinOut'>;

/** Returns the inputs for the op of a `call` request. An amount or coin that it omits is the side's only one. */
export function buildCallInputs(
  { op, ...settled }: Pick<ResolvedOp, 'op' | 'coinIn' | 'coinOut'>,
  step: CallStep,
): CallInputs | CallFault {
  const inputs: CallInputs = { values: step.values ?? {} };
  const types = listOpTypeArgs(op);
  for (const side of ['coinIn', 'coinOut'] as const) {
    const coin = resolveCoin(side, types.includes(side), settled[side], step);
    if (typeof coin === 'object') return coin;
    if (coin !== undefined) inputs[side] = coin;
  }
  const roles = new Set(listOpArguments(op).map(({ role }) => role));
  for (const role of ['amount', 'minOut'] as const) {
    const stated = step[role];
    if (!roles.has(role)) {
      if (stated === undefined) continue;
      return { code: 'argument_mismatch', reason: `${role}: the op ${step.op} has no such argument.` };
    }
    const given = stated ?? findOnlyAmount(step, role === 'amount' ? 'coinIn' : 'coinOut')?.amount;
    if (given === undefined) return { code: 'argument_mismatch', reason: `${role}: missing, expected u64.` };
    inputs[role] = BigInt(given);
  }
  return inputs;
}

type Side = 'coinIn' | 'coinOut';

function resolveCoin(
  side: Side,
  isTaken: boolean,
  settled: string | undefined,
  step: CallStep,
): string | undefined | CallFault {
  const stated = step[side];
  if (!isTaken) {
    if (stated === undefined) return undefined;
    return { code: 'argument_mismatch', reason: `${side}: the op ${step.op} has no such type argument.` };
  }
  if (stated !== undefined && settled !== undefined && stated !== settled) {
    return { code: 'coin_not_supported', reason: `${side}: the objects of ${step.op} are for ${settled}.` };
  }
  const coin = settled ?? stated ?? findOnlyAmount(step, side)?.coinType;
  return coin ?? { code: 'coin_not_supported', reason: `${side}: missing; nothing says which coin it is.` };
}

function findOnlyAmount(
  { spends, receivesAtLeast }: CallStep,
  side: Side,
): CallStep['spends'][number] | undefined {
  const [only, ...more] = side === 'coinIn' ? spends : receivesAtLeast;
  return more.length === 0 ? only : undefined;
}
