import { checkBounds } from './bounds.ts';
import { readCode, variantsMax } from './code.ts';
import { refuse } from './error.ts';
import type { FieldJson, FunctionDefJson, ModuleJson } from './module.ts';
import { ByteReader, indexMax } from './reader.ts';
import { readToken, typesMax } from './tokens.ts';

/**
 * Parses a compiled module. It checks the binary format and the bounds of every index, as the Move VM's deserializer
 * does, and nothing else: bytes behind the module are ignored, and no code is verified.
 * @throws BytecodeError with the VM's status
 */
export function parseModule(bytes: Uint8Array): ModuleJson {
  const reader = new ByteReader(bytes);
  const version = readVersion(reader);
  const tables = readDirectory(reader, bytes.length);
  const start = reader.position;
  const end = start + tables.reduce((sum, { length }) => sum + length, 0);
  if (end > bytes.length) throw refuse('MALFORMED', 'the tables end behind the module');
  const module = emptyModule(version);
  for (const { kind, offset, length } of tables) {
    const { since = 0, read } = tableReaders[kind]!;
    if (version < since) throw refuse('MALFORMED', `table ${kind} in version ${version}`);
    const table = new ByteReader(bytes, start + offset, start + offset + length);
    while (!table.isAtEnd) read(module, table);
  }
  module.self_module_handle_idx = new ByteReader(bytes, end).index();
  checkBounds(module);
  return module;
}

/** Size of an address, in bytes. */
const addressLength = 32;
const addressTable = 8;

/**
 * Returns the bytes of a module with other addresses in the table of addresses. Constants stay as they are.
 * @param module the module in the bytes
 * @param replace returns 64 hex digits for an address of the table, which has the same form
 */
export function replaceAddresses(
  bytes: Uint8Array,
  module: ModuleJson,
  replace: (address: string, index: number) => string,
): Uint8Array {
  const reader = new ByteReader(bytes);
  readVersion(reader);
  const table = readDirectory(reader, bytes.length).find(({ kind }) => kind === addressTable);
  const replaced = Uint8Array.from(bytes);
  for (const [index, address] of module.address_identifiers.entries()) {
    // A module with an address has the table.
    const start = reader.position + table!.offset + index * addressLength;
    const digits = replace(address, index);
    for (let at = 0; at < addressLength; at++) {
      replaced[start + at] = Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16);
    }
  }
  return replaced;
}

const magic = [0xa1, 0x1c, 0xeb, 0x0b];
/** Oldest version that Sui's chains take. */
const versionMin = 6;
const versionMax = 7;
/** Version from which on the highest byte has the flavor of the chain, and modules have enums. */
const enumsSince = 7;
const suiFlavor = 5;

function readVersion(reader: ByteReader): number {
  if (!magic.every((byte) => !reader.isAtEnd && reader.byte() === byte)) {
    throw refuse('BAD_MAGIC', 'the first four bytes are others');
  }
  const word = Number(reader.little(4));
  const [flavor, version] = [word >>> 24, word & 0xffffff];
  const isForeign = version >= enumsSince && flavor !== suiFlavor;
  if (version < versionMin || version > versionMax || isForeign) {
    throw refuse('UNKNOWN_VERSION', `version ${version}, flavor ${flavor}`);
  }
  return version;
}

interface Table {
  kind: number;
  /** From the end of the directory. */
  offset: number;
  length: number;
}

const tablesMax = 255;
const offsetMax = 0xffffffff;

/** Reads the directory of the tables. They must follow each other without a gap. */
function readDirectory(reader: ByteReader, size: number): Table[] {
  const tables = reader.list(tablesMax, () => {
    const kind = reader.byte();
    if (!(kind in tableReaders)) throw refuse('UNKNOWN_TABLE_TYPE', `table ${kind}`);
    return { kind, offset: reader.uleb(offsetMax), length: reader.uleb(offsetMax) };
  });
  const ordered = [...tables].sort((a, b) => a.offset - b.offset);
  const seen = new Set<number>();
  let end = 0;
  for (const { kind, offset, length } of ordered) {
    if (offset !== end || length === 0)
      throw refuse('BAD_HEADER_TABLE', `table ${kind} is empty or misplaced`);
    if (seen.has(kind)) throw refuse('DUPLICATE_TABLE', `two tables ${kind}`);
    seen.add(kind);
    end += length;
    if (end > size) throw refuse('BAD_HEADER_TABLE', `table ${kind} ends behind the module`);
  }
  return tables;
}

const emptyModule = (version: number): ModuleJson => ({
  version,
  self_module_handle_idx: 0,
  module_handles: [],
  datatype_handles: [],
  function_handles: [],
  field_handles: [],
  friend_decls: [],
  struct_def_instantiations: [],
  function_instantiations: [],
  field_instantiations: [],
  signatures: [],
  identifiers: [],
  address_identifiers: [],
  constant_pool: [],
  metadata: [],
  struct_defs: [],
  function_defs: [],
  enum_defs: [],
  enum_def_instantiations: [],
  variant_handles: [],
  variant_instantiation_handles: [],
});

interface TableReader {
  /** First version of the format with this table. */
  since?: number;
  /** Reads one entry. */
  read(module: ModuleJson, table: ByteReader): void;
}

const abilitiesMax = 15;
const fieldsMax = 255;

