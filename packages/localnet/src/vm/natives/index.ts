import { STD, SUI } from '../framework.ts';
import type { Native } from '../runtime/machine.ts';
import { ecdsaK1, ecdsaR1 } from './ecdsa.ts';
import type { NativeModule } from './native.ts';
import { bls12381, ed25519Module } from './signatures.ts';
import * as std from './std.ts';
import * as sui from './sui.ts';
import { vector } from './vector.ts';

const MODULES = new Map<string, NativeModule>([
  [`${STD}::vector`, vector],
  [`${STD}::bcs`, std.bcs],
  [`${STD}::hash`, std.hash],
  [`${STD}::string`, std.string],
  [`${STD}::type_name`, std.typeNames],
  [`${STD}::debug`, std.debug],
  [`${SUI}::object`, sui.object],
  [`${SUI}::tx_context`, sui.txContext],
  [`${SUI}::transfer`, sui.transfer],
  [`${SUI}::event`, sui.event],
  [`${SUI}::dynamic_field`, sui.dynamicField],
  [`${SUI}::config`, sui.config],
  [`${SUI}::funds_accumulator`, sui.fundsAccumulator],
  [`${SUI}::types`, sui.types],
  [`${SUI}::address`, sui.address],
  [`${SUI}::hash`, sui.hash],
  [`${SUI}::hmac`, sui.hmac],
  [`${SUI}::ed25519`, ed25519Module],
  [`${SUI}::ecdsa_k1`, ecdsaK1],
  [`${SUI}::ecdsa_r1`, ecdsaR1],
  [`${SUI}::bls12381`, bls12381],
]);

/** The native behind a declaration; undefined when this network does not have it. */
export function findNative(address: string, module: string, name: string): Native | undefined {
  const natives = MODULES.get(`${address}::${module}`);
  return natives !== undefined && Object.hasOwn(natives, name) ? natives[name] : undefined;
}
