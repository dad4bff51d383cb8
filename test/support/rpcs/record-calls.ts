import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';

/** A call of a node, by native gRPC or grpc-web. Times are of `performance.now()`. */
export interface RecordedCall {
  /** `<service>/<method>` */
  rpc: string;
  startMs: number;
  /** Infinity for a call that has not ended. */
  endMs: number;
}

/** The calls of a node that this process makes, and the function that ends the record. */
interface CallRecord {
  calls: readonly RecordedCall[];
  end(): void;
}

const rpcPath = /^\/sui\.rpc\.v2\.(\w+\/\w+)$/;

/** Records the calls that this process sends to a url, with their start and end. Other clients use another url. */
export function recordCalls(url: string): CallRecord {
  const { host, origin } = new URL(url);
  const calls: RecordedCall[] = [];
  const begin = (path: unknown): RecordedCall | undefined => {
    const [, rpc] = rpcPath.exec(String(path)) ?? [];
    if (rpc === undefined) return undefined;
    const call = { rpc, startMs: performance.now(), endMs: Number.POSITIVE_INFINITY };
    calls.push(call);
    return call;
  };
  const end = (call: RecordedCall | undefined) => {
    if (call) call.endMs = performance.now();
  };

  const onStream = (message: unknown) => {
    const { headers, stream } = message as { headers: IncomingHttpHeaders; stream: ClientHttp2Stream };
    if (headers[':authority'] !== host) return;
    const call = begin(headers[':path']);
    stream.once('close', () => end(call));
  };
  const fetched = new Map<object, RecordedCall>();
  const onRequest = (message: unknown) => {
    const { request } = message as { request: { origin: unknown; path: unknown } };
    const call = String(request.origin) === origin ? begin(request.path) : undefined;
    if (call) fetched.set(request, call);
  };
  const onRequestEnd = (message: unknown) => end(fetched.get((message as { request: object }).request));
  const channels = {
    'http2.client.stream.start': onStream,
    'undici:request:create': onRequest,
    'undici:request:trailers': onRequestEnd,
    'undici:request:error': onRequestEnd,
  };
  for (const [name, listener] of Object.entries(channels)) subscribe(name, listener);
  return {
    calls,
    end() {
      for (const [name, listener] of Object.entries(channels)) unsubscribe(name, listener);
    },
  };
}

/**
 * Counts the calls of the longest chain in which each call begins after the one before has ended: the round trips that
 * someone waits for.
 */
export function countSequential(calls: readonly RecordedCall[]): number {
  let count = 0;
  let endMs = 0;
  for (const call of calls.toSorted((one, other) => one.endMs - other.endMs)) {
    if (call.startMs < endMs) continue;
    count += 1;
    endMs = call.endMs;
  }
  return count;
}
