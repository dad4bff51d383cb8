import { BcsReader } from '@mysten/bcs';
import { type DatatypeType, fieldTypesOf, type Type } from '../../vm/types.ts';
import type { Json } from './common.ts';

/** Larger values are not rendered; the full node has the same bound. */
const maxBytes = 1024 * 1024;

const std = `0x${'1'.padStart(64, '0')}`;
const sui = `0x${'2'.padStart(64, '0')}`;

/** Datatypes that the full node renders as what they stand for rather than as their fields. */
const special: Record<string, ((type: DatatypeType, reader: BcsReader) => Json) | undefined> = {
  [`${std}::string::String`]: (_type, reader) => text(reader),
  [`${std}::ascii::String`]: (_type, reader) => text(reader),
  [`${std}::type_name::TypeName`]: (_type, reader) => text(reader),
  [`${sui}::url::Url`]: (_type, reader) => text(reader),
  [`${sui}::object::ID`]: (_type, reader) => address(reader),
  [`${sui}::object::UID`]: (_type, reader) => address(reader),
  [`${sui}::balance::Balance`]: (_type, reader) => reader.read64(),
  [`${std}::option::Option`]: ({ args: [element] }, reader) =>
    reader.readULEB() === 0 || !element ? null : render(element, reader),
};

/**
 * A Move value the way the full node's gRPC renders it: integers to u32 as numbers, larger ones as decimal
 * strings, addresses and ids as 0x-hex, `vector<u8>` as base64, options as the value or null, enums as an
 * object with `@variant`. Undefined for a value that is too large.
 *
 * @throws where the bytes are not those of the type.
 */
export function renderJson(type: Type, bytes: Uint8Array): Json | undefined {
  if (bytes.length > maxBytes) return undefined;
  // A copy: the reader takes byte strings from the buffer behind a view, past the view's own end.
  return render(type, new BcsReader(new Uint8Array(bytes)));
}

function render(type: Type, reader: BcsReader): Json {
  switch (type.kind) {
    case 'bool':
      return reader.read8() !== 0;
    case 'u8':
      return reader.read8();
    case 'u16':
      return reader.read16();
    case 'u32':
      return reader.read32();
    case 'u64':
      return reader.read64();
    case 'u128':
      return reader.read128();
    case 'u256':
      return reader.read256();
    case 'address':
    case 'signer':
      return address(reader);
    case 'vector':
      return renderVector(type.element, reader);
    case 'datatype':
      return renderDatatype(type, reader);
    default:
      throw new Error(`a ${type.kind} has no value`);
  }
}

function renderVector(element: Type, reader: BcsReader): Json {
  const length = reader.readULEB();
  if (element.kind === 'u8') return Buffer.from(reader.readBytes(length)).toString('base64');
  return Array.from({ length }, () => render(element, reader));
}

function renderDatatype(type: DatatypeType, reader: BcsReader): Json {
  const { definingId, module, name, body } = type.datatype;
  const rendered = special[`${definingId}::${module}::${name}`]?.(type, reader);
  if (rendered !== undefined) return rendered;
  const index = body.kind === 'enum' ? reader.readULEB() : 0;
  const fields = body.kind === 'enum' ? body.variants[index]?.fields : body.fields;
  const types = fieldTypesOf(type)[index];
  if (!fields || !types) throw new Error(`${name} has no variant ${index}`);
  const object: { [name: string]: Json } = {};
  if (body.kind === 'enum') object['@variant'] = body.variants[index]!.name;
  for (const [position, field] of fields.entries()) object[field.name] = render(types[position]!, reader);
  return object;
}

const text = (reader: BcsReader) => Buffer.from(reader.readBytes(reader.readULEB())).toString('utf8');

const address = (reader: BcsReader) => `0x${Buffer.from(reader.readBytes(32)).toString('hex')}`;
