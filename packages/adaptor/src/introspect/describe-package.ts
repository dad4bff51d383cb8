import { BytecodeError } from '@adaptor-marketplace/move-bytecode';
import { GrpcTypes } from '@mysten/sui/grpc';
import type { PackageContent } from '../packages/source.ts';
import { CodeModule } from './code/module.ts';
import { type Ability, abilityNames, type MoveType } from './code/move-type.ts';

const {
  Ability: AbilityCode,
  DatatypeDescriptor_DatatypeKind: DatatypeKind,
  FunctionDescriptor_Visibility: Visibility,
  OpenSignature_Reference: Reference,
  OpenSignatureBody_Type: Kind,
} = GrpcTypes;

const abilityCodes: Readonly<Record<Ability, GrpcTypes.Ability>> = {
  copy: AbilityCode.COPY,
  drop: AbilityCode.DROP,
  store: AbilityCode.STORE,
  key: AbilityCode.KEY,
};
const visibilityCodes = { Private: Visibility.PRIVATE, Public: Visibility.PUBLIC, Friend: Visibility.FRIEND };
const primitiveKinds: Readonly<Record<string, GrpcTypes.OpenSignatureBody_Type>> = {
  bool: Kind.BOOL,
  address: Kind.ADDRESS,
  u8: Kind.U8,
  u16: Kind.U16,
  u32: Kind.U32,
  u64: Kind.U64,
  u128: Kind.U128,
  u256: Kind.U256,
};

/** Bound on the bytecode of a described package, in bytes. A chain accepts 100 KiB. */
const bytesMax = 512 * 1024;

/**
 * Describes a package from its bytecode as `GetPackage` of a full node does, without bytecode, type origins and linkage.
 * @returns undefined if the package is too large or has no modules, if it has no origin for one of its types, or if its
 * bytecode cannot be read
 */
export function describePackage(content: PackageContent): GrpcTypes.Package | undefined {
  const { id, originalId, version, typeOrigins } = content;
  const bytecode = [...content.modules.values()];
  const bytes = bytecode.reduce((sum, { length }) => sum + length, 0);
  if (bytes === 0 || bytes > bytesMax) return undefined;
  try {
    const parsed = bytecode.map((contents) => new CodeModule(contents));
    const describers = parsed.map((module) => new ModuleDescriber(module, id, typeOrigins));
    if (!describers.every((describer) => describer.hasOrigins())) return undefined;
    const modules = describers.map((describer) => describer.describe());
    const described = { storageId: id, originalId, version, modules, typeOrigins: [], linkage: [] };
    parsedModules.set(described, parsed);
    return described;
  } catch (error) {
    if (error instanceof BytecodeError) return undefined;
    throw error;
  }
}

/** Parsing takes most of the time of a check. */
const parsedModules = new WeakMap<GrpcTypes.Package, readonly CodeModule[]>();

/** Returns the parsed modules of a package that `describePackage` returned. */
export const findParsedModules = (described: GrpcTypes.Package) => parsedModules.get(described);

class ModuleDescriber {
  readonly #module: CodeModule;
  readonly #packageId: string;
  readonly #typeOrigins: PackageContent['typeOrigins'];
  /** Any number of functions may have the same signature. */
  readonly #signatures = new Map<number, GrpcTypes.OpenSignature[]>();

  constructor(module: CodeModule, packageId: string, typeOrigins: PackageContent['typeOrigins']) {
    this.#module = module;
    this.#packageId = packageId;
    this.#typeOrigins = typeOrigins;
  }

  /** Returns `true` if the package has an origin for each type that the module defines. */
  hasOrigins(): boolean {
    const { struct_defs: structs, enum_defs: enums } = this.#module.json;
    const handles = [
      ...structs.map(({ struct_handle }) => struct_handle),
      ...enums.map(({ enum_handle }) => enum_handle),
    ];
    return handles.every((handle) => this.#findOrigin(handle) !== undefined);
  }

  #findOrigin(handle: number): string | undefined {
    const { name } = this.#module.json.datatype_handles[handle]!;
    return this.#typeOrigins.get(`${this.#module.name}::${this.#module.identifier(name)}`);
  }