/** Readers by the kind of the table. */
const tableReaders: Readonly<Record<number, TableReader>> = {
  1: { read: (module, table) => module.module_handles.push({ address: table.index(), name: table.index() }) },
  2: {
    read: (module, table) =>
      module.datatype_handles.push({
        module: table.index(),
        name: table.index(),
        abilities: readAbilities(table),
        type_parameters: table.list(typesMax, () => ({
          constraints: readAbilities(table),
          is_phantom: table.uleb(1) === 1,
        })),
      }),
  },
  3: {
    read: (module, table) =>
      module.function_handles.push({
        module: table.index(),
        name: table.index(),
        parameters: table.index(),
        return_: table.index(),
        type_parameters: table.list(typesMax, () => readAbilities(table)),
      }),
  },
  4: {
    read: (module, table) =>
      module.function_instantiations.push({ handle: table.index(), type_parameters: table.index() }),
  },
  5: { read: (module, table) => module.signatures.push(table.list(typesMax, () => readToken(table))) },
  6: {
    read: (module, table) =>
      module.constant_pool.push({ type_: readToken(table), data: [...table.bytes(table.uleb(indexMax))] }),
  },
  7: { read: (module, table) => module.identifiers.push(readIdentifier(table)) },
  8: {
    read: (module, table) =>
      module.address_identifiers.push(
        Array.from(table.bytes(addressLength), (byte) => byte.toString(16).padStart(2, '0')).join(''),
      ),
  },
  10: {
    read: (module, table) =>
      module.struct_defs.push({
        struct_handle: table.index(),
        field_information: readFieldInformation(table),
      }),
  },
  11: {
    read: (module, table) =>
      module.struct_def_instantiations.push({ def: table.index(), type_parameters: table.index() }),
  },
  12: { read: (module, table) => module.function_defs.push(readFunction(table, module.version)) },
  13: { read: (module, table) => module.field_handles.push({ owner: table.index(), field: table.index() }) },
  14: {
    read: (module, table) =>
      module.field_instantiations.push({ handle: table.index(), type_parameters: table.index() }),
  },
  15: { read: (module, table) => module.friend_decls.push({ address: table.index(), name: table.index() }) },
  16: {
    read: (module, table) =>
      module.metadata.push({
        key: [...table.bytes(table.uleb(1_023))],
        value: [...table.bytes(table.uleb(indexMax))],
      }),
  },
  17: {
    since: enumsSince,
    read: (module, table) =>
      module.enum_defs.push({ enum_handle: table.index(), variants: readVariants(table) }),
  },
  18: {
    since: enumsSince,
    read: (module, table) =>
      module.enum_def_instantiations.push({ def: table.index(), type_parameters: table.index() }),
  },
  19: {
    since: enumsSince,
    read: (module, table) =>
      module.variant_handles.push({ enum_def: table.index(), variant: table.uleb(variantsMax) }),
  },
  20: {
    since: enumsSince,
    read: (module, table) =>
      module.variant_instantiation_handles.push({
        enum_def: table.index(),
        variant: table.uleb(variantsMax),
      }),
  },
};

const readAbilities = (table: ByteReader): number => table.uleb(abilitiesMax);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** The syntax of `Identifier` in move-core-types. */
const identifierSyntax = /^(?:[a-zA-Z][a-zA-Z0-9_]*|_[a-zA-Z0-9_]+|<SELF>(?:_\d+)?)$/;

function readIdentifier(table: ByteReader): string {
  const bytes = table.bytes(table.uleb(indexMax));
  let text: string | undefined;
  try {
    text = utf8.decode(bytes);
  } catch {
    // Refused below, as every other identifier that is none.
  }
  if (text === undefined || !identifierSyntax.test(text)) throw refuse('MALFORMED', 'invalid identifier');
  return text;
}

/** Kind of the fields of a struct, or the variants of an enum, that follow. */
const declared = 2;

function readFieldInformation(table: ByteReader): ModuleJson['struct_defs'][number]['field_information'] {
  const kind = table.byte();
  if (kind === 1) return 'Native';
  if (kind !== declared) throw refuse('UNKNOWN_NATIVE_STRUCT_FLAG', `fields ${kind}`);
  return { Declared: readFields(table) };
}

function readVariants(table: ByteReader): ModuleJson['enum_defs'][number]['variants'] {
  const kind = table.byte();
  if (kind !== declared) throw refuse('UNKNOWN_ENUM_FLAG', `variants ${kind}`);
  return table.list(variantsMax, () => ({ variant_name: table.index(), fields: readFields(table) }));
}

const readFields = (table: ByteReader): FieldJson[] =>
  table.list(fieldsMax, () => ({ name: table.index(), signature: readToken(table) }));

const visibilities: Readonly<Record<number, FunctionDefJson['visibility']>> = {
  0: 'Private',
  1: 'Public',
  3: 'Friend',
};
const nativeFlag = 2;
const entryFlag = 4;
function readFunction(table: ByteReader, version: number): FunctionDefJson {
  const handle = table.index();
  const visibilityByte = table.byte();
  const visibility = visibilities[visibilityByte];
  if (visibility === undefined) throw refuse('MALFORMED', 'invalid visibility byte');
  const flags = table.byte();
  const acquired = table.list(typesMax, () => table.index());
  const isNative = (flags & nativeFlag) !== 0;
  const code = isNative ? undefined : readCode(table, version);
  if ((flags & ~(nativeFlag | entryFlag)) !== 0) throw refuse('INVALID_FLAG_BITS', `flags ${flags}`);
  return {
    function: handle,
    visibility,
    is_entry: (flags & entryFlag) !== 0,
    acquires_global_resources: acquired,
    code,
  };
}
