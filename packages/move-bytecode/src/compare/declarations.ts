import { refuse } from '../error.ts';
import type { FieldJson, FunctionDefJson, ModuleJson } from '../module.ts';
import { listAbilities, type Names } from './names.ts';

/** A property of a declaration. Two are the same if their numbers are. */
interface Fact {
  label: string;
  id: number;
  text: () => string;
}

/** A type or a function with everything about it but code. */
export interface Declaration {
  facts: readonly Fact[];
  function?: FunctionDefJson;
}

/**
 * Lists the declarations of a module by their names, such as `function withdraw`. Their order in the module has no meaning,
 * the order of fields and of variants has: values are stored in it.
 * @throws BytecodeError if one is declared twice, or in another module
 */
export function listDeclarations(module: ModuleJson, names: Names): Map<string, Declaration> {
  const declared = new Map<string, Declaration>();
  const add = (name: string, declaration: Declaration) => {
    if (declared.has(name)) throw refuse('DUPLICATE_ELEMENT', `${name} is declared twice`);
    declared.set(name, declaration);
  };
  add('module', { facts: listModuleFacts(module, names) });
  for (const { struct_handle: handle, field_information: fields } of module.struct_defs) {
    const text = fields === 'Native' ? 'native' : writeFields(fields.Declared, module, names);
    const facts = [...listTypeFacts(module, names, handle), fact(names, 'fields', text)];
    add(`struct ${readName(module, module.datatype_handles[handle]!)}`, { facts });
  }
  for (const { enum_handle: handle, variants } of module.enum_defs) {
    const text = variants
      .map(
        ({ variant_name, fields }) =>
          `${module.identifiers[variant_name]} { ${writeFields(fields, module, names)} }`,
      )
      .join(', ');
    const facts = [...listTypeFacts(module, names, handle), fact(names, 'variants', text)];
    add(`enum ${readName(module, module.datatype_handles[handle]!)}`, { facts });
  }
  for (const definition of module.function_defs) {
    const handle = module.function_handles[definition.function]!;
    add(`function ${readName(module, handle)}`, {
      facts: listFunctionFacts(definition, module, names),
      function: definition,
    });
  }
  return declared;
}

/** Name of a declared type or function. Calls name the module of its handle, which must be this one. */
function readName(module: ModuleJson, { module: owner, name }: { module: number; name: number }): string {
  const text = module.identifiers[name]!;
  if (owner !== module.self_module_handle_idx)
    throw refuse('INVALID_MODULE_HANDLE', `${text} is declared in another module`);
  return text;
}

function fact(names: Names, label: string, text: string): Fact {
  return { label, id: names.intern(text), text: () => text };
}

function listModuleFacts(module: ModuleJson, names: Names): Fact[] {
  const friends = module.friend_decls.map((friend) => names.module(friend)).sort();
  const metadata = module.metadata.map((entry) => JSON.stringify(entry)).sort();
  return [fact(names, 'friends', friends.join(', ')), fact(names, 'metadata', metadata.join(', '))];
}

function listTypeFacts(module: ModuleJson, names: Names, handle: number): Fact[] {
  const { abilities, type_parameters: parameters } = module.datatype_handles[handle]!;
  const text = parameters.map(
    ({ constraints, is_phantom }) => `${is_phantom ? 'phantom ' : ''}${listAbilities(constraints)}`,
  );
  return [
    fact(names, 'abilities', listAbilities(abilities)),
    fact(names, 'type parameters', text.join(', ')),
  ];
}

const writeFields = (fields: readonly FieldJson[], module: ModuleJson, names: Names) =>
  fields.map(({ name, signature }) => `${module.identifiers[name]}: ${names.type(signature)}`).join(', ');

function listFunctionFacts(definition: FunctionDefJson, module: ModuleJson, names: Names): Fact[] {
  const { parameters, return_, type_parameters } = module.function_handles[definition.function]!;
  const { visibility, is_entry, code, acquires_global_resources: acquired } = definition;
  const kind = [visibility.toLowerCase(), ...(is_entry ? ['entry'] : []), ...(code ? [] : ['native'])];
  const types = (label: string, signature: number): Fact => ({
    label,
    id: names.id('signatures', signature),
    text: () => names.text('signatures', signature),
  });
  return [
    fact(names, 'visibility', kind.join(' ')),
    fact(names, 'type parameters', type_parameters.map(listAbilities).join(', ')),
    types('parameters', parameters),
    types('results', return_),
    fact(
      names,
      'acquired types',
      acquired
        .map((index) => names.struct(index))
        .sort()
        .join(', '),
    ),
  ];
}
