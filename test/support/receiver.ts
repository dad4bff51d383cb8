import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from './listen-locally.ts';

/** A request that the webhook receiver got. */
interface Received {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  atMs: number;
}

export type Answer = (response: ServerResponse, received: Received, request: IncomingMessage) => unknown;

export interface Receiver {
  url: string;
  received: Received[];
  /** The ids of the bodies, in the order of arrival. */
  ids(path?: string): string[];
  close(): Promise<void>;
}

/** A receiver on loopback that stores its requests. `answer` decides its responses; the default is 204. */
export async function startReceiver(
  answer: Answer = (response) => response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const headers = request.headers as Record<string, string>;
    const one = { path: request.url ?? '', headers, body, atMs: performance.now() };
    received.push(one);
    await answer(response, one, request);
  });
  const { url, close } = await listenLocally(server);
  return {
    url,
    received,
    ids: (path) =>
      received
        .filter((one) => path === undefined || one.path === path)
        .map(({ body }) => JSON.parse(String(body)).id),
    close,
  };
}

/** A dispatcher's limits that even the slowest machine does not reach. */
export const unhurriedDispatch = { timeoutMs: 600_000, leaseMs: 3_600_000 };
