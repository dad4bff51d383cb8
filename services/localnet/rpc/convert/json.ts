import { BcsReader } from '../../vm/bcs-reader.ts';
import { STD, SUI } from '../../vm/framework.ts';
import { type DatatypeType, fieldTypesOf, type Type } from '../../vm/types.ts';
import type { Json } from './common.ts';

/** Larger values are not rendered; the full node has the same bound. */
const maxBytes = 1024 * 1024;

/** Datatypes that the full node renders as what they stand for rather than as their fields. */
const special: Record<string, ((type: DatatypeType, reader: BcsReader) => Json) | undefined> = {
  [`${STD}::string::String`]: (_type, reader) => reader.text(),
  [`${STD}::ascii::String`]: (_type, reader) => reader.text(),
  [`${STD}::type_name::TypeName`]: (_type, reader) => reader.text(),
  [`${SUI}::url::Url`]: (_type, reader) => reader.text(),
  [`${SUI}::object::ID`]: (_type, reader) => reader.address(),
  [`${SUI}::object::UID`]: (_type, reader) => reader.address(),
  [`${SUI}::balance::Balance`]: (_type, reader) => String(reader.big(8)),
  [`${STD}::option::Option`]: ({ args: [element] }, reader) =>
    reader.length() === 0 || !element ? null : render(element, reader),
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
  return render(type, new BcsReader(bytes));
}

function render(type: Type, reader: BcsReader): Json {
  switch (type.kind) {
    case 'bool':
      return reader.small(1) !== 0;
    case 'u8':
      return reader.small(1);
    case 'u16':
      return reader.small(2);
    case 'u32':
      return reader.small(4);
    case 'u64':
      return String(reader.big(8));
    case 'u128':
      return String(reader.big(16));
    case 'u256':
      return String(reader.big(32));
    case 'address':
    case 'signer':
      return reader.address();
    case 'vector':
      return renderVector(type.element, reader);
    case 'datatype':
      return renderDatatype(type, reader);
    default:
      throw new Error(`a ${type.kind} has no value`);
  }
}

function renderVector(element: Type, reader: BcsReader): Json {
  const length = reader.length();
  if (element.kind === 'u8') return Buffer.from(reader.bytes(length)).toString('base64');
  return Array.from({ length }, () => render(element, reader));
}

function renderDatatype(type: DatatypeType, reader: BcsReader): Json {
  const { definingId, module, name, body } = type.datatype;
  const rendered = special[`${definingId}::${module}::${name}`]?.(type, reader);
  if (rendered !== undefined) return rendered;
  const index = body.kind === 'enum' ? reader.length() : 0;
  const fields = body.kind === 'enum' ? body.variants[index]?.fields : body.fields;
  const types = fieldTypesOf(type)[index];
  if (!fields || !types) throw new Error(`${name} has no variant ${index}`);
  const object: { [name: string]: Json } = {};
  if (body.kind === 'enum') object['@variant'] = body.variants[index]!.name;
  for (const [position, field] of fields.entries()) object[field.name] = render(types[position]!, reader);
  return object;
}
