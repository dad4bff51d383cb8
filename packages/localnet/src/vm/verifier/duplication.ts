import type { FieldJson, ModuleJson } from '@adaptor-marketplace/move-bytecode';
import { verificationError } from '../errors.ts';

/**
 * One entry for one thing, and a definition for each thing of its own:
 *
 * - DUPLICATE_ELEMENT: no table has an entry twice, no datatype, variant, field or function is defined twice;
 * - ZERO_SIZED_STRUCT, ZERO_SIZED_ENUM: a struct has fields, an enum has variants;
 * - INVALID_MODULE_HANDLE: a module defines only what is its own;
 * - UNIMPLEMENTED_HANDLE: it defines all of its own that it names.
 */
export function checkDuplication(json: ModuleJson): void {
  distinct(json.identifiers, 'identifiers');
  distinct(json.address_identifiers, 'addresses');
  distinct(json.constant_pool.map(keyOf), 'constants');
  distinct(json.signatures.map(keyOf), 'signatures');
  distinct(json.module_handles.map(keyOf), 'module handles');
  distinct(json.friend_decls.map(keyOf), 'friends');
  distinct(
    json.datatype_handles.map(({ module, name }) => keyOf([module, name])),
    'datatype handles',
  );
  distinct(
    json.function_handles.map(({ module, name }) => keyOf([module, name])),
    'function handles',
  );
  distinct(json.function_instantiations.map(keyOf), 'function instantiations');
  distinct(json.field_handles.map(keyOf), 'field handles');
  distinct(json.field_instantiations.map(keyOf), 'field instantiations');
  distinct(json.struct_def_instantiations.map(keyOf), 'struct instantiations');
  distinct(json.enum_def_instantiations.map(keyOf), 'enum instantiations');
  checkFunctions(json);
  checkDatatypes(json);
}

const keyOf = (value: unknown) => JSON.stringify(value);

function distinct(keys: readonly unknown[], what: string): void {
  if (new Set(keys).size !== keys.length)
    throw verificationError('DUPLICATE_ELEMENT', `an entry twice in ${what}`);
}

function checkFunctions(json: ModuleJson): void {
  const defined = json.function_defs.map((definition) => definition.function);
  distinct(defined, 'functions');
  checkOwn(json, defined, json.function_handles, 'function');
}

function checkDatatypes(json: ModuleJson): void {
  const defined = [
    ...json.struct_defs.map((definition) => definition.struct_handle),
    ...json.enum_defs.map((definition) => definition.enum_handle),
  ];
  distinct(defined, 'datatypes');
  for (const { field_information } of json.struct_defs) {
    if (field_information !== 'Native') checkFields(field_information.Declared, 'ZERO_SIZED_STRUCT');
  }
  for (const { variants } of json.enum_defs) {
    // A variant without fields still takes the byte of its tag.
    if (variants.length === 0) throw verificationError('ZERO_SIZED_ENUM', 'an enum has no variants');
    distinct(
      variants.map((variant) => variant.variant_name),
      'variants',
    );
    for (const { fields } of variants) checkFields(fields);
  }
  checkOwn(json, defined, json.datatype_handles, 'datatype');
}

function checkFields(fields: FieldJson[], whenNone?: string): void {
  if (fields.length === 0 && whenNone !== undefined)
    throw verificationError(whenNone, 'a struct has no fields');
  distinct(
    fields.map((field) => field.name),
    'fields',
  );
}

function checkOwn(
  json: ModuleJson,
  defined: number[],
  handles: { module: number; name: number }[],
  what: string,
): void {
  const self = json.self_module_handle_idx;
  const nameOf = (index: number) => json.identifiers[handles[index]!.name];
  const foreign = defined.find((index) => handles[index]!.module !== self);
  if (foreign !== undefined) {
    throw verificationError('INVALID_MODULE_HANDLE', `${what} ${nameOf(foreign)} belongs to another module`);
  }
  const known = new Set(defined);
  const missing = handles.findIndex(({ module }, index) => module === self && !known.has(index));
  if (missing >= 0)
    throw verificationError('UNIMPLEMENTED_HANDLE', `${what} ${nameOf(missing)} is not defined`);
}
