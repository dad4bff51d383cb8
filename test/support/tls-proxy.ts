import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';

/** A certificate for 127.0.0.1 that no system trusts by default, with its key. Only tests use it. */
export const certificate = readFileSync(join(import.meta.dirname, 'tls/localhost.pem'), 'utf8');

interface TlsProxy {
  port: number;
  /** Numbers of completed and failed handshakes. */
  handshakes: { done: number; refused: number };
  close(): Promise<void>;
}

/** Terminates TLS for a TCP server that has none. */
export async function startTlsProxy(target: string): Promise<TlsProxy> {
  const { hostname, port } = new URL(target);
  const handshakes = { done: 0, refused: 0 };
  const sockets = new Set<{ destroy(): unknown }>();
  const server = createServer({ key: certificate, cert: certificate }, (near) => {
    handshakes.done += 1;
    const far = connect(Number(port), hostname);
    sockets.add(near).add(far);
    near.on('error', () => undefined).on('close', () => far.destroy());
    far.on('error', () => undefined).on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  server.on('tlsClientError', () => {
    handshakes.refused += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    handshakes,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
