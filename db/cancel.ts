import { connect } from 'node:net';
import type pg from 'pg';

/** Reads on one connection, for a caller that may leave. */
interface AbortableReads {
  /** Runs a statement, unless the signal has aborted. @throws the signal's reason */
  query: pg.ClientBase['query'];
  /** Gives the connection back to the pool, or closes it if a statement was cancelled or `failed` is set. */
  release(failed?: Error | boolean): void;
}

/**
 * Ends the statements of a connection when the signal aborts. A statement that runs is cancelled, and its connection is
 * closed before the request to cancel is sent: so the request can never end a later statement, of another caller.
 */
export function abortReads(client: pg.PoolClient, signal: AbortSignal | undefined): AbortableReads {
  let running = 0;
  let isCancelled = false;
  const cancel = () => {
    if (running === 0) return;
    isCancelled = true;
    cancelBackend(client);
  };
  const query = async (...statement: Parameters<pg.ClientBase['query']>) => {
    signal?.throwIfAborted();
    running += 1;
    try {
      return await client.query(...statement);
    } catch (error) {
      throw isCancelled ? signal?.reason : error;
    } finally {
      running -= 1;
    }
  };
  signal?.addEventListener('abort', cancel, { once: true });
  return {
    query: query as unknown as pg.ClientBase['query'],
    release(failed) {
      signal?.removeEventListener('abort', cancel);
      client.release(isCancelled || failed);
    },
  };
}

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
