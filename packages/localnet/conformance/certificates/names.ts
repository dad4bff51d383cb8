import type { Place } from '../../src/vm/provenance/place.ts';
import { type Datatype, fieldTypesOf, type Type } from '../../src/vm/types.ts';

/** Types and places of executions in the words of claims. */

/** Ids of the chain's own packages are short. */
const SYSTEM_PREFIX = `0x${'0'.repeat(60)}`;

const isSystem = ({ originalId }: Datatype): boolean => originalId.startsWith(SYSTEM_PREFIX);

/** Writes a type with original ids. */
export function typeText(type: Type): string {
  switch (type.kind) {
    case 'vector':
      return `vector<${typeText(type.element)}>`;
    case 'reference':
      return `${type.mutable ? '&mut ' : '&'}${typeText(type.to)}`;
    case 'parameter':
      return `T${type.index}`;
    case 'datatype': {
      const args = type.args.length === 0 ? '' : `<${type.args.map(typeText).join(', ')}>`;
      return `${datatypeText(type.datatype)}${args}`;
    }
    default:
      return type.kind;
  }
}

const datatypeText = ({ originalId, module, name }: Datatype): string => `${originalId}::${module}::${name}`;

export function isSystemType(type: Type, module: string, name: string): boolean {
  return (
    type.kind === 'datatype' &&
    isSystem(type.datatype) &&
    type.datatype.module === module &&
    type.datatype.name === name
  );
}

export const isMoney = (type: Type): boolean =>
  isSystemType(type, 'balance', 'Balance') || isSystemType(type, 'coin', 'Coin');

/** Writes the type of money as that of a coin. */
export function assetText(type: Type): string {
  if (type.kind !== 'datatype' || !isMoney(type)) return typeText(type);
  return `${type.datatype.originalId}::coin::Coin<${type.args.map(typeText).join(', ')}>`;
}

/** Puts the type arguments in the place of `T0`, `T1` in a type or path of a claim. */
export function instantiate(text: string, typeArguments: readonly Type[]): string {
  return text.replace(/(?<![\w:])T(\d+)(?!\w)/g, (whole, index) => {
    const type = typeArguments[Number(index)];
    return type ? typeText(type) : whole;
  });
}

/** The paths of a place and of all that it is within, from the parameter on. */
export function listPaths(place: Place): string[] {
  const [root, ...steps] = chainTo(place);
  let path = typeText(root!.type);
  if (root!.type.kind === 'datatype') path = datatypeText(root!.type.datatype);
  let isSystemRoot = root!.type.kind === 'datatype' && isSystem(root!.type.datatype);
  const paths = [path];
  let isField = false;
  for (const { step, type } of steps) {
    if (step!.kind === 'field' && !isField) {
      const { datatype } = step!.of;
      if (!isSystem(datatype)) path = `${datatypeText(datatype)}.${step!.name}`;
      else if (isSystemRoot) path += `.${step!.name}`;
    }
    if (step!.kind === 'dynamic' && step!.key) path += `[${typeText(keyType(step!.key))}]`;
    if (step!.kind === 'item' && !path.endsWith('[]')) path += '[]';
    // The struct that holds a dynamic field's name and value is not part of paths.
    isField = step!.kind === 'dynamic' && isSystemType(type, 'dynamic_field', 'Field');
    if (type.kind === 'datatype' && !isSystem(type.datatype)) isSystemRoot = false;
    paths.push(path);
  }
  return paths;
}

/** Dynamic object fields wrap their keys. */
const keyType = (type: Type): Type =>
  type.kind === 'datatype' && isSystemType(type, 'dynamic_object_field', 'Wrapper') ? type.args[0]! : type;

export function chainTo(place: Place): Place[] {
  const chain: Place[] = [];
  for (let at: Place | undefined = place; at; at = at.parent) chain.unshift(at);
  return chain;
}

/** The places without parts in a place, by its type. */
export function listLeaves(place: Place): Place[] {
  const { type } = place;
  if (type.kind === 'vector') return listLeaves(place.item(type.element));
  if (type.kind !== 'datatype') return [place];
  const { body } = type.datatype;
  const variants = body.kind === 'struct' ? [{ name: '', fields: body.fields }] : body.variants;
  const leaves = variants.flatMap(({ name, fields }, tag) =>
    fields.flatMap((field, i) => {
      const step = name === '' ? field.name : `${name}.${field.name}`;
      return listLeaves(place.field(type, step, fieldTypesOf(type)[tag]![i]!));
    }),
  );
  return leaves.length === 0 ? [place] : leaves;
}
