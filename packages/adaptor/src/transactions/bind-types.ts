import { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeStructTag, parseStructTag } from '@mysten/sui/utils';
import type { Parameter } from '../chain/functions.ts';

const { OpenSignatureBody_Type: Kind } = GrpcTypes;

type TypeParam = ReturnType<typeof parseStructTag>['typeParams'][number];

/**
 * What a function's type parameters are when it gets an object of this type: a pool of two coins settles which coins
 * its functions take. A type that does not fit settles nothing.
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
