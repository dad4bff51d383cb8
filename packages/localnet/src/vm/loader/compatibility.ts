import { verificationError } from '../errors.ts';
import { typeName } from '../type-names.ts';
import { type Datatype, sameTypes, type Type } from '../types.ts';
import type { LoadedFunction } from './module.ts';
import type { LoadedPackage } from './package.ts';

/**
 * Throws a `verification` error unless a new version keeps what others use of the old one: modules, public
 * functions with their signatures, and datatypes with their fields, abilities and parameters.
 */
export function checkCompatible(before: LoadedPackage, after: LoadedPackage): void {
  for (const name of before.content.modules.keys()) {
    const old = before.module(name)!;
    const next = after.module(name);
    if (next === undefined) throw incompatible(`module ${name} is missing`);
    for (const datatype of old.datatypes) checkDatatype(datatype, next.datatype(datatype.name));
    for (const fn of old.functions) {
      if (fn.visibility === 'Public') checkFunction(fn, next.function(fn.name));
    }
  }
}

function incompatible(detail: string) {
  return verificationError('BACKWARD_INCOMPATIBLE_MODULE_UPDATE', detail);
}

function checkDatatype(old: Datatype, next: Datatype | undefined): void {
  if (next === undefined) throw incompatible(`datatype ${old.name} is missing`);
  const same =
    old.abilities === next.abilities &&
    JSON.stringify(old.parameters) === JSON.stringify(next.parameters) &&
    shape(old) === shape(next);
  if (!same) throw incompatible(`datatype ${old.name} has changed`);
}

function shape({ body }: Datatype): string {
  const fields = (list: { name: string; type: Type }[]) =>
    list.map(({ name, type }) => `${name}:${typeName(type)}`);
  return JSON.stringify(
    body.kind === 'struct'
      ? fields(body.fields)
      : body.variants.map((variant) => [variant.name, ...fields(variant.fields)]),
  );
}

function checkFunction(old: LoadedFunction, next: LoadedFunction | undefined): void {
  const same =
    next?.visibility === 'Public' &&
    old.constraints.length === next.constraints.length &&
    // A new version may ask less of type arguments, never more.
    old.constraints.every((needed, i) => (next.constraints[i]! & needed) === next.constraints[i]) &&
    sameTypes(old.parameters, next.parameters) &&
    sameTypes(old.returns, next.returns);
  if (!same) throw incompatible(`public function ${old.module.name}::${old.name} is missing or has changed`);
}
