import { isUtf8 } from 'node:buffer';
import { deserializeValue } from '../vm/bcs.ts';
import { BcsError } from '../vm/bcs-reader.ts';
import { VmError } from '../vm/errors.ts';
import { isFrameworkType } from '../vm/framework.ts';
import type { Type } from '../vm/types.ts';
import { ByteVector, StructValue, type Value, VectorValue } from '../vm/values.ts';
import type { ArgumentErrorName } from './failures.ts';

/** Whether the chain lets plain bytes stand for the type: primitives, text, ids, and vectors and options of them. */
function isPureType(type: Type): boolean {
  if (type.kind === 'vector') return isPureType(type.element);
  if (type.kind === 'datatype') {
    if (isFrameworkType(type, 'std', 'option', 'Option')) return isPureType(type.args[0]!);
    return isText(type) || isFrameworkType(type, 'sui', 'object', 'ID');
  }
  return type.kind !== 'signer' && type.kind !== 'reference' && type.kind !== 'parameter';
}

function isText(type: Type): boolean {
  return isFrameworkType(type, 'std', 'string', 'String') || isFrameworkType(type, 'std', 'ascii', 'String');
}

/**
 * Decodes a pure input strictly; answers the name of the error instead of a value when it may not be.
 * @param unchecked of any type, whatever its module promises of the value
 */
export function decodePure(
  type: Type,
  bytes: Uint8Array,
  unchecked = false,
): Value | { error: ArgumentErrorName } {
  if (!unchecked && !isPureType(type)) return { error: 'InvalidUsageOfPureArg' };
  try {
    const value = deserializeValue(type, bytes);
    return unchecked || isValid(type, value) ? value : { error: 'InvalidBCSBytes' };
  } catch (error) {
    if (error instanceof BcsError || error instanceof VmError) return { error: 'InvalidBCSBytes' };
    throw error;
  }
}

/** What the layout alone does not say: text is text, an option holds at most one value. */
function isValid(type: Type, value: Value): boolean {
  if (type.kind === 'vector') {
    return !(value instanceof VectorValue) || value.items.every((item) => isValid(type.element, item));
  }
  if (type.kind !== 'datatype' || !(value instanceof StructValue)) return true;
  const [inner] = value.fields;
  if (isText(type)) {
    const bytes = inner instanceof ByteVector ? inner.view : new Uint8Array();
    return type.datatype.module === 'ascii' ? bytes.every((byte) => byte < 0x80) : isUtf8(bytes);
  }
  if (isFrameworkType(type, 'std', 'option', 'Option')) {
    const count = inner instanceof VectorValue || inner instanceof ByteVector ? inner.length : 0;
    return (
      count <= 1 &&
      (!(inner instanceof VectorValue) || inner.items.every((item) => isValid(type.args[0]!, item)))
    );
  }
  return true;
}
