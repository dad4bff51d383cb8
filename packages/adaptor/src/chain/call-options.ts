import type { RpcOptions } from '@protobuf-ts/runtime-rpc';

/** Options of one call: it ends after `timeoutMs`, or when the signal aborts. */
export function callOptions(timeoutMs: number, signal?: AbortSignal): RpcOptions {
  return { timeout: timeoutMs, abort: signal };
}
