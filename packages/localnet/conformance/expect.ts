import assert from 'node:assert/strict';
import { RpcError } from '@mysten/sui/grpc';
import { fromBase58, toBase58 } from '@mysten/sui/utils';
import { blake2b } from '@noble/hashes/blake2.js';

/** The status that ends a call. */
export async function codeOf(call: PromiseLike<unknown>): Promise<string> {
  return (await errorOf(call))?.code ?? 'OK';
}

export async function errorOf(call: PromiseLike<unknown>): Promise<RpcError | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    const cause = error instanceof RpcError ? error : (error as Error).cause;
    if (cause instanceof RpcError) return cause;
    throw error;
  }
}

export async function refused(code: string, call: PromiseLike<unknown>): Promise<void> {
  assert.equal(await codeOf(call), code);
}

/** The call is refused, and its details name the field as `google.rpc.BadRequest` does. */
export async function refusedField(field: string, call: PromiseLike<unknown>): Promise<void> {
  const error = await errorOf(call);
  assert.equal(error?.code, 'INVALID_ARGUMENT');
  const details = Buffer.from(String(error.meta['grpc-status-details-bin'] ?? ''), 'base64').toString(
    'latin1',
  );
  assert.match(details, /google\.rpc\.BadRequest/);
  assert.ok(details.includes(field), `the details name ${field}: ${JSON.stringify(details)}`);
}

export function isDigest(value: unknown): asserts value is string {
  assert.ok(typeof value === 'string' && fromBase58(value).length === 32, `${value} is a digest`);
}

export function isId(value: unknown): asserts value is string {
  assert.match(String(value), /^0x[0-9a-f]{64}$/);
}

/** Which fields are set; empty lists and maps count as unset. */
export function fieldsOf(message: object | undefined): string[] {
  return Object.entries(message ?? {})
    .filter(([, value]) => value !== undefined && !isEmpty(value))
    .map(([name]) => name)
    .sort();
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  const entries = Object.entries(value);
  return entries.length === 0 || (entries.length === 1 && entries[0]![0] === 'oneofKind' && !entries[0]![1]);
}

/** The chain's digest of a BCS value: BLAKE2b-256 over the type's name, `::` and the bytes, in base58. */
export function digestOf(type: string, bytes: Uint8Array): string {
  const hash = blake2b.create({ dkLen: 32 });
  return toBase58(
    hash
      .update(Buffer.from(`${type}::`))
      .update(bytes)
      .digest(),
  );
}

export async function collect<Frame>(call: { responses: AsyncIterable<Frame> }): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of call.responses) frames.push(frame);
  return frames;
}

export const missingId = `0x${'de'.repeat(32)}`;
export const missingDigest = toBase58(new Uint8Array(32).fill(0xde));
