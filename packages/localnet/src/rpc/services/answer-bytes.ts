import { UnknownFieldHandler } from '@protobuf-ts/runtime';
import { GrpcError, GrpcStatusCode } from '../server/status.ts';

/** Maximum number of bytes of one answer that holds many items: hundreds of the largest objects. */
const maxAnswerBytes = 64 * 1024 * 1024;
/** What a number, a key or the frame of a message counts for. */
const leafBytes = 4;

/** Counts what the items of one answer take, so that no list of ids makes it as large as memory. */
export class AnswerBytes {
  #left = maxAnswerBytes;

  /** The item, counted. @throws GrpcError RESOURCE_EXHAUSTED when the answer has no room for it. */
  add<Item extends object>(item: Item): Item {
    this.#left -= bytesOf(item);
    if (this.#left >= 0) return item;
    throw new GrpcError(
      GrpcStatusCode.RESOURCE_EXHAUSTED,
      `the answer is above ${maxAnswerBytes} bytes: ask for fewer items at once, or for fewer of their fields`,
    );
  }
}

/** About how long a message is on the wire. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return leafBytes + value.length;
  if (typeof value !== 'object' || value === null) return leafBytes;
  let bytes = leafBytes;
  for (const part of Object.values(value)) bytes += bytesOf(part);
  for (const { data } of UnknownFieldHandler.list(value)) bytes += data.length;
  return bytes;
}
