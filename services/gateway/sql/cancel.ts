import { connect } from 'node:net';
import type pg from 'pg';

/**
 * Ends the statement of a connection, by a cancel request of PostgreSQL and by closing the connection. If the request
 * does not arrive, the server notices the closed connection within a second.
 */
export function cancelBackend(client: pg.PoolClient): void {
  const [processId, secret] = ['processID', 'secretKey'].map((name) => Reflect.get(client, name) as unknown);
  client.connection.stream.destroy();
  if (typeof processId !== 'number' || typeof secret !== 'number') return;
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(cancelRequestCode, 4);
  request.writeInt32BE(processId, 8);
  request.writeInt32BE(secret, 12);
  const { host, port } = client;
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.on('error', () => undefined);
  socket.setTimeout(5_000, () => socket.destroy());
  socket.end(request);
}

const cancelRequestCode = 80_877_102;
