import { isSystemType, type MoveType, referent } from './code/move-type.ts';

const plain = new Set(['bool', 'u8', 'u16', 'u32', 'u64', 'u128', 'u256', 'address']);
const texts = ['0x1::string::String', '0x1::ascii::String', '0x2::object::ID'];

/** Returns `true` if a transaction can provide a value of the type as bytes (BCS). */
export function isPure(type: MoveType): boolean {
  const held = referent(type);
  if (held.kind === 'primitive') return plain.has(held.name);
  if (held.kind === 'vector') return isPure(held.item);
  if (held.kind !== 'datatype') return false;
  if (isSystemType(held, '0x1::option::Option')) return held.args[0] !== undefined && isPure(held.args[0]);
  return texts.some((path) => isSystemType(held, path));
}
