import { connect } from 'node:net';
import type pg from 'pg';

/** Id of the server process of a connection; undefined if the server has not sent it. */
export function readProcessId(client: pg.PoolClient): number | undefined {
  const processId: unknown = Reflect.get(client, 'processID');
  return typeof processId === 'number' ? processId : undefined;
}

/** Ends a statement by a cancel request, and by closing the connection, which the server notices within a second. */
export function cancelBackend(client: pg.PoolClient): void {
  const processId = readProcessId(client);
  const secret: unknown = Reflect.get(client, 'secretKey');
  client.connection.stream.destroy();
  if (processId === undefined || typeof secret !== 'number') return;
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
