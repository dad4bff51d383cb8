import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Random } from '../frames/random.ts';
import { listenLocally } from '../listen-locally.ts';

/** Kinds of receivers. Only `good`, `slow` and `flapping` ones ever answer 2xx. */
export const behaviours = ['good', 'slow', 'flapping', 'failing', 'hanging'] as const;
export type Behaviour = (typeof behaviours)[number];

/** A request that was read in full, and its answer. */
export interface Seen {
  receiver: string;
  id: string;
  /** A value in the body of the answer, which identifies the answer among the stored attempts. */
  nonce: string;
  succeeded: boolean;
  /** Id of the process that sent it. */
  sender: number;
}

/** Silence of a flapping receiver before it closes a connection now and then, in milliseconds. */
const silentMs = 300;

/** Starts receivers `/<behaviour>/<n>?<id of the sending process>` on one port. */
export async function startReceivers(random: Random) {
  const seen: Seen[] = [];
  const waiting = new Set<ServerResponse>();

  function answer(res: ServerResponse, behaviour: Behaviour, one: Seen): void {
    const end = (status: number) => {
      one.succeeded = status === 200;
      res.writeHead(status).end(one.nonce);
    };
    const dice = random.next();
    if (behaviour === 'good') end(200);
    else if (behaviour === 'slow') setTimeout(end, 1 + dice * 20, 200);
    else if (behaviour === 'failing') end(500);
    else if (behaviour === 'hanging') waiting.add(res);
    else if (dice < 0.002) setTimeout(() => res.destroy(), silentMs);
    else if (dice < 0.1) res.destroy();
    else end(dice < 0.3 ? 503 : 200);
  }

  const server = createServer(async (req, res) => {
    res.on('close', () => waiting.delete(res));
    const body = await json(req).catch(() => undefined);
    // A kill interrupted the request before it was complete, so the receiver ignores it.
    if (!body) return;
    const [receiver = '', sender] = (req.url ?? '').split('?');
    const { id } = body as { id: string };
    const one: Seen = { receiver, id, nonce: `n${seen.length}`, succeeded: false, sender: Number(sender) };
    seen.push(one);
    answer(res, receiver.split('/')[1] as Behaviour, one);
  });
  const { url, close } = await listenLocally(server);
  return { url, seen, close };
}
