import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export interface TcpProxy {
  /** The target's URL with the address of the proxy. */
  url: string;
  /** Closes every connection and refuses new ones, as if the server were down. */
  cut(): Promise<void>;
  /** Does what `cut` does as soon as a client sends these bytes, which do not arrive. Resolves then. */
  cutAt(bytes: string): Promise<void>;
  /** Reverts `cut` or `stall`. */
  restore(): Promise<void>;
  /** Accepts connections and bytes but forwards none, as if the server hung. */
  stall(): void;
}

/**
 * A proxy to a TCP server that tests can cut and restore.
 * @param roundTripMs distance to the server: each byte arrives half of it later, in order. The bandwidth is unlimited, so
 * that only the waiting of the protocol slows it down.
 */
export async function startTcpProxy(target: string, roundTripMs = 0): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let stalled = false;
  let cutting: { bytes: string; done: () => void } | undefined;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.on('data', (chunk: Buffer) => {
      if (cutting === undefined || !chunk.includes(cutting.bytes)) return;
      const { done } = cutting;
      cutting = undefined;
      void cut().then(done);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        if (roundTripMs > 0) setTimeout(() => other.destroy(), roundTripMs / 2);
        else other.destroy();
      });
      if (stalled) continue;
      if (roundTripMs > 0) one.pipe(delayBytes(roundTripMs / 2)).pipe(other);
      else one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = (server.address() as AddressInfo).port;
  const url = new URL(target);
  url.host = `127.0.0.1:${own}`;
  async function cut(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }
  return {
    url: url.href,
    cut,
    cutAt: (bytes) => new Promise((done) => (cutting = { bytes, done })),
    stall() {
      stalled = true;
      for (const socket of sockets) socket.unpipe().resume();
    },
    async restore() {
      if (stalled) {
        stalled = false;
        // These connections have lost the bytes that were not forwarded.
        for (const socket of sockets) socket.destroy();
        return;
      }
      server.listen(own, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}

/** A stream that passes each chunk on after `ms`, and takes any number of them meanwhile. */
const delayBytes = (ms: number) =>
  new Transform({
    transform(chunk, _encoding, done) {
      setTimeout(() => this.push(chunk), ms);
      done();
    },
    flush(done) {
      setTimeout(done, ms);
    },
  });
