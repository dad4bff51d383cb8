import { BytecodeError, type ModuleJson, parseModule } from '@adaptor-marketplace/move-bytecode';
import { verificationError } from '../errors.ts';
import { checkBinary } from './binary-limits.ts';

/**
 * Parses bytecode. Checked are the binary format, the bounds of every index, the format's version and the sizes of
 * tables. Throws a `verification` error.
 */
export function deserializeModule(bytes: Uint8Array): ModuleJson {
  const json = parse(bytes);
  checkBinary(bytes, json);
  return json;
}

function parse(bytes: Uint8Array): ModuleJson {
  try {
    return parseModule(bytes);
  } catch (error) {
    if (error instanceof BytecodeError) throw verificationError(error.status, error.message);
    throw error;
  }
}
