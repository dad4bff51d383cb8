import type { ModuleJson } from '@adaptor-marketplace/move-bytecode';
import { verificationError } from '../errors.ts';

/** The chain's bounds on the tables of a module (protocol configuration, version 138). */
const MAX_ENTRIES = {
  module_handles: 100,
  datatype_handles: 300,
  function_handles: 1_500,
  function_instantiations: 750,
  signatures: 1_000,
  constant_pool: 4_000,
  identifiers: 10_000,
  address_identifiers: 100,
  struct_defs: 200,
  struct_def_instantiations: 100,
  function_defs: 1_000,
  field_handles: 500,
  field_instantiations: 250,
  friend_decls: 100,
  enum_defs: 200,
  enum_def_instantiations: 100,
  variant_handles: 1_024,
  variant_instantiation_handles: 1_024,
} as const;

/**
 * Checks what the chain asks of the bytes and the parser does not. MALFORMED: no table is longer than the chain's.
 * TRAILING_BYTES: nothing follows the module.
 */
export function checkBinary(bytes: Uint8Array, json: ModuleJson): void {
  for (const [table, limit] of Object.entries(MAX_ENTRIES)) {
    const { length } = json[table as keyof typeof MAX_ENTRIES];
    if (length > limit) throw verificationError('MALFORMED', `${length} ${table}, at most ${limit}`);
  }
  if (endOf(bytes) !== bytes.length) throw verificationError('TRAILING_BYTES', 'bytes follow the module');
}

/**
 * Where a module ends: magic and version (four bytes each), the number of tables, for each table its kind, offset
 * and length; then the tables, and the index of the module's own handle.
 */
function endOf(bytes: Uint8Array): number {
  let at = 8;
  const uleb = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at]!;
      at += 1;
      value += (byte & 0x7f) * 2 ** shift;
      // The deserializer has read these numbers before, so they end.
      if (byte < 0x80) return value;
    }
  };
  let contents = 0;
  for (let tables = uleb(); tables > 0; tables -= 1) {
    at += 1;
    const offset = uleb();
    contents = Math.max(contents, offset + uleb());
  }
  at += contents;
  uleb();
  return at;
}
