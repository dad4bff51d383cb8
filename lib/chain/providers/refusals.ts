import { isExpiredName, lacksListIndex } from '@adaptor-marketplace/adaptor/chain';
import { BinaryReader, WireType } from '@protobuf-ts/runtime';
import { RpcError, type RpcMetadata } from '@protobuf-ts/runtime-rpc';
import { listFields } from '../../protobuf/fields.ts';

/** A request was not sent, because it would have to wait beyond its deadline. */
export class NotSentError extends RpcError {
  readonly retryAfterSeconds: number;

  constructor(reason: string, waitMs: number) {
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
    super(`${reason}; retry in ${seconds} s`, 'RESOURCE_EXHAUSTED');
    this.name = 'NotSentError';
    this.retryAfterSeconds = seconds;
  }
}

/** Verdict about a provider that the error of a call holds. */
type CallFailure =
  /** The provider answered, though with an error: the error is the same on every provider. */
  | { kind: 'answer' }
  /** Too many requests. `delayMs` is the time after which the provider takes the next one, if it says so. */
  | { kind: 'limited'; delayMs: number | undefined }
  /** The provider is away, or too slow. */
  | { kind: 'failed' };

/** Status codes of a node that concern a simulated transaction and not the node. */
export const transactionRefusals: ReadonlySet<string> = new Set([
  'INVALID_ARGUMENT',
  'FAILED_PRECONDITION',
  'NOT_FOUND',
  'ABORTED',
  'OUT_OF_RANGE',
]);

const awayCodes = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED']);

export function classifyFailure(error: unknown): CallFailure {
  if (!(error instanceof RpcError) || lacksListIndex(error) || isExpiredName(error)) {
    return { kind: 'answer' };
  }
  // A proxy in front of a node refuses by HTTP, which gRPC clients turn into UNAVAILABLE.
  const isLimited = error.code === 'RESOURCE_EXHAUSTED' || /HTTP status code 429/.test(error.message);
  if (isLimited) return { kind: 'limited', delayMs: readDelayMs(error.meta) };
  return awayCodes.has(error.code) ? { kind: 'failed' } : { kind: 'answer' };
}

/**
 * Reads the delay that a refusal names: `grpc-retry-pushback-ms`, `google.rpc.RetryInfo` in the details of the status, or
 * `retry-after` in seconds.
 */
function readDelayMs(meta: RpcMetadata): number | undefined {
  const text = (name: string) => {
    const value = meta[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const pushback = text('grpc-retry-pushback-ms');
  if (pushback !== undefined && /^\d{1,9}$/.test(pushback)) return Number(pushback);
  const retryAfter = text('retry-after');
  if (retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const details = text('grpc-status-details-bin');
  return details === undefined ? undefined : readRetryInfoMs(Buffer.from(details, 'base64'));
}

/** Reads the delay from `google.rpc.Status` → details → `RetryInfo` → retry_delay. The SDK exports none of these types. */
function readRetryInfoMs(status: Uint8Array): number | undefined {
  try {
    for (const detail of listFields(status, 3)) {
      const [type] = listFields(detail, 1);
      if (
        !Buffer.from(type ?? [])
          .toString()
          .endsWith('/google.rpc.RetryInfo')
      )
        continue;
      const [info = new Uint8Array()] = listFields(detail, 2);
      const [delay = new Uint8Array()] = listFields(info, 1);
      return readDurationMs(delay);
    }
  } catch {
    // The details are broken: the refusal counts as one without a delay.
  }
  return undefined;
}

/** Reads a `google.protobuf.Duration`: seconds and nanoseconds. */
function readDurationMs(duration: Uint8Array): number {
  const reader = new BinaryReader(duration);
  let ms = 0;
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1 && wireType === WireType.Varint) ms += Number(reader.int64().toString()) * 1_000;
    else if (field === 2 && wireType === WireType.Varint) ms += Math.ceil(reader.int32() / 1e6);
    else reader.skip(wireType);
  }
  return Math.max(0, ms);
}
