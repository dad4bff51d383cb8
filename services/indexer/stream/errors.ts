import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import { FatalError } from '../../../lib/errors/index.ts';

/** The node no longer keeps what was asked for. */
export const isPruned = (error: unknown) => error instanceof RpcError && error.code === 'OUT_OF_RANGE';

/** History that is gone must stop the source: going on would leave a hole that nobody sees. */
export function prunedError(
  network: string,
  url: string,
  from: number,
  lowest: number | undefined,
): FatalError {
  const floor = lowest === undefined ? '' : ` It keeps checkpoint ${lowest} and later.`;
  return new FatalError(
    'pruned_cursor',
    `${url} no longer keeps checkpoint ${from}, which is to be read next.${floor} ` +
      `Set SUI_${network.toUpperCase()}_ARCHIVE_URL to a node that does.`,
  );
}

/** A failure in words, with the gRPC code where there is one. */
export function describeFailure(error: unknown): string {
  if (error instanceof RpcError) return `${error.code}: ${plainReason(error.message)}`;
  return messageOf(error);
}

/** Why there is no connection, without what the gRPC client says around it. */
const plainReason = (message: string) =>
  message
    .replace(/^No connection established\. Last error: (?:Error: )?/, '')
    .replace(/\. Resolution note: *$/, '');

/** Exponential from half a second to half a minute, with full jitter so that many sources do not return at once. */
export function backoffMs(attempt: number, random = Math.random): number {
  return Math.min(30_000, 500 * 2 ** Math.min(attempt, 10)) * (0.5 + random() / 2);
}
