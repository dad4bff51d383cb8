import { brokenInvariant } from '../errors.ts';
import type { Native } from '../runtime/machine.ts';
import { ByteVector, Ref, StructValue, type Value } from '../values.ts';

/** Natives of one module, by name. */
export type NativeModule = Record<string, Native>;

/** The bytes of a `vector<u8>` argument, or of a reference to one. */
export function bytesOf(value: Value | undefined): Uint8Array {
  const inner = value instanceof Ref ? value.read() : value;
  if (inner instanceof ByteVector) return inner.view;
  throw brokenInvariant('a native was given something else than bytes');
}

export function byteVector(bytes: Uint8Array): ByteVector {
  return new ByteVector(Uint8Array.from(bytes));
}

/** `std::ascii::String` and `std::string::String` alike. */
export function textValue(text: string): StructValue {
  return new StructValue([new ByteVector(new TextEncoder().encode(text))]);
}

export function structBehind(value: Value | undefined): StructValue {
  const inner = value instanceof Ref ? value.read() : value;
  if (inner instanceof StructValue) return inner;
  throw brokenInvariant('a native was given something else than a struct');
}
