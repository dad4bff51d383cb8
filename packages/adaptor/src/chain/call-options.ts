import type { RpcOptions } from '@protobuf-ts/runtime-rpc';

/**
 * Options of one call: it ends after `timeoutMs`, or when the signal aborts. The transport never removes its listener
 * from a signal. Each call therefore gets a signal of its own, so that a long-lived one does not collect listeners.
 */
export function callOptions(timeoutMs: number, signal?: AbortSignal): RpcOptions {
  return signal ? { timeout: timeoutMs, abort: AbortSignal.any([signal]) } : { timeout: timeoutMs };
}
