import type { LoadedFunction } from './loader/function.ts';
import type { LoadedModule } from './loader/module.ts';
import type { LoadedPackage } from './loader/package.ts';
import { typeName } from './type-names.ts';
import type { Datatype, Field, Type, TypeParameter } from './types.ts';

/** What a package offers, in the words of the full node's MovePackageService. */
export interface PackageDescription {
  modules: ModuleDescription[];
}

export interface ModuleDescription {
  name: string;
  datatypes: DatatypeDescription[];
  functions: FunctionDescription[];
}

export type AbilityName = 'copy' | 'drop' | 'store' | 'key';

export interface TypeParameterDescription {
  constraints: AbilityName[];
  isPhantom: boolean;
}

export interface DatatypeDescription {
  /** Canonical, with the defining id. */
  typeName: string;
  definingId: string;
  module: string;
  name: string;
  abilities: AbilityName[];
  typeParameters: TypeParameterDescription[];
  kind: 'struct' | 'enum';
  /** Of a struct; the empty one has the `dummy_field` that the compiler gives it. */
  fields: FieldDescription[];
  /** Of an enum. */
  variants: { name: string; position: number; fields: FieldDescription[] }[];
}

export interface FieldDescription {
  name: string;
  position: number;
  type: SignatureBody;
}

export interface FunctionDescription {
  name: string;
  visibility: 'public' | 'private' | 'friend';
  isEntry: boolean;
  typeParameters: TypeParameterDescription[];
  /** With the transaction's context at the end, where the function takes it. */
  parameters: Signature[];
  returns: Signature[];
}

export interface Signature {
  reference: 'immutable' | 'mutable' | null;
  body: SignatureBody;
}

export type SignatureBody =
  | { $kind: 'u8' | 'u16' | 'u32' | 'u64' | 'u128' | 'u256' | 'bool' | 'address' | 'signer' }
  | { $kind: 'vector'; vector: SignatureBody }
  /** `typeName` without type arguments, with the defining id. */
  | { $kind: 'datatype'; datatype: { typeName: string; typeParameters: SignatureBody[] } }
  | { $kind: 'typeParameter'; index: number };

/** Describes every module; throws a `verification` VmError for bytecode that does not parse. */
export function describePackage(owner: LoadedPackage): PackageDescription {
  return { modules: [...owner.content.modules.keys()].map((name) => describeModule(owner.module(name)!)) };
}

function describeModule(module: LoadedModule): ModuleDescription {
  const own = [...module.datatypes];
  return {
    name: module.name,
    // The package knows which version defined each, which the module alone does not.
    datatypes: own.map(({ name }) => describeDatatype(module.package.datatype(module.name, name)!)),
    functions: module.functions.map(describeFunction),
  };
}

export function describeDatatype(datatype: Datatype): DatatypeDescription {
  const { definingId, module, name, body } = datatype;
  return {
    typeName: nameOf(datatype),
    definingId,
    module,
    name,
    abilities: abilityNames(datatype.abilities),
    typeParameters: datatype.parameters.map(describeTypeParameter),
    kind: body.kind,
    fields: body.kind === 'struct' ? describeFields(body.fields) : [],
    variants:
      body.kind === 'enum'
        ? body.variants.map((variant, position) => ({
            name: variant.name,
            position,
            fields: describeFields(variant.fields),
          }))
        : [],
  };
}

const VISIBILITY = { Public: 'public', Private: 'private', Friend: 'friend' } as const;

export function describeFunction(fn: LoadedFunction): FunctionDescription {
  return {
    name: fn.name,
    visibility: VISIBILITY[fn.visibility],
    isEntry: fn.isEntry,
    typeParameters: fn.constraints.map((constraints) =>
      describeTypeParameter({ constraints, isPhantom: false }),
    ),
    parameters: fn.parameters.map(signatureOf),
    returns: fn.returns.map(signatureOf),
  };
}

function describeTypeParameter({ constraints, isPhantom }: TypeParameter): TypeParameterDescription {
  return { constraints: abilityNames(constraints), isPhantom };
}

function describeFields(fields: Field[]): FieldDescription[] {
  return fields.map(({ name, type }, position) => ({ name, position, type: bodyOf(type) }));
}

const ABILITIES: AbilityName[] = ['copy', 'drop', 'store', 'key'];

/** The bits 1, 2, 4 and 8 in this order. */
function abilityNames(bits: number): AbilityName[] {
  return ABILITIES.filter((_, i) => (bits & (1 << i)) !== 0);
}

function nameOf({ definingId, module, name }: Datatype): string {
  return `${definingId}::${module}::${name}`;
}

export function signatureOf(type: Type): Signature {
  if (type.kind !== 'reference') return { reference: null, body: bodyOf(type) };
  return { reference: type.mutable ? 'mutable' : 'immutable', body: bodyOf(type.to) };
}

function bodyOf(type: Type): SignatureBody {
  switch (type.kind) {
    case 'vector':
      return { $kind: 'vector', vector: bodyOf(type.element) };
    case 'datatype':
      return {
        $kind: 'datatype',
        datatype: { typeName: nameOf(type.datatype), typeParameters: type.args.map(bodyOf) },
      };
    case 'parameter':
      return { $kind: 'typeParameter', index: type.index };
    case 'reference':
      // Types are checked when they are read: a reference never stands inside another type.
      throw new Error(`a reference inside ${typeName(type)}`);
    default:
      return { $kind: type.kind };
  }
}
