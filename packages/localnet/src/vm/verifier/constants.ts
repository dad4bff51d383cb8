import type { TokenJson } from '@adaptor-marketplace/move-bytecode';
import { deserializeValue } from '../bcs.ts';
import { BcsError } from '../bcs-reader.ts';
import { VmError, verificationError } from '../errors.ts';
import type { LoadedModule } from '../loader/module.ts';

/**
 * Constants:
 *
 * - INVALID_CONSTANT_TYPE: a number, a bool, an address, or vectors of them;
 * - MALFORMED_CONSTANT_DATA: the bytes are a value of the type, and nothing more.
 */
export function checkConstants(module: LoadedModule): void {
  for (const [i, { type_, data }] of module.json.constant_pool.entries()) {
    if (!mayBeConstant(type_)) throw verificationError('INVALID_CONSTANT_TYPE', `constant ${i}`);
    try {
      deserializeValue(module.type(type_, []), Uint8Array.from(data));
    } catch (error) {
      if (!(error instanceof BcsError || error instanceof VmError)) throw error;
      throw verificationError('MALFORMED_CONSTANT_DATA', `constant ${i}: ${error.message}`);
    }
  }
}

function mayBeConstant(type: TokenJson): boolean {
  if (typeof type === 'string') return type !== 'Signer';
  return 'Vector' in type && mayBeConstant(type.Vector);
}
