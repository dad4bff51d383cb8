import { BcsReader } from '../../vm/bcs-reader.ts';
import { STD, SUI } from '../../vm/framework.ts';
import { type DatatypeType, fieldTypesOf, type Type } from '../../vm/types.ts';
import type { Json } from './common.ts';

/** What a number, a bool, null or a pair of brackets counts for, in bytes. */
const leafBytes = 8;

/** Counts what a rendering takes, and stops it where there is no room left. */
class Meter {
  left: number;

  constructor(maxBytes: number) {
    this.left = maxBytes;
  }

  take(bytes: number): void {
    this.left -= bytes;
    if (this.left < 0) throw new Error('the rendering is too large');
  }

  text(text: string): string {
    this.take(text.length);
    return text;
  }
}

type Render = (type: DatatypeType, reader: BcsReader, meter: Meter) => Json;
const text: Render = (_type, reader, meter) => meter.text(reader.text());
const address: Render = (_type, reader, meter) => meter.text(reader.address());

/** Datatypes that the full node renders as what they stand for rather than as their fields. */
const special: Record<string, Render | undefined> = {
  [`${STD}::string::String`]: text,
  [`${STD}::ascii::String`]: text,
  [`${STD}::type_name::TypeName`]: text,
  [`${SUI}::url::Url`]: text,
  [`${SUI}::object::ID`]: address,
  [`${SUI}::object::UID`]: address,
  [`${SUI}::balance::Balance`]: (_type, reader, meter) => meter.text(String(reader.big(8))),
  [`${STD}::option::Option`]: ({ args: [element] }, reader, meter) =>
    reader.length() === 0 || !element ? null : render(element, reader, meter),
};

/**
 * A Move value the way the full node's gRPC renders it: integers to u32 as numbers, larger ones as decimal
 * strings, addresses and ids as 0x-hex, `vector<u8>` as base64, options as the value or null, enums as an
 * object with `@variant`. `bytes` in the answer is what the rendering counts for, about its length as text.
 *
 * @throws where the bytes are not those of the type, or the rendering would be larger than `maxBytes`.
 */
export function renderJson(
  type: Type,
  contents: Uint8Array,
  maxBytes: number,
): { json: Json; bytes: number } {
  const meter = new Meter(maxBytes);
  const json = render(type, new BcsReader(contents), meter);
  return { json, bytes: maxBytes - meter.left };
}

function render(type: Type, reader: BcsReader, meter: Meter): Json {
  meter.take(leafBytes);
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
      return meter.text(String(reader.big(8)));
    case 'u128':
      return meter.text(String(reader.big(16)));
    case 'u256':
      return meter.text(String(reader.big(32)));
    case 'address':
    case 'signer':
      return meter.text(reader.address());
    case 'vector':
      return renderVector(type.element, reader, meter);
    case 'datatype':
      return renderDatatype(type, reader, meter);
    default:
      throw new Error(`a ${type.kind} has no value`);
  }
}

function renderVector(element: Type, reader: BcsReader, meter: Meter): Json {
  const length = reader.length();
  if (element.kind === 'u8') return meter.text(Buffer.from(reader.bytes(length)).toString('base64'));
  return Array.from({ length }, () => render(element, reader, meter));
}

function renderDatatype(type: DatatypeType, reader: BcsReader, meter: Meter): Json {
  const { definingId, module, name, body } = type.datatype;
  const rendered = special[`${definingId}::${module}::${name}`]?.(type, reader, meter);
  if (rendered !== undefined) return rendered;
  const index = body.kind === 'enum' ? reader.length() : 0;
  const fields = body.kind === 'enum' ? body.variants[index]?.fields : body.fields;
  const types = fieldTypesOf(type)[index];
  if (!fields || !types) throw new Error(`${name} has no variant ${index}`);
  const object: { [name: string]: Json } = {};
  if (body.kind === 'enum') object['@variant'] = body.variants[index]!.name;
  for (const [position, field] of fields.entries()) {
    object[meter.text(field.name)] = render(types[position]!, reader, meter);
  }
  return object;
}
