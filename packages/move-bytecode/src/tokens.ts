import { refuse } from './error.ts';
import type { TokenJson } from './module.ts';
import type { ByteReader } from './reader.ts';

/** Maximum nesting of a type. */
const depthMax = 256;
/** Maximum number of type parameters, and of types in a signature. */
export const typesMax = 255;

const primitives: Readonly<Record<number, string>> = {
  1: 'Bool',
  2: 'U8',
  3: 'U64',
  4: 'U128',
  5: 'Address',
  12: 'Signer',
  13: 'U16',
  14: 'U32',
  15: 'U256',
};

/** Reads a type. @throws BytecodeError */
export function readToken(reader: ByteReader, depth = 1): TokenJson {
  if (depth > depthMax) throw refuse('MALFORMED', 'a type is nested too deeply');
  const code = reader.byte();
  const primitive = primitives[code];
  if (primitive !== undefined) return primitive;
  switch (code) {
    case 6:
      return { Reference: readToken(reader, depth + 1) };
    case 7:
      return { MutableReference: readToken(reader, depth + 1) };
    case 8:
      return { Datatype: reader.index() };
    case 9:
      return { TypeParameter: reader.index() };
    case 10:
      return { Vector: readToken(reader, depth + 1) };
    case 11: {
      const handle = reader.index();
      const args = reader.list(typesMax, () => readToken(reader, depth + 1));
      if (args.length === 0) throw refuse('MALFORMED', 'an instance of a datatype has no type argument');
      return { DatatypeInstantiation: [handle, args] };
    }
    default:
      throw refuse('UNKNOWN_SERIALIZED_TYPE', `type ${code}`);
  }
}
