import { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeStructTag, parseStructTag } from '@mysten/sui/utils';
import type { Parameter } from '../chain/functions.ts';

const { OpenSignatureBody_Type: Kind } = GrpcTypes;

type TypeParam = ReturnType<typeof parseStructTag>['typeParams'][number];

/**
 * Infers a function's type parameters from an argument's type, into `bound`: a pool of two coins determines the coins
 * of its functions. A type that does not fit determines nothing.
 */
export function bindTypes(parameter: Parameter, objectType: string, bound: Map<number, string>): void {
  unify(parameter.type, parseStructTag(objectType), bound);
}

function unify(open: GrpcTypes.OpenSignatureBody, closed: TypeParam, bound: Map<number, string>): void {
  if (open.type === Kind.TYPE_PARAMETER && open.typeParameter !== undefined) {
    bound.set(open.typeParameter, typeof closed === 'string' ? closed : normalizeStructTag(closed));
    return;
  }
  if (open.type !== Kind.DATATYPE || typeof closed === 'string') return;
  const { address, module, name, typeParams } = closed;
  if (normalizeStructTag(open.typeName ?? '') !== normalizeStructTag(`${address}::${module}::${name}`))
    return;
  open.typeParameterInstantiation.forEach((inner, place) => {
    const given = typeParams[place];
    if (given !== undefined) unify(inner, given, bound);
  });
}
