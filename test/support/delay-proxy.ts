import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A proxy to a local server that simulates a distant one. Each byte arrives half of the round trip later, in order. The
 * bandwidth is unlimited, so that only the protocol's own waiting slows it down.
 */
export async function startDelayProxy(
  target: string,
  roundTripMs: number,
): Promise<{ url: string; close(): void }> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (chunk) => setTimeout(() => to.write(chunk), roundTripMs / 2));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        setTimeout(() => to.destroy(), roundTripMs / 2);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.origin,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
