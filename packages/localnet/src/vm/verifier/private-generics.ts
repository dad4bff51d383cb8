import type { TokenJson } from '@adaptor-marketplace/move-bytecode';
import { suiVerificationError } from '../errors.ts';
import { STD, SUI } from '../framework.ts';
import type { FunctionBody } from './body.ts';
import { calleeName, calleeOf } from './effects.ts';

/** Functions of the framework whose type argument only the module that defines it may give. */
const PRIVATE_GENERICS = new Set([
  `${STD}::internal::permit`,
  `${SUI}::event::emit`,
  `${SUI}::event::emit_authenticated`,
  `${SUI}::transfer::transfer`,
  `${SUI}::transfer::share_object`,
  `${SUI}::transfer::freeze_object`,
  `${SUI}::transfer::receive`,
  `${SUI}::transfer::party_transfer`,
  `${SUI}::coin_registry::new_currency`,
]);

export function isPrivateGeneric(address: string, module: string, name: string): boolean {
  return PRIVATE_GENERICS.has(`${address}::${module}::${name}`);
}

/** Private generics: an object is transferred and an event emitted only where its type is defined. */
export function checkPrivateGenerics(body: FunctionBody): void {
  const { json } = body.module;
  for (const [pc, { name, operand }] of body.instructions.entries()) {
    if (name !== 'CallGeneric') continue;
    const {
      address,
      module,
      function: callee,
    } = calleeName(body.module, calleeOf(json, name, Number(operand)));
    // The framework's own modules forward their public functions to the private ones.
    if (address === body.module.address && module === body.module.name) continue;
    if (!isPrivateGeneric(address, module, callee)) continue;
    const { type_parameters } = json.function_instantiations[Number(operand)]!;
    if (isOwn(body, json.signatures[type_parameters]![0])) continue;
    const detail = `${module}::${callee} needs a type that ${body.module.name} defines`;
    throw suiVerificationError(detail).at(body.place(pc));
  }
}

function isOwn({ module }: FunctionBody, type: TokenJson | undefined): boolean {
  if (type === undefined || typeof type === 'string') return false;
  const handle =
    'Datatype' in type
      ? type.Datatype
      : 'DatatypeInstantiation' in type
        ? type.DatatypeInstantiation[0]
        : undefined;
  return handle !== undefined && module.isSelf(module.json.datatype_handles[handle]!.module);
}
