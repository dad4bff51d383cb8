import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders } from 'node:http2';

/** `x-token` of clients that belong to a test and not to the service. Their calls are not recorded. */
export const testerToken = 'tester';

const channels = ['http2.client.stream.start', 'http2.server.stream.start'];
const rpcPath = /^\/sui\.rpc\.v2\.(\w+\/\w+)$/;

/**
 * Reports each call of a node by native gRPC that this process sends or serves, as `<service>/<method>`. A process
 * that serves the local network so also sees the calls of its child processes. Tests and browsers that use
 * grpc-web are not seen.
 * @returns a function that ends it
 */
export function recordRpcs(onCall: (rpc: string) => void): () => void {
  const onStream = (message: unknown) => {
    const { headers } = message as { headers: IncomingHttpHeaders };
    if (headers['x-token'] === testerToken) return;
    const [, rpc] = rpcPath.exec(String(headers[':path'])) ?? [];
    if (rpc !== undefined) onCall(rpc);
  };
  for (const channel of channels) subscribe(channel, onStream);
  return () => {
    for (const channel of channels) unsubscribe(channel, onStream);
  };
}