  describe(): GrpcTypes.Module {
    const { json, name } = this.#module;
    const structs = json.struct_defs.map(({ struct_handle, field_information: information }) => ({
      ...this.#describeDatatype(struct_handle),
      kind: DatatypeKind.STRUCT,
      fields: information === 'Native' ? [] : this.#describeFields(information.Declared),
    }));
    const enums = json.enum_defs.map(({ enum_handle, variants }) => ({
      ...this.#describeDatatype(enum_handle),
      kind: DatatypeKind.ENUM,
      variants: variants.map(({ variant_name, fields }, position) => ({
        name: this.#module.identifier(variant_name),
        position,
        fields: this.#describeFields(fields),
      })),
    }));
    return {
      name,
      datatypes: [...structs, ...enums],
      functions: json.function_defs.map(({ function: handle, visibility, is_entry: isEntry }) => {
        const { name: identifier, parameters, return_, type_parameters } = json.function_handles[handle]!;
        return {
          name: this.#module.identifier(identifier),
          visibility: visibilityCodes[visibility],
          isEntry,
          typeParameters: type_parameters.map((bits) => ({ constraints: toAbilities(bits) })),
          parameters: this.#describeSignature(parameters),
          returns: this.#describeSignature(return_),
        };
      }),
    };
  }

  #describeDatatype(handle: number): GrpcTypes.DatatypeDescriptor {
    const { name: identifier, abilities, type_parameters } = this.#module.json.datatype_handles[handle]!;
    const { name: module } = this.#module;
    const name = this.#module.identifier(identifier);
    return {
      typeName: `${this.#packageId}::${module}::${name}`,
      definingId: this.#findOrigin(handle),
      module,
      name,
      abilities: toAbilities(abilities),
      typeParameters: type_parameters.map(({ constraints, is_phantom: isPhantom }) => ({
        constraints: toAbilities(constraints),
        isPhantom,
      })),
      fields: [],
      variants: [],
    };
  }

  #describeFields(
    fields: readonly { name: number; signature: Parameters<CodeModule['type']>[0] }[],
  ): GrpcTypes.FieldDescriptor[] {
    return fields.map(({ name, signature }, position) => ({
      name: this.#module.identifier(name),
      position,
      type: this.#describeType(this.#module.type(signature)),
    }));
  }

  #describeSignature(index: number): GrpcTypes.OpenSignature[] {
    const known = this.#signatures.get(index);
    if (known) return known;
    const described = this.#module.signature(index).map((type): GrpcTypes.OpenSignature => {
      if (type.kind !== 'reference') return { body: this.#describeType(type) };
      const reference = type.mutable ? Reference.MUTABLE : Reference.IMMUTABLE;
      return { reference, body: this.#describeType(type.to) };
    });
    this.#signatures.set(index, described);
    return described;
  }

  #describeType(type: MoveType): GrpcTypes.OpenSignatureBody {
    switch (type.kind) {
      case 'vector':
        return { type: Kind.VECTOR, typeParameterInstantiation: [this.#describeType(type.item)] };
      case 'datatype':
        return {
          type: Kind.DATATYPE,
          // A signature names a type by the original id of its package.
          typeName: `${type.address}::${type.module}::${type.name}`,
          typeParameterInstantiation: type.args.map((arg) => this.#describeType(arg)),
        };
      case 'parameter':
        return {
          type: Kind.TYPE_PARAMETER,
          typeParameter: type.index,
          typeParameterInstantiation: [],
        };
      case 'primitive':
        return { type: primitiveKinds[type.name] ?? Kind.TYPE_UNKNOWN, typeParameterInstantiation: [] };
      case 'reference':
        return { type: Kind.TYPE_UNKNOWN, typeParameterInstantiation: [] };
    }
  }
}

const toAbilities = (bits: number) => abilityNames(bits).map((name) => abilityCodes[name]);
