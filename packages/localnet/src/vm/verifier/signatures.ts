import type { FieldJson, ModuleJson, TokenJson } from '@adaptor-marketplace/move-bytecode';
import { verificationError } from '../errors.ts';
import type { LoadedModule } from '../loader/module.ts';

type TypeParameters = ModuleJson['datatype_handles'][number]['type_parameters'];

/**
 * Well-formed types, also where no code uses them:
 *
 * - INVALID_SIGNATURE_TOKEN: a reference stands alone, never in a field, a vector or a type argument;
 * - NUMBER_OF_TYPE_ARGUMENTS_MISMATCH, CONSTRAINT_NOT_SATISFIED: type arguments are as many and as able as asked;
 * - INVALID_PHANTOM_TYPE_PARAM_POSITION: a phantom parameter is used only as a phantom.
 *
 * Type arguments of instructions are checked where types of code are.
 */
export function checkSignatures(module: LoadedModule): void {
  const { json } = module;
  for (const signature of json.signatures) for (const token of signature) checkToken(json, token, true);
  // Resolving a type checks its arguments.
  for (const { parameters, return_, type_parameters } of json.function_handles) {
    module.signature(parameters, type_parameters);
    module.signature(return_, type_parameters);
  }
  for (const { struct_handle, field_information } of json.struct_defs) {
    if (field_information !== 'Native') checkFields(module, struct_handle, field_information.Declared);
  }
  for (const { enum_handle, variants } of json.enum_defs) {
    for (const { fields } of variants) checkFields(module, enum_handle, fields);
  }
  for (const fn of module.functions) void fn.locals;
}

function checkToken(json: ModuleJson, token: TokenJson, mayBeReference: boolean): void {
  if (typeof token === 'string') return;
  if ('Vector' in token) checkToken(json, token.Vector, false);
  if ('DatatypeInstantiation' in token) {
    const [handle, args] = token.DatatypeInstantiation;
    checkArity(json, handle, args.length);
    for (const arg of args) checkToken(json, arg, false);
  }
  if ('Datatype' in token) checkArity(json, token.Datatype, 0);
  const to =
    'Reference' in token ? token.Reference : 'MutableReference' in token ? token.MutableReference : undefined;
  if (to === undefined) return;
  if (!mayBeReference) throw verificationError('INVALID_SIGNATURE_TOKEN', 'a reference cannot be stored');
  checkToken(json, to, false);
}

function checkArity(json: ModuleJson, handle: number, given: number): void {
  const { type_parameters } = json.datatype_handles[handle]!;
  if (type_parameters.length === given) return;
  const detail = `${type_parameters.length} type arguments expected, ${given} given`;
  throw verificationError('NUMBER_OF_TYPE_ARGUMENTS_MISMATCH', detail);
}

function checkFields(module: LoadedModule, handle: number, fields: FieldJson[]): void {
  const { type_parameters } = module.json.datatype_handles[handle]!;
  const constraints = type_parameters.map((parameter) => parameter.constraints);
  for (const { signature } of fields) {
    checkToken(module.json, signature, false);
    module.type(signature, constraints);
    checkPhantoms(module.json, signature, type_parameters, false);
  }
}

function checkPhantoms(
  json: ModuleJson,
  token: TokenJson,
  parameters: TypeParameters,
  isPhantom: boolean,
): void {
  if (typeof token === 'string') return;
  if ('Vector' in token) checkPhantoms(json, token.Vector, parameters, false);
  if ('DatatypeInstantiation' in token) {
    const [handle, args] = token.DatatypeInstantiation;
    const { type_parameters } = json.datatype_handles[handle]!;
    for (const [i, arg] of args.entries())
      checkPhantoms(json, arg, parameters, type_parameters[i]!.is_phantom);
  }
  if ('TypeParameter' in token && parameters[token.TypeParameter]!.is_phantom && !isPhantom) {
    throw verificationError(
      'INVALID_PHANTOM_TYPE_PARAM_POSITION',
      'a phantom type parameter is used as a value',
    );
  }
}
