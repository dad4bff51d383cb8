import type { Datatype, Type } from './types.ts';

/** How a type string names a datatype: by the package that defined it, or by the first version of it. */
export type Naming = 'defining' | 'original';

function format(type: Type, addressOf: (datatype: Datatype) => string): string {
  switch (type.kind) {
    case 'vector':
      return `vector<${format(type.element, addressOf)}>`;
    case 'reference':
      return `${type.mutable ? '&mut ' : '&'}${format(type.to, addressOf)}`;
    case 'parameter':
      return `T${type.index}`;
    case 'datatype': {
      const { module, name } = type.datatype;
      const args = type.args.length ? `<${type.args.map((arg) => format(arg, addressOf)).join(',')}>` : '';
      return `${addressOf(type.datatype)}::${module}::${name}${args}`;
    }
    default:
      return type.kind;
  }
}

const names = new WeakMap<Type, string>();

/** Canonical form with defining ids, `0x` + 64 digits, no spaces. */
export function typeName(type: Type): string {
  let name = names.get(type);
  if (name === undefined) {
    name = format(type, (datatype) => datatype.definingId);
    names.set(type, name);
  }
  return name;
}

/** What `std::type_name` puts into its string: 64 digits without `0x`. */
export function moveTypeName(type: Type, naming: Naming): string {
  return format(type, (datatype) =>
    (naming === 'defining' ? datatype.definingId : datatype.originalId).slice(2),
  );
}
