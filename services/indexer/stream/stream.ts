import type { RpcOptions, ServerStreamingCall } from '@protobuf-ts/runtime-rpc';

export interface StreamOptions {
  signal: AbortSignal;
  /** Milliseconds without a message after which the stream counts as dead. */
  idleMs: number;
}

/** Nothing came for so long that the connection may be dead; on a chain that stands still, nothing is wrong. */
export class SilentError extends Error {}

/**
 * Hands each message of a stream to `onMessage`, which must not wait.
 * @throws RpcError of the node; SilentError; what `onMessage` throws; the signal's reason
 */
export async function readStream<T extends object>(
  open: (options: RpcOptions) => ServerStreamingCall<object, T>,
  onMessage: (message: T) => void,
  { signal, idleMs }: StreamOptions,
): Promise<void> {
  signal.throwIfAborted();
  // The transport never removes its listener from a signal, so the call gets one of its own.
  const abort = new AbortController();
  const onAbort = () => abort.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const idle = setTimeout(() => {
    reject(new SilentError(`no message for ${idleMs / 1000} s`));
  }, idleMs);
  try {
    open({ abort: abort.signal }).responses.onNext((message, error, complete) => {
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
