import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { callOptions } from '@adaptor-marketplace/adaptor/chain';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { RpcError, type RpcOptions, type ServerStreamingCall } from '@protobuf-ts/runtime-rpc';
import { FatalError } from '../../../lib/errors/index.ts';

interface ServiceInfo {
  /** Digest of the genesis checkpoint. */
  chainId: string;
  /** Highest checkpoint the node has executed. */
  tip: number;
  tipAt: Date;
  /** Lowest checkpoint whose transactions the node still keeps. */
  lowestAvailable: number;
}

export interface LedgerNode {
  url: string;
  client: ChainClient;
  info(signal: AbortSignal): Promise<ServiceInfo>;
  readDigest(checkpoint: number, signal: AbortSignal): Promise<string>;
  close(): void;
}

const timeoutMs = 10_000;

/** @param client of the node at `url`; closed with the node */
export function openNode(url: string, client: ChainClient): LedgerNode {
  return {
    url,
    client,
    close: () => client.close(),
    async info(signal) {
      const { response } = await client.ledgerService.getServiceInfo({}, callOptions(timeoutMs, signal));
      const { chainId, checkpointHeight, lowestAvailableCheckpoint, timestamp } = response;
      if (!chainId) throw new Error(`${url} does not say which chain it serves`);
      return {
        chainId,
        tip: Number(checkpointHeight ?? -1n),
        tipAt: new Date(Number(timestamp?.seconds ?? 0n) * 1000 + (timestamp?.nanos ?? 0) / 1e6),
        lowestAvailable: Number(lowestAvailableCheckpoint ?? 0n),
      };
    },
    async readDigest(checkpoint, signal) {
      const { response } = await requestDigest(client, checkpoint, callOptions(timeoutMs, signal));
      const digest = response.checkpoint?.digest;
      if (!digest) throw new Error(`${url} answered without the digest of checkpoint ${checkpoint}`);
      return digest;
    },
  };
}

export const requestDigest = ({ ledgerService }: ChainClient, checkpoint: number, options: RpcOptions) =>
  ledgerService.getCheckpoint(
    {
      checkpointId: { oneofKind: 'sequenceNumber', sequenceNumber: BigInt(checkpoint) },
      readMask: { paths: ['digest'] },
    },
    options,
  );

interface StreamOptions {
  signal: AbortSignal;
  /** Milliseconds without a message after which the stream counts as dead. */
  idleMs: number;
  /** Called when the node has accepted the call, before its first message. */
  onOpen?: () => void;
}

/** Nothing came for so long that the connection may be dead; on a chain that stands still, nothing is wrong. */
export class StreamSilentError extends Error {}

/** Hands each message of a stream to `onMessage`, which must not wait. @throws StreamSilentError, or any other */
export async function readStream<T extends object>(
  open: (options: RpcOptions) => ServerStreamingCall<object, T>,
  onMessage: (message: T) => void,
  { signal, idleMs, onOpen }: StreamOptions,
): Promise<void> {
  signal.throwIfAborted();
  // Also ends a call whose stream went silent.
  const abort = new AbortController();
  const onAbort = () => abort.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const idle = setTimeout(() => {
    reject(new StreamSilentError(`no message for ${idleMs / 1000} s`));
  }, idleMs);
  try {
    const call = open({ abort: abort.signal });
    // A call that is refused fails its responses too.
    call.headers.then(onOpen, () => undefined);
    call.responses.onNext((message, error, complete) => {
      if (error) return reject(error);
      if (complete) return resolve();
      idle.refresh();
      try {
        if (message) onMessage(message);
      } catch (thrown) {
        reject(thrown);
      }
    });
    await ended;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(idle);
    signal.removeEventListener('abort', onAbort);
    abort.abort();
  }
}

export const isPruned = (error: unknown) => error instanceof RpcError && error.code === 'OUT_OF_RANGE';

/** Creates the error for pruned history, which must stop the source: continuing would leave an invisible gap. */
export function createPrunedError(
  network: string,
  url: string,
  from: number,
  lowest: number | undefined,
): FatalError {
  const floor = lowest === undefined ? '' : ` It keeps checkpoint ${lowest} and later.`;
  return new FatalError(
    'pruned_cursor',
    `${url} no longer keeps checkpoint ${from}, the next one to read.${floor} ` +
      `Set SUI_${network.toUpperCase()}_ARCHIVE_URL to a node that does, or SUI_${network.toUpperCase()}_CHECKPOINTS_URL to ` +
      'a bucket of checkpoint files.',
  );
}

export function describeFailure(error: unknown): string {
  if (error instanceof RpcError) return `${error.code}: ${plainReason(error.message)}`;
  return getErrorMessage(error);
}

/** Returns the reason why there is no connection, without the gRPC client's text around it. */
const plainReason = (message: string) =>
  message
    .replace(/^No connection established\. Last error: (?:Error: )?/, '')
    .replace(/\. Resolution note: *$/, '');

/** Returns an exponential delay from half a second to half a minute, with jitter so that sources return apart. */
export function chooseBackoff(attempt: number, random = Math.random): number {
  return Math.min(30_000, 500 * 2 ** Math.min(attempt, 10)) * (0.5 + random() / 2);
}
