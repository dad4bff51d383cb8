import { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeStructTag, parseStructTag } from '@mysten/sui/utils';
import type { Parameter } from '../chain/functions.ts';

const { OpenSignatureBody_Type: Kind } = GrpcTypes;

type TypeParam = ReturnType<typeof parseStructTag>['typeParams'][number];

/** Reads the original id of the package that `packageId` is a version of; undefined if it is not known. */
export type ReadOriginalId = (packageId: string) => Promise<string | undefined>;

/**
 * Infers a function's type parameters from an argument's type, into `bound`: a pool of two coins determines the coins
 * of its functions. A type that does not fit determines nothing.
 * @param readOriginalId is called where the two name a type by different packages
 */
export async function bindTypes(
  parameter: Parameter,
  objectType: string,
  bound: Map<number, string>,
  readOriginalId: ReadOriginalId,
): Promise<void> {
  await unify(parameter.type, parseStructTag(objectType), bound, readOriginalId);
}

async function unify(
  open: GrpcTypes.OpenSignatureBody,
  closed: TypeParam,
  bound: Map<number, string>,
  readOriginalId: ReadOriginalId,
): Promise<void> {
  if (open.type === Kind.TYPE_PARAMETER && open.typeParameter !== undefined) {
    bound.set(open.typeParameter, typeof closed === 'string' ? closed : normalizeStructTag(closed));
    return;
  }
  if (open.type !== Kind.DATATYPE || typeof closed === 'string') return;
  if (!(await isSameType(open.typeName ?? '', closed, readOriginalId))) return;
  for (const [index, inner] of open.typeParameterInstantiation.entries()) {
    const argument = closed.typeParams[index];
    if (argument !== undefined) await unify(inner, argument, bound, readOriginalId);
  }
}

/**
 * A signature names a type by its package's original id, and an object by the version that first defined the type. The
 * two ids differ for a type that came with an upgrade.
 */
async function isSameType(
  signatureName: string,
  { address, module, name }: Exclude<TypeParam, string>,
  readOriginalId: ReadOriginalId,
): Promise<boolean> {
  const named = parseStructTag(signatureName);
  if (named.module !== module || named.name !== name) return false;
  return named.address === address || named.address === (await readOriginalId(address));
}
