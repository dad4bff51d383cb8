import type { RpcOptions } from '@protobuf-ts/runtime-rpc';

/**
 * Options of one call: it ends after `timeoutMs`, or when the signal aborts. The transport never removes its
 * listener from a signal, so each call gets one of its own and a long-lived signal collects none.
 */
export function callOptions(timeoutMs: number, signal?: AbortSignal): RpcOptions {
  return signal ? { timeout: timeoutMs, abort: AbortSignal.any([signal]) } : { timeout: timeoutMs };
}
