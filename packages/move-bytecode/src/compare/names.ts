import type { ModuleJson, TokenJson } from '../module.ts';

/** Numbers distinct texts. Both modules of a comparison share the numbers. */
export class Interner {
  readonly #ids = new Map<string, number>();

  intern(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    this.#ids.set(text, id);
    return id;
  }
}

type Pool = 'signatures' | 'constant_pool' | Instantiations | 'field_handles' | 'variant_handles';
type Instantiations =
  | 'function_instantiations'
  | 'struct_def_instantiations'
  | 'field_instantiations'
  | 'enum_def_instantiations'
  | 'variant_instantiation_handles';

const abilityNames = ['copy', 'drop', 'store', 'key'];

/**
 * Names for the indices of a module. The module's own address has the name `self`.
 *
 * Each entry of a pool also has a number, which is the same in both modules for the same name. Code is compared by these
 * numbers: a few bytes of a hostile module can have a name of megabytes, which is written once and not for each use.
 */
export class Names {
  readonly #module: ModuleJson;
  readonly #interner: Interner;
  readonly #ownAddress: string;
  readonly #texts = new Map<string, string>();
  readonly #ids = new Map<string, number>();
  readonly #tokenIds = new Map<number, readonly number[]>();

  constructor(module: ModuleJson, interner: Interner) {
    this.#module = module;
    this.#interner = interner;
    this.#ownAddress =
      module.address_identifiers[module.module_handles[module.self_module_handle_idx]!.address]!;
  }

  intern(text: string): number {
    return this.#interner.intern(text);
  }

  module({ address: addressIndex, name }: { address: number; name: number }): string {
    const digits = this.#module.address_identifiers[addressIndex]!;
    const address = digits === this.#ownAddress ? 'self' : `0x${digits.replace(/^0+(?=.)/, '')}`;
    return `${address}::${this.#module.identifiers[name]}`;
  }

  datatype(handle: number): string {
    return this.#nameHandle(this.#module.datatype_handles[handle]!);
  }

  function(handle: number): string {
    return this.#nameHandle(this.#module.function_handles[handle]!);
  }

  #nameHandle({ module, name }: { module: number; name: number }): string {
    return `${this.module(this.#module.module_handles[module]!)}::${this.#module.identifiers[name]}`;
  }

  struct(definition: number): string {
    return this.datatype(this.#module.struct_defs[definition]!.struct_handle);
  }

  enum(definition: number): string {
    return this.datatype(this.#module.enum_defs[definition]!.enum_handle);
  }

  type(token: TokenJson): string {
    if (typeof token === 'string') return token.toLowerCase();
    if ('TypeParameter' in token) return `T${token.TypeParameter}`;
    if ('Vector' in token) return `vector<${this.type(token.Vector)}>`;
    if ('Reference' in token) return `&${this.type(token.Reference)}`;
    if ('MutableReference' in token) return `&mut ${this.type(token.MutableReference)}`;
    if ('Datatype' in token) return this.datatype(token.Datatype);
    const [handle, args] = token.DatatypeInstantiation;
    return `${this.datatype(handle)}<${args.map((arg) => this.type(arg)).join(', ')}>`;
  }

  /** Numbers of the types of a signature. */
  tokenIds(signature: number): readonly number[] {
    const known = this.#tokenIds.get(signature);
    if (known) return known;
    const ids = this.#module.signatures[signature]!.map((token) => this.intern(this.type(token)));
    this.#tokenIds.set(signature, ids);
    return ids;
  }

  /** Number of an entry's name. */
  id(pool: Pool, index: number): number {
    const key = `${pool} ${index}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const generic = this.#splitGeneric(pool, index);
    const id = this.intern(
      generic ? `${generic.base()} of #${this.id('signatures', generic.types)}` : this.text(pool, index),
    );
    this.#ids.set(key, id);
    return id;
  }

  /** Name of an entry, for people. It can be long. */
  text(pool: Pool, index: number): string {
    const key = `${pool} ${index}`;
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const generic = this.#splitGeneric(pool, index);
    if (generic) return `${generic.base()}<${this.text('signatures', generic.types)}>`;
    const text = this.#write(pool as Exclude<Pool, Instantiations>, index);
    this.#texts.set(key, text);
    return text;
  }

  #write(pool: Exclude<Pool, Instantiations>, index: number): string {
    const module = this.#module;
    switch (pool) {
      case 'signatures':
        return module.signatures[index]!.map((token) => this.type(token)).join(', ');
      case 'constant_pool':
        return this.#constant(module.constant_pool[index]!);
      case 'field_handles':
        return this.#field(index);
      case 'variant_handles': {
        const { enum_def, variant } = module.variant_handles[index]!;
        return this.#variant(enum_def, variant);
      }
    }
  }

  /** An instance's generic definition, and the signature with its type arguments. */
  #splitGeneric(pool: Pool, index: number): { base: () => string; types: number } | undefined {
    const module = this.#module;
    switch (pool) {
      case 'function_instantiations': {
        const { handle, type_parameters } = module.function_instantiations[index]!;
        return { base: () => this.function(handle), types: type_parameters };
      }
      case 'struct_def_instantiations': {
        const { def, type_parameters } = module.struct_def_instantiations[index]!;
        return { base: () => this.struct(def), types: type_parameters };
      }
      case 'field_instantiations': {
        const { handle, type_parameters } = module.field_instantiations[index]!;
        return { base: () => this.#field(handle), types: type_parameters };
      }
      case 'enum_def_instantiations': {
        const { def, type_parameters } = module.enum_def_instantiations[index]!;
        return { base: () => this.enum(def), types: type_parameters };
      }
      case 'variant_instantiation_handles': {
        const { enum_def, variant } = module.variant_instantiation_handles[index]!;
        const { def, type_parameters } = module.enum_def_instantiations[enum_def]!;
        return { base: () => this.#variant(def, variant), types: type_parameters };
      }
      default:
        return undefined;
    }
  }

  #field(handle: number): string {
    const { owner, field } = this.#module.field_handles[handle]!;
    const { field_information: fields } = this.#module.struct_defs[owner]!;
    // The parser refuses a module with a field handle of a native struct.
    const { name } = (fields as Exclude<typeof fields, 'Native'>).Declared[field]!;
    return `${this.struct(owner)}.${this.#module.identifiers[name]}`;
  }

  #variant(definition: number, variant: number): string {
    const { variant_name } = this.#module.enum_defs[definition]!.variants[variant]!;
    return `${this.enum(definition)}::${this.#module.identifiers[variant_name]}`;
  }

  /** Names a constant by type and value, like an instruction that contains the same value. */
  #constant({ type_, data }: ModuleJson['constant_pool'][number]): string {
    if (type_ === 'Bool' && data.length === 1 && data[0]! <= 1) return `bool ${data[0] === 1}`;
    const bytes = typeof type_ === 'string' ? integerBytes[type_] : undefined;
    if (bytes === data.length) return `${this.type(type_)} ${readLittleEndian(data)}`;
    return `${this.type(type_)} 0x${data.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  }
}

const integerBytes: Readonly<Record<string, number>> = { U8: 1, U16: 2, U32: 4, U64: 8, U128: 16, U256: 32 };

/** Reads an unsigned number, the least significant byte first. */
export function readLittleEndian(bytes: readonly number[]): bigint {
  return bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n);
}

/** Lists the names of the abilities in a set of bits. */
export function listAbilities(bits: number): string {
  return abilityNames.filter((_, at) => (bits & (1 << at)) !== 0).join(' + ') || 'none';
}
