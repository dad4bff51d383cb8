import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** A server that listens on a free port of loopback. */
interface LocalServer {
  port: number;
  url: string;
  /** Ends the server with its connections, if it is an HTTP/1 server. */
  close(): Promise<void>;
}

export async function listenLocally(
  server: Server & { closeAllConnections?: () => void },
): Promise<LocalServer> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections?.();
      await closed;
    },
  };
}
