import type { ModuleJson } from '@adaptor-marketplace/move-bytecode';
import type { GrpcTypes } from '@mysten/sui/grpc';
import { BcsReader } from '../../vm/bcs-reader.ts';

type Constant = ModuleJson['constant_pool'][number];

/** What a place in an abort code is when it stands for nothing. */
const absent = { index: 0xffff, errorCode: 0xff };

/**
 * What the compiler put into an abort code that no programmer wrote: the line, and for a constant with `#[error]` its
 * name, value and own code. From the highest bit on: 1, whether there may be an own code, 6 unused, own code (8), line
 * (16), places of name and value among the module's constants (16 each). Undefined for every other code.
 */
export function cleverError(code: bigint, module: ModuleJson): GrpcTypes.CleverError | undefined {
  const bits = (at: number, width: number) => Number((code >> BigInt(at)) & ((1n << BigInt(width)) - 1n));
  const [line, nameAt, valueAt] = [bits(32, 16), bits(16, 16), bits(0, 16)];
  if (bits(63, 1) === 0 || line === absent.index) return undefined;
  const errorCode = bits(62, 1) === 1 ? bits(48, 8) : absent.errorCode;
  const error: GrpcTypes.CleverError = {
    lineNumber: BigInt(line),
    ...(errorCode !== absent.errorCode && { errorCode: BigInt(errorCode) }),
    value: { oneofKind: undefined },
  };
  if (nameAt === absent.index && valueAt === absent.index) return error;
  const [name, value] = [module.constant_pool[nameAt], module.constant_pool[valueAt]];
  const constantName = name && text(name);
  if (constantName === undefined || value === undefined) return undefined;
  const rendered = text(value) ?? primitive(value);
  return {
    ...error,
    constantName,
    value:
      rendered === undefined
        ? { oneofKind: 'raw', raw: Uint8Array.from(value.data) }
        : { oneofKind: 'rendered', rendered },
  };
}

function text({ type_, data }: Constant): string | undefined {
  if (typeof type_ === 'string' || !('Vector' in type_) || type_.Vector !== 'U8') return undefined;
  const reader = new BcsReader(Uint8Array.from(data));
  const bytes = reader.bytes(reader.length());
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function primitive({ type_, data }: Constant): string | undefined {
  const reader = new BcsReader(Uint8Array.from(data));
  if (type_ === 'Bool') return String(reader.small(1) !== 0);
  if (type_ === 'Address') return reader.address();
  return typeof type_ === 'string' && /^U\d+$/.test(type_) ? String(reader.big(data.length)) : undefined;
}
