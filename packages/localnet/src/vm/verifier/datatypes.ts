import { verificationError } from '../errors.ts';
import type { LoadedModule } from '../loader/module.ts';
import type { VerifierMeter } from '../meter.ts';
import {
  abilitiesOf,
  COPY,
  type Datatype,
  DROP,
  datatypeOf,
  type Field,
  KEY,
  STORE,
  type Type,
} from '../types.ts';

/**
 * Structs and enums:
 *
 * - FIELD_MISSING_TYPE_ABILITY: fields have the abilities of what they are in; those of a `key` struct have `store`;
 * - RECURSIVE_DATATYPE_DEFINITION: no datatype contains itself.
 */
export function checkDatatypes(module: LoadedModule, meter: VerifierMeter): void {
  const finite = new Set<Datatype>();
  for (const datatype of module.datatypes) {
    const parameters = ableParameters(datatype);
    for (const field of fieldsOf(datatype)) {
      meter.charge(1);
      checkField(datatype, field, parameters);
    }
    checkNotRecursive(datatype, [], finite);
  }
}

function fieldsOf({ body }: Datatype): Field[] {
  return body.kind === 'struct' ? body.fields : body.variants.flatMap((variant) => variant.fields);
}

/** The type parameters with all abilities that the datatype has only when its arguments have them. */
function ableParameters(datatype: Datatype): Type[] {
  return datatype.parameters.map(({ constraints }, index) => ({
    kind: 'parameter',
    index,
    constraints: constraints | datatype.abilities | ((datatype.abilities & KEY) !== 0 ? STORE : 0),
    open: true,
  }));
}

function checkField(datatype: Datatype, field: Field, parameters: Type[]): void {
  const type = withParameters(field.type, parameters);
  let needed = datatype.abilities & (COPY | DROP | STORE);
  if ((datatype.abilities & KEY) !== 0) needed |= STORE;
  if ((abilitiesOf(type) & needed) !== needed) {
    const detail = `field ${datatype.name}.${field.name} lacks an ability of its datatype`;
    throw verificationError('FIELD_MISSING_TYPE_ABILITY', detail);
  }
}

function withParameters(type: Type, parameters: Type[]): Type {
  if (type.kind === 'parameter') return parameters[type.index]!;
  if (type.kind === 'vector') return { ...type, element: withParameters(type.element, parameters) };
  if (type.kind !== 'datatype') return type;
  return datatypeOf(
    type.datatype,
    type.args.map((arg) => withParameters(arg, parameters)),
  );
}

/** `finite` remembers what was looked at already. */
function checkNotRecursive(datatype: Datatype, path: Datatype[], finite: Set<Datatype>): void {
  if (path.includes(datatype)) {
    throw verificationError('RECURSIVE_DATATYPE_DEFINITION', `${datatype.name} contains itself`);
  }
  if (finite.has(datatype)) return;
  for (const field of fieldsOf(datatype)) visit(field.type, [...path, datatype], finite);
  finite.add(datatype);
}

function visit(type: Type, path: Datatype[], finite: Set<Datatype>): void {
  if (type.kind === 'vector') visit(type.element, path, finite);
  if (type.kind !== 'datatype') return;
  for (const arg of type.args) visit(arg, path, finite);
  // Modules do not depend on each other in circles, so only the module's own datatypes can close one.
  const { definingId, module } = path[0]!;
  if (type.datatype.definingId === definingId && type.datatype.module === module) {
    checkNotRecursive(type.datatype, path, finite);
  }
}
