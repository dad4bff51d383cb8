import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  /** The given url, by way of the proxy. */
  url: string;
  /** Breaks every connection and refuses new ones, as a server that has gone does. */
  cut(): Promise<void>;
  /** Ends what `cut` or `stall` did. */
  restore(): Promise<void>;
  /** Takes connections and bytes as before, and passes none on, as a server that hangs does. */
  stall(): void;
}

/** A way to a TCP server that can be taken away and given back. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let stalled = false;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      if (!stalled) one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = (server.address() as AddressInfo).port;
  const url = new URL(target);
  url.host = `127.0.0.1:${own}`;
  return {
    url: url.href,
    async cut() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    stall() {
      stalled = true;
      for (const socket of sockets) socket.unpipe().resume();
    },
    async restore() {
      if (stalled) {
        stalled = false;
        // What was swallowed is missing from these connections for good.
        for (const socket of sockets) socket.destroy();
        return;
      }
      server.listen(own, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}
