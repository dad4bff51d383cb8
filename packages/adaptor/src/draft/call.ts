import type { Callers } from '../infer/callers.ts';
import type { Inference, InferredArgument } from '../infer/inference.ts';
import type { IntrospectedOp, IntrospectedParam } from '../introspect/types.ts';
import type { CallArgument, CallSpec } from '../manifest/call-spec.ts';
import { isPlainValue } from '../manifest/plain-value.ts';
import { pureTypeName } from '../manifest/pure-type.ts';
import { instantiate, typeArgsFrom } from '../move-types.ts';
import { type FixedObject, fixObject, type NamedObject } from './objects.ts';
import type { RequiredValue } from './required-values.ts';

/** A drafted call, or the reasons why there is none. */
export interface DraftedCall {
  call?: CallSpec;
  /** Clauses that each say what is missing and what to do. Empty exactly if there is a call. */
  missing: string[];
  /** Ids of objects in the call that come from past calls, which all used them. */
  mined: string[];
  /** Values in the call that come from past calls, which all agree on them. */
  inferred: InferredValue[];
  /** Types of the type parameters, by index; undefined where neither objects nor past calls determine the type. */
  typeArgs: (string | undefined)[];
}

/** A value that comes from past calls. */
export interface InferredValue {
  name: string;
  value: unknown;
  from: Callers;
}

/** The publisher's statements about an op's arguments. */
interface ProvidedArguments {
  objects: readonly NamedObject[];
  /** All values that the op's callers must provide. */
  values: readonly RequiredValue[];
  /** Types of its type parameters. Default: those that objects and past calls determine. */
  typeArgs?: readonly string[] | undefined;
}

/**
 * Drafts how an op is called. Objects are fixed. Coins and amounts stay the caller's to give, and so do other values
 * that neither the publisher fixed nor past calls agree on.
 */
export function draftCall(
  op: IntrospectedOp,
  past: Inference | undefined,
  { objects: named, values, typeArgs: provided }: ProvidedArguments,
): DraftedCall {
  const params = op.params.filter(({ role }) => role !== 'ctx');
  const objects = params.map((param, index) =>
    param.role === 'object' ? fixObject(param, past?.args[index], named) : undefined,
  );
  const fixed = objects.filter((object) => object !== undefined);
  const typeArgs = provided ?? fixTypeArgs(op, past, params, objects);
  const args = params.map((param, index) =>
    toArgument(param, {
      object: objects[index],
      value: values.find((value) => value.index === index),
      typeArgs,
      past: past?.args[index],
    }),
  );
  const spelled = op.typeParams.map(({ role }, index) => role ?? typeArgs[index]);
  const missing = [
    ...args.filter((argument) => typeof argument === 'string'),
    ...spelled.flatMap((type, index) =>
      type === undefined ? [`no past call shows what its type parameter T${index} is`] : [],
    ),
  ];
  const mined = fixed.flatMap((object) =>
    'objectId' in object && object.from === 'past calls' ? [object.objectId] : [],
  );
  if (missing.length > 0) return { missing, mined: [], inferred: [], typeArgs: [...typeArgs] };
  const call = { typeArgs: spelled as string[], args: args as CallArgument[] };
  const inferred = values.flatMap((value): InferredValue[] => {
    const argument = call.args[value.index];
    const from = past?.args[value.index]?.singletonFrom;
    if (isProvided(value) || argument?.role !== 'pure' || argument.value === undefined || !from) return [];
    return [{ name: value.name, value: argument.value, from }];
  });
  return { call, missing, mined, inferred, typeArgs: [...typeArgs] };
}

/** Determines the type arguments from the types of the fixed objects, else from past calls that all agree. */
function fixTypeArgs(
  op: IntrospectedOp,
  past: Inference | undefined,
  params: readonly IntrospectedParam[],
  objects: readonly (FixedObject | undefined)[],
): (string | undefined)[] {
  const bound = new Map<number, string>();
  for (const [index, object] of objects.entries()) {
    if (!object || !('objectId' in object) || !object.type) continue;
    for (const [at, type] of typeArgsFrom(params[index]!.type, object.type) ?? []) bound.set(at, type);
  }
  return op.typeParams.map((_, index) => {
    const [only, another] = past?.typeArgCandidates[index] ?? [];
    return bound.get(index) ?? (another ? undefined : only?.type);
  });
}

interface ArgumentEvidence {
  object: FixedObject | undefined;
  value: RequiredValue | undefined;
  typeArgs: readonly (string | undefined)[];
  past: InferredArgument | undefined;
}

type Example = InferredArgument['pureCandidates'][number] | undefined;

/** True if the publisher described the value, which takes precedence over past calls. */
const isProvided = ({ provided, fixed }: RequiredValue) => provided === true || fixed !== undefined;

/** Returns the argument for the call spec, or a clause that says what is missing. */
function toArgument(
  param: IntrospectedParam,
  { object, value, typeArgs, past }: ArgumentEvidence,
): CallArgument | string {
  if (param.role === 'wallet' || param.role === 'clock') return { role: param.role };
  if (object) {
    if ('missing' in object) return object.missing;
    const { objectId } = object;
    return { role: 'object', objectId, mutable: param.reference === 'mutable' };
  }
  if (!value) return { role: param.role as 'amount' | 'minOut' };
  const type = instantiate(param.type, typeArgs);
  if (type === undefined) return `no past call shows what type its argument of ${param.type} has`;
  if (pureTypeName(type) === undefined) return `a ${type} is not a plain value`;
  const [example] = past?.pureCandidates ?? [];
  const agreed = !isProvided(value) && past?.singletonFrom && example?.type === type;
  if (agreed && isPlainValue(type, past.singleton))
    return { role: 'pure', type, name: value.name, value: past.singleton };
  const { name, fixed } = value;
  if (fixed === undefined)
    return { role: 'pure', type, name, ...(isPlain(type, example) && { example: example.value }) };
  return isPlainValue(type, fixed)
    ? { role: 'pure', type, name, value: fixed }
    : `${name}: the value is not a valid ${type}`;
}

/** Returns `true` for examples that may enter a manifest: booleans and numbers, never text of one stranger. */
function isPlain(type: string, example: Example): example is Extract<Example, { value: unknown }> {
  return example !== undefined && 'value' in example && /^(bool|u\d+)$/.test(type);
}
