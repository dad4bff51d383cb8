import { z } from 'zod';
import { normalizeAddress } from '../chain/names.ts';
import {
  argsMax,
  type CallSpec,
  callArgument,
  callSpec,
  callsBounds,
  moveIdentifier,
  type StepArgument,
  type StepSpec,
  stepArgument,
  stepSpec,
  typeArgsMax,
} from './call-spec.ts';
import { encodePure } from './plain-value.ts';
import { pureTypeName } from './pure-type.ts';
import { opKinds } from './shown-form.ts';
import { labelMax } from './text-bounds.ts';

const opHead = z.looseObject({
  kind: z.enum(opKinds),
  module: moveIdentifier,
  entry: moveIdentifier.describe('Function name.'),
  label: z.string().min(1).max(labelMax).optional(),
  intentMode: z.enum(['A', 'B', 'C', 'D']).optional().describe('Payment intent flow of the wallet.'),
});

/** Schema of an op that a publisher writes. */
export const opSchema = opHead
  .extend({
    call: callSpec.optional().describe('How the op is called, if it is one call.'),
    calls: z
      .array(stepSpec)
      .min(callsBounds.min)
      .max(callsBounds.max)
      .optional()
      .describe('How it is called if it is several calls of one transaction, in their order.'),
  })
  .meta({ title: 'Op' });

export type Op = z.infer<typeof opSchema>;

/** An op of a stranger's manifest, which can be any object. Trust its fields only if `isExecutable` returns true. */
export type ListedOp = Readonly<Record<string, unknown>>;

/** An op that can be executed, as far as its manifest alone shows: it has `call` or `calls`. */
export type ExecutableOp = Op & ({ call: CallSpec } | { calls: StepSpec[] });

/** Returns the calls of an op in their order. An op without `call` and `calls` has none. */
export function listOpSteps({
  module,
  entry,
  call,
  calls,
}: Pick<Op, 'module' | 'entry' | 'call' | 'calls'>): StepSpec[] {
  if (calls) return calls;
  // Copies field by field, since a stranger's call spec may have other keys of the same names.
  return call ? [{ module, entry, typeArgs: call.typeArgs, args: call.args }] : [];
}

/** The arguments of all calls of an op. */
export const listOpArguments = (op: Op) => listOpSteps(op).flatMap(({ args }) => args);

/** Ids of the objects that a manifest fixes for an op, in the long form, in the order of its calls and their arguments. */
export const listFixedObjects = (op: ExecutableOp): string[] =>
  listOpArguments(op).flatMap((argument) =>
    argument.role === 'object' ? (normalizeAddress(argument.objectId) ?? argument.objectId) : [],
  );

/** The type arguments of all calls of an op. */
export const listOpTypeArgs = (op: Op) => listOpSteps(op).flatMap(({ typeArgs }) => typeArgs);

/** Returns `true` if the amount of an op leaves the wallet: it pays by an intent, or names the coin that it takes. */
export const isAmountTaken = (op: Op): boolean =>
  Boolean(op.intentMode) || listOpTypeArgs(op).includes('coinIn');

/**
 * Lists the values that the caller of an op provides: Move types by name. Arguments of one name, also of several calls,
 * share one value.
 */
export function listRequiredValues(op: Op): Map<string, string> {
  const required = new Map<string, string>();
  for (const one of listOpArguments(op)) {
    if (one.role === 'pure' && one.value === undefined) required.set(one.name ?? one.type, one.type);
  }
  return required;
}

export const opFaultCodes = ['invalid_op', 'no_call', 'invalid_call', 'function_mismatch'] as const;

/**
 * The reason why an op is not executable. `invalid_op`: a field beside `call` is missing or wrong. `no_call`: there is
 * no call. `invalid_call`: its call is not a call spec. `function_mismatch`: the package has no such function, or its
 * signature differs.
 */
export interface OpFault {
  code: (typeof opFaultCodes)[number];
  /** A sentence without any words from the manifest. */
  detail: string;
}

