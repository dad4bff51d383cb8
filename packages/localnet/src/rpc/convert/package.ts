import { GrpcTypes } from '@mysten/sui/grpc';
import type { PackageObject } from '../../state/objects.ts';
import type { LoadedFunction, LoadedModule } from '../../vm/loader/module.ts';
import type { LoadedPackage } from '../../vm/loader/package.ts';
import { COPY, type Datatype, DROP, type Field, KEY, STORE, type Type } from '../../vm/types.ts';

const {
  Ability,
  DatatypeDescriptor_DatatypeKind: DatatypeKind,
  FunctionDescriptor_Visibility: Visibility,
  OpenSignature_Reference: Reference,
  OpenSignatureBody_Type: BodyType,
} = GrpcTypes;

const abilities = [
  [COPY, Ability.COPY],
  [DROP, Ability.DROP],
  [STORE, Ability.STORE],
  [KEY, Ability.KEY],
] as const;

const visibilities = {
  Private: Visibility.PRIVATE,
  Public: Visibility.PUBLIC,
  Friend: Visibility.FRIEND,
} as const;

const primitives = {
  bool: BodyType.BOOL,
  address: BodyType.ADDRESS,
  u8: BodyType.U8,
  u16: BodyType.U16,
  u32: BodyType.U32,
  u64: BodyType.U64,
  u128: BodyType.U128,
  u256: BodyType.U256,
} as const;

/** Descriptions by package: one is thousands of objects, and one request may ask for the same package many times. */
const described = new WeakMap<LoadedPackage, GrpcTypes.Package>();

/**
 * A package with its modules' datatypes and functions, as `GetPackage` returns it: without bytecode, type origins and
 * linkage, which the package as an object has. The message is shared: not to be changed.
 */
export function packageMessage(loaded: LoadedPackage): GrpcTypes.Package {
  const made = described.get(loaded) ?? describe(loaded);
  described.set(loaded, made);
  return made;
}

function describe(loaded: LoadedPackage): GrpcTypes.Package {
  const { id, originalId, version, modules } = loaded.content;
  return {
    storageId: id,
    originalId,
    version,
    modules: [...modules.keys()].map((name) => moduleMessage(loaded.module(name)!)),
    typeOrigins: [],
    linkage: [],
  };
}

/** A package as the content of an object: as it was published, without descriptions. */
export function packageObjectMessage({ modules, typeOrigins, linkage }: PackageObject): GrpcTypes.Package {
  return {
    modules: [...modules].map(([name, contents]) => ({ name, contents, datatypes: [], functions: [] })),
    typeOrigins: typeOrigins.map(({ module, datatype, packageId }) => ({
      moduleName: module,
      datatypeName: datatype,
      packageId,
    })),
    linkage: [...linkage].map(([original, { storageId, version: upgraded }]) => ({
      originalId: original,
      upgradedId: storageId,
      upgradedVersion: upgraded,
    })),
  };
}

function moduleMessage(module: LoadedModule): GrpcTypes.Module {
  return {
    name: module.name,
    // A later version of a package repeats its types, but only the defining version says whose they are.
    datatypes: [...module.datatypes].map(({ name }) =>
      datatypeMessage(module.package.id, module.package.datatype(module.name, name)!),
    ),
    functions: module.functions.map(functionMessage),
  };
}

/** @param packageId the version that was asked for, by which a node names the type */
export function datatypeMessage(packageId: string, datatype: Datatype): GrpcTypes.DatatypeDescriptor {
  const { definingId, module, name, body, parameters } = datatype;
  return {
    typeName: `${packageId}::${module}::${name}`,
    definingId,
    module,
    name,
    abilities: abilityList(datatype.abilities),
    typeParameters: parameters.map(({ constraints, isPhantom }) => ({
      constraints: abilityList(constraints),
      isPhantom,
    })),
    kind: body.kind === 'struct' ? DatatypeKind.STRUCT : DatatypeKind.ENUM,
    fields: body.kind === 'struct' ? body.fields.map(fieldMessage) : [],
    variants:
      body.kind === 'enum'
        ? body.variants.map((variant, position) => ({
            name: variant.name,
            position,
            fields: variant.fields.map(fieldMessage),
          }))
        : [],
  };
}

export function functionMessage(fn: LoadedFunction): GrpcTypes.FunctionDescriptor {
  return {
    name: fn.name,
    visibility: visibilities[fn.visibility],
    isEntry: fn.isEntry,
    typeParameters: fn.constraints.map((constraints) => ({ constraints: abilityList(constraints) })),
    parameters: fn.parameters.map(signatureMessage),
    returns: fn.returns.map(signatureMessage),
  };
}

function fieldMessage({ name, type }: Field, position: number): GrpcTypes.FieldDescriptor {
  return { name, position, type: bodyMessage(type) };
}

function signatureMessage(type: Type): GrpcTypes.OpenSignature {
  if (type.kind !== 'reference') return { body: bodyMessage(type) };
  return {
    reference: type.mutable ? Reference.MUTABLE : Reference.IMMUTABLE,
    body: bodyMessage(type.to),
  };
}

function bodyMessage(type: Type): GrpcTypes.OpenSignatureBody {
  switch (type.kind) {
    case 'vector':
      return { type: BodyType.VECTOR, typeParameterInstantiation: [bodyMessage(type.element)] };
    case 'datatype': {
      // A signature names a type by the original id of its package, as bytecode does.
      const { originalId, module, name } = type.datatype;
      return {
        type: BodyType.DATATYPE,
        typeName: `${originalId}::${module}::${name}`,
        typeParameterInstantiation: type.args.map(bodyMessage),
      };
    }
    case 'parameter':
      return {
        type: BodyType.TYPE_PARAMETER,
        typeParameter: type.index,
        typeParameterInstantiation: [],
      };
    case 'reference':
    case 'signer':
      return { type: BodyType.TYPE_UNKNOWN, typeParameterInstantiation: [] };
    default:
      return { type: primitives[type.kind], typeParameterInstantiation: [] };
  }
}

function abilityList(bits: number): GrpcTypes.Ability[] {
  return abilities.flatMap(([bit, ability]) => (bits & bit ? [ability] : []));
}
