import { pureBcsSchemaFromTypeName } from '@mysten/sui/bcs';
import { z } from 'zod';
import { argsMax, type CallSpec, callArgument, callSpec, moveIdentifier, typeArgsMax } from './call-spec.ts';
import { pureTypeName } from './pure-type.ts';

const opHead = z.looseObject({
  kind: z.enum(['swap', 'lend', 'stake', 'pay', 'custom']),
  module: moveIdentifier,
  entry: moveIdentifier.describe('Function name.'),
  label: z.string().min(1).max(128).optional(),
  intentMode: z.enum(['A', 'B', 'C', 'D']).optional().describe('Payment intent flow of the wallet.'),
});

/** An op as a publisher writes it. */
export const opSchema = opHead.extend({
  call: callSpec.optional().describe('Present exactly where the op can be executed.'),
});

export type Op = z.infer<typeof opSchema>;

/** An op of a stranger's manifest: any object. What it says counts only where `isExecutable` answers true. */
export type ListedOp = Readonly<Record<string, unknown>>;

/** An op that can be executed, as far as its manifest alone shows. */
export type ExecutableOp = Op & { call: CallSpec };

export const opFaultCodes = ['invalid_op', 'no_call', 'invalid_call', 'function_mismatch'] as const;

/**
 * Why an op is not executable. `invalid_op`: a field beside `call` is missing or wrong. `no_call`: it does not say how
 * it is called. `invalid_call`: its call is not a call spec. `function_mismatch`: the package has no such function, or
 * one of another signature.
 */
export interface OpFault {
  code: (typeof opFaultCodes)[number];
  /** A sentence without words of the manifest's. */
  detail: string;
}

/**
 * Why an op of a stranger's manifest is not executable, as far as the manifest shows; undefined where it is. Ends at
 * the first fault, so that thousands of faults cost no more than one.
 */
export function opFault(op: ListedOp): OpFault | undefined {
  const head = opHead.safeParse(op);
  if (!head.success) return { code: 'invalid_op', detail: firstIssue(head.error, op) };
  if (op.call === undefined) return { code: 'no_call', detail: 'The op has no call.' };
  const detail = callFault(op.call);
  return detail === undefined ? undefined : { code: 'invalid_call', detail };
}

export const isExecutable = (op: ListedOp): op is ExecutableOp => opFault(op) === undefined;

const { typeArgs: typeArgsSchema } = callSpec.shape;
const callHead = z.looseObject({ typeArgs: z.array(z.unknown()), args: z.array(z.unknown()) });

function callFault(call: unknown): string | undefined {
  const lists = callHead.safeParse(call);
  if (!lists.success) return firstIssue(lists.error, { call }, 'call');
  const { typeArgs, args } = lists.data;
  // The bounds come first: what is beyond them is not looked at.
  if (typeArgs.length > typeArgsMax) return `call.typeArgs: more than ${typeArgsMax} items.`;
  if (args.length > argsMax) return `call.args: more than ${argsMax} items.`;
  const types = typeArgsSchema.safeParse(typeArgs);
  if (!types.success) return firstIssue(types.error, { call }, 'call', 'typeArgs');
  for (const [index, arg] of args.entries()) {
    const parsed = callArgument.safeParse(arg);
    if (!parsed.success) return firstIssue(parsed.error, { call }, 'call', 'args', index);
    const why = parsed.data.role === 'pure' ? pureFault(parsed.data) : undefined;
    if (why !== undefined) return `call.args.${index}: ${why}`;
  }
  return undefined;
}

function pureFault({ type, value }: { type: string; value?: unknown }): string | undefined {
  const name = pureTypeName(type);
  if (name === undefined) return 'type is not a type of pure values.';
  if (value === undefined) return undefined;
  try {
    pureBcsSchemaFromTypeName(name).serialize(value as never);
    return undefined;
  } catch {
    return 'value is not of the type.';
  }
}

/** The place and the message of the first issue of a value that stands at `at` of an op. */
function firstIssue({ issues }: z.ZodError, op: ListedOp, ...at: (string | number)[]): string {
  const [{ path, message }] = issues as [z.core.$ZodIssue];
  const place = [...at, ...path];
  let value: unknown = op;
  for (const key of place) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return `${place.join('.') || 'op'}: ${value === undefined ? 'missing' : message}.`;
}