/**
 * Finds the reason why an op of a stranger's manifest is not executable, as far as the manifest shows. Returns
 * undefined if it is executable. Stops at the first fault, so that thousands of faults cost no more than one.
 */
export function opFault(op: ListedOp): OpFault | undefined {
  const head = opHead.safeParse(op);
  if (!head.success) return { code: 'invalid_op', detail: firstIssue(head.error, op) };
  const { call, calls } = op;
  if (call === undefined && calls === undefined) return { code: 'no_call', detail: 'The op has no call.' };
  const detail =
    calls === undefined
      ? callFault(call, op, 'call')
      : call === undefined
        ? callsFault(calls, op)
        : 'calls: an op has either call or calls.';
  return detail === undefined ? undefined : { code: 'invalid_call', detail };
}

/** Returns `true` if `opFault` finds no fault. */
export const isExecutable = (op: ListedOp): op is ExecutableOp => opFault(op) === undefined;

const { typeArgs: typeArgsSchema } = callSpec.shape;
const callHead = z.looseObject({ typeArgs: z.array(z.unknown()), args: z.array(z.unknown()) });

/** @param at path of the call in the op */
function callFault(call: unknown, op: ListedOp, ...at: (string | number)[]): string | undefined {
  const path = at.join('.');
  const lists = callHead.safeParse(call);
  if (!lists.success) return firstIssue(lists.error, op, ...at);
  const { typeArgs, args } = lists.data;
  // The bounds come first, so that nothing beyond them is checked.
  if (typeArgs.length > typeArgsMax) return `${path}.typeArgs: more than ${typeArgsMax} items.`;
  if (args.length > argsMax) return `${path}.args: more than ${argsMax} items.`;
  const types = typeArgsSchema.safeParse(typeArgs);
  if (!types.success) return firstIssue(types.error, op, ...at, 'typeArgs');
  const [, position] = at;
  const argument = position === undefined ? callArgument : stepArgument;
  for (const [index, arg] of args.entries()) {
    const parsed = argument.safeParse(arg);
    if (!parsed.success) return firstIssue(parsed.error, op, ...at, 'args', index);
    const why = argumentFault(parsed.data, position);
    if (why !== undefined) return `${path}.args.${index}: ${why}`;
  }
  return undefined;
}

/** @param position position of the call among several */
function argumentFault(argument: StepArgument, position: string | number | undefined): string | undefined {
  if (argument.role === 'pure') return pureFault(argument);
  if (argument.role !== 'result' || argument.call < Number(position)) return undefined;
  return 'call is not an earlier call.';
}

const stepHead = stepSpec.pick({ packageId: true, module: true, entry: true });

function callsFault(calls: unknown, op: ListedOp): string | undefined {
  if (!Array.isArray(calls)) return 'calls: expected a list.';
  const { min, max } = callsBounds;
  if (calls.length < min || calls.length > max) return `calls: expected ${min} to ${max} calls.`;
  for (const [position, call] of calls.entries()) {
    const head = stepHead.safeParse(call);
    if (!head.success) return firstIssue(head.error, op, 'calls', position);
    const fault = callFault(call, op, 'calls', position);
    if (fault !== undefined) return fault;
  }
  const isOwn = ({ packageId, module, entry }: StepSpec) =>
    packageId === undefined && module === op.module && entry === op.entry;
  return (calls as StepSpec[]).some(isOwn) ? undefined : "calls: none is the op's own module and entry.";
}

function pureFault({ type, value }: { type: string; value?: unknown }): string | undefined {
  if (pureTypeName(type) === undefined) return 'type is not a type of pure values.';
  if (value === undefined || encodePure(type, value) !== undefined) return undefined;
  return 'value is not of the type.';
}

/** The path and the message of the first issue of the value at the path `at` of an op. */
function firstIssue({ issues }: z.ZodError, op: ListedOp, ...at: (string | number)[]): string {
  const [{ path, message }] = issues as [z.core.$ZodIssue];
  const pathInOp = [...at, ...path];
  let value: unknown = op;
  for (const key of pathInOp) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return `${pathInOp.join('.') || 'op'}: ${value === undefined ? 'missing' : message}.`;
}
