import type { Native, NativeModule } from './native.ts';
import * as std from './std.ts';
import * as sui from './sui.ts';
import { vector } from './vector.ts';

const ADDRESS = { std: `0x${'1'.padStart(64, '0')}`, sui: `0x${'2'.padStart(64, '0')}` };

const MODULES = new Map<string, NativeModule>([
  [`${ADDRESS.std}::vector`, vector],
  [`${ADDRESS.std}::bcs`, std.bcs],
  [`${ADDRESS.std}::hash`, std.hash],
  [`${ADDRESS.std}::string`, std.string],
  [`${ADDRESS.std}::type_name`, std.typeNames],
  [`${ADDRESS.std}::debug`, std.debug],
  [`${ADDRESS.sui}::object`, sui.object],
  [`${ADDRESS.sui}::tx_context`, sui.txContext],
  [`${ADDRESS.sui}::transfer`, sui.transfer],
  [`${ADDRESS.sui}::event`, sui.event],
  [`${ADDRESS.sui}::dynamic_field`, sui.dynamicField],
  [`${ADDRESS.sui}::types`, sui.types],
  [`${ADDRESS.sui}::address`, sui.address],
  [`${ADDRESS.sui}::hash`, sui.hash],
  [`${ADDRESS.sui}::hmac`, sui.hmac],
]);

/** The native behind a declaration; undefined when this network does not have it. */
export function findNative(address: string, module: string, name: string): Native | undefined {
  const natives = MODULES.get(`${address}::${module}`);
  return natives !== undefined && Object.hasOwn(natives, name) ? natives[name] : undefined;
}
