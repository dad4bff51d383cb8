import { normalizeStructTag, parseStructTag } from '@mysten/sui/utils';
import { foundOf } from '../chain/found.ts';
import type { FunctionReader, Parameter } from '../chain/functions.ts';
import { normalizeAddress } from '../chain/names.ts';
import type { KnownObject, ObjectReader } from '../chain/objects.ts';
import { callMisfit } from '../manifest/call-fit.ts';
import type { ExecutableOp } from '../manifest/op.ts';
import { bindTypes } from './bind-types.ts';

/** What ops are resolved by. */
export interface OpChain {
  functions: FunctionReader;
  objects: ObjectReader;
}

/** An executable op, and what the chain says of its function and its fixed objects. */
export interface ResolvedOp {
  op: ExecutableOp;
  /** `0x…::module::function`. */
  target: string;
  /** As many as the call has arguments. */
  parameters: Parameter[];
  /** The fixed objects in the order of the arguments. */
  objects: KnownObject[];
  /** The coin it takes out of the wallet and the one it brings in, where the manifest and its objects settle them. */
  coinIn: string | undefined;
  coinOut: string | undefined;
}

/** Of all ops that are looked at together: a stranger's manifest may name thousands. */
const objectsMax = 1_000;
const functionsMax = 32;

/** An op that no transaction could call as its manifest says. */
export interface UnfitOp {
  op: ExecutableOp;
  /** A sentence. */
  why: string;
}

/**
 * Resolves ops of one package, in their order. Left out is what no transaction could call: a function that does not
 * exist or takes other arguments, an object that does not exist or that is neither shared nor immutable.
 * @throws NodeError where the node does not say
 */
export async function resolveOps(
  chain: OpChain,
  packageId: string,
  ops: readonly ExecutableOp[],
): Promise<ResolvedOp[]> {
  return (await resolveEach(chain, packageId, ops)).filter((one) => 'target' in one);
}

/**
 * As `resolveOps`, with why the others cannot be called.
 * @throws ProblemError 502 or 504 where the node does not say
 */
export async function resolveEach(
  { functions, objects }: OpChain,
  packageId: string,
  ops: readonly ExecutableOp[],
): Promise<(ResolvedOp | UnfitOp)[]> {
  const byFunction = new Map(ops.map((op) => [functionOf(op), op]));
  const called = [...byFunction.values()].slice(0, functionsMax);
  const looked = new Set(withFewObjects(ops));
  const [signatures, known] = await Promise.all([
    Promise.all(called.map(({ module, entry }) => functions.signature(packageId, module, entry))),
    objects.read([...looked].flatMap(objectIds)),
  ]);
  const signatureOf = new Map(called.map((op, place) => [functionOf(op), foundOf(signatures[place]!)]));
  return ops.map((op) => {
    if (!signatureOf.has(functionOf(op)) || !looked.has(op)) {
      const why = `It was not looked up: only ${functionsMax} functions and ${objectsMax} objects are.`;
      return { op, why };
    }
    const signature = signatureOf.get(functionOf(op));
    if (!signature) return { op, why: 'The package has no such function.' };
    const misfit = callMisfit(op.call, signature);
    if (misfit !== undefined) return { op, why: misfit };
    // An object that somebody owns is nothing that a manifest may hand on.
    const isUsable = (id: string) => (known.get(id)?.kind ?? 'owned') !== 'owned';
    const ids = objectIds(op);
    const lacking = ids.find((id) => !isUsable(id));
    if (lacking !== undefined) return { op, why: `${lacking} is not a shared or immutable object.` };
    return resolve(
      packageId,
      op,
      signature.parameters,
      ids.map((id) => known.get(id)!),
    );
  });
}

const functionOf = ({ module, entry }: ExecutableOp) => `${module}::${entry}`;

function withFewObjects(ops: readonly ExecutableOp[]): ExecutableOp[] {
  let left = objectsMax;
  return ops.filter((op) => {
    left -= objectIds(op).length;
    return left >= 0;
  });
}

function objectIds({ call }: ExecutableOp): string[] {
  return call.args.flatMap((argument) =>
    argument.role === 'object' ? (normalizeAddress(argument.objectId) ?? argument.objectId) : [],
  );
}

function resolve(
  packageId: string,
  op: ExecutableOp,
  parameters: Parameter[],
  objects: KnownObject[],
): ResolvedOp {
  const bound = new Map<number, string>();
  const rest = [...objects];
  op.call.args.forEach((argument, place) => {
    if (argument.role === 'object') bindTypes(parameters[place]!, rest.shift()!.type, bound);
  });
  const coin = (role: 'coinIn' | 'coinOut') => bound.get(op.call.typeArgs.indexOf(role));
  const target = `${packageId}::${op.module}::${op.entry}`;
  return { op, target, parameters, objects, coinIn: coin('coinIn'), coinOut: coin('coinOut') };
}

/** The coins of a pool, which are the first type parameters of its type. */
export function coinsOf({ type }: KnownObject): string[] {
  return parseStructTag(type).typeParams.flatMap((param) =>
    typeof param === 'string' ? [] : normalizeStructTag(param),
  );
}
