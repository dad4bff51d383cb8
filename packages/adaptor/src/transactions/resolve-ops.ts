import { normalizeStructTag, parseStructTag } from '@mysten/sui/utils';
import type { FunctionReader, Parameter } from '../chain/functions.ts';
import { normalizeAddress } from '../chain/names.ts';
import type { InputObject, ObjectReader } from '../chain/objects.ts';
import type { PackageVersions } from '../chain/package-versions.ts';
import { unwrapAnswer } from '../chain/unwrap-answer.ts';
import { type FunctionLookup, opMisfit } from '../manifest/call-fit.ts';
import type { StepSpec } from '../manifest/call-spec.ts';
import { type ExecutableOp, listFixedObjects, listOpSteps } from '../manifest/op.ts';
import type { ReadOriginalId } from './bind-types.ts';
import { inferCoins, type SettledCoins } from './infer-coins.ts';

/** Readers for the facts that the resolution of ops needs. */
export interface OpChain {
  functions: FunctionReader;
  objects: ObjectReader;
  versions: Pick<PackageVersions, 'readOriginalId'>;
}

/** One call of an op, with its function's parameters. */
export interface ResolvedCall {
  spec: StepSpec;
  /** `0x…::module::function`. */
  target: string;
  /** One for each argument of the call. */
  parameters: Parameter[];
}

/** An executable op, with the chain's facts about its functions and its fixed objects. */
export interface ResolvedOp extends SettledCoins {
  op: ExecutableOp;
  /** `0x…::module::function` of the op's own module and entry. */
  target: string;
  /** Its calls, in their order. */
  calls: ResolvedCall[];
  /** The fixed objects in the order of the calls and their arguments. */
  objects: InputObject[];
}

/** Bounds for all ops of one resolution together: a stranger's manifest may name thousands. */
const objectsMax = 1_000;
const functionsMax = 32;
const packagesMax = 32;

/** An op that no transaction can call in the way that its manifest says. `why` is a sentence. */
export interface UnfitOp {
  op: ExecutableOp;
  why: string;
}

/**
 * Resolves ops of one package, in their order. Leaves out ops that no transaction could call: their function does not
 * exist or takes other arguments, or their object does not exist or is neither shared nor immutable.
 * @throws NodeUnavailableError if the node could not answer
 */
export async function resolveOps(
  chain: OpChain,
  packageId: string,
  ops: readonly ExecutableOp[],
): Promise<ResolvedOp[]> {
  return (await resolveEach(chain, packageId, ops)).filter((one) => 'target' in one);
}

/**
 * Resolves ops like `resolveOps`, and returns the reason for each op that cannot be called.
 * @throws NodeUnavailableError if the node could not answer
 */
export async function resolveEach(
  { functions, objects, versions }: OpChain,
  packageId: string,
  ops: readonly ExecutableOp[],
): Promise<(ResolvedOp | UnfitOp)[]> {
  const buildTarget = ({ packageId: called = packageId, module, entry }: StepSpec) =>
    `${normalizeAddress(called) ?? called}::${module}::${entry}`;
  const targets = [...new Set(ops.flatMap((op) => listOpSteps(op).map(buildTarget)))].slice(0, functionsMax);
  const withinBounds = new Set(selectWithinBounds(ops));
  const [signatures, known] = await Promise.all([
    Promise.all(
      targets.map((target) => functions.signature(...(target.split('::') as [string, string, string]))),
    ),
    objects.read([...withinBounds].flatMap(listFixedObjects)),
  ]);
  const signatureByTarget = new Map(
    targets.map((target, index) => [target, unwrapAnswer(signatures[index]!)]),
  );
  const readOriginalId = createOriginalIdReader(versions);
  const resolve = async (op: ExecutableOp): Promise<ResolvedOp | UnfitOp> => {
    const steps = listOpSteps(op);
    if (!withinBounds.has(op) || !steps.every((step) => signatureByTarget.has(buildTarget(step)))) {
      const why = `It was not looked up: only ${functionsMax} functions and ${objectsMax} objects are.`;
      return { op, why };
    }
    const called = steps.map((step): FunctionLookup => signatureByTarget.get(buildTarget(step)) ?? 'absent');
    const misfit = await findMisfit(op, called, readOriginalId);
    if (misfit !== undefined) return { op, why: misfit };
    // A manifest cannot pass on an object that an address owns.
    const isUsable = (id: string) => (known.get(id)?.kind ?? 'owned') !== 'owned';
    const ids = listFixedObjects(op);
    const lacking = ids.find((id) => !isUsable(id));
    if (lacking !== undefined) return { op, why: `${lacking} is not a shared or immutable object.` };
    const calls = steps.map((spec) => {
      const target = buildTarget(spec);
      return { spec, target, parameters: signatureByTarget.get(target)!.parameters };
    });
    const fixed = ids.map((id) => known.get(id)!);
    const findType = (id: string) => known.get(normalizeAddress(id) ?? id)?.type;
    const coins = await inferCoins(calls, findType, readOriginalId);
    if ('why' in coins) return { op, why: coins.why };
    return { op, target: `${packageId}::${op.module}::${op.entry}`, calls, objects: fixed, ...coins };
  };
  return await Promise.all(ops.map(resolve));
}

/** Returns a reader of the original ids of the first packages that it is asked for. */
function createOriginalIdReader(versions: OpChain['versions']): ReadOriginalId {
  const read = new Set<string>();
  return async (packageId) => {
    if (!read.has(packageId) && read.size >= packagesMax) return undefined;
    read.add(packageId);
    return unwrapAnswer(await versions.readOriginalId(packageId));
  };
}

/** Finds the misfit of an op. Reads the original ids only of packages whose types differ in nothing else. */
async function findMisfit(
  op: ExecutableOp,
  called: readonly FunctionLookup[],
  readOriginalId: ReadOriginalId,
): Promise<string | undefined> {
  const originals = new Map<string, string | undefined>();
  for (;;) {
    const needed = new Set<string>();
    const misfit = opMisfit(op, called, {
      findOriginalId(packageId) {
        if (!originals.has(packageId)) needed.add(packageId);
        return originals.get(packageId);
      },
    });
    if (misfit !== undefined || needed.size === 0) return misfit;
    for (const packageId of needed) originals.set(packageId, await readOriginalId(packageId));
  }
}

/** Returns the first ops that together name no more objects than the bound. */
function selectWithinBounds(ops: readonly ExecutableOp[]): ExecutableOp[] {
  let left = objectsMax;
  return ops.filter((op) => {
    left -= listFixedObjects(op).length;
    return left >= 0;
  });
}

/** Returns the coins of a pool, from the first type parameters of its type. */
export function parsePoolCoins({ type }: InputObject): string[] {
  return parseStructTag(type).typeParams.flatMap((param) =>
    typeof param === 'string' ? [] : normalizeStructTag(param),
  );
}
