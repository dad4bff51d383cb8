import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listenLocally } from '../support/listen-locally.ts';

/** A server that webhooks are sent to. */
export interface Receiver {
  url: string;
  /** Times that it answered with 200, by the id of the event. */
  received: ReadonlyMap<string, number>;
  /** Sets what it answers with from now on. `nothing`: it keeps the connection open. */
  answerWith(answer: number | 'nothing'): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received = new Map<string, number>();
  const unanswered = new Set<ServerResponse>();
  let current: number | 'nothing' = 200;
  const server = createServer(async (req, res) => {
    const body = (await json(req).catch(() => undefined)) as { id: string } | undefined;
    if (!body) return;
    if (current === 'nothing') return unanswered.add(res);
    if (current === 200) received.set(body.id, (received.get(body.id) ?? 0) + 1);
    res.writeHead(current).end();
  });
  const { url, close } = await listenLocally(server);
  return {
    url,
    received,
    answerWith(answer) {
      current = answer;
      for (const res of unanswered) res.destroy();
      unanswered.clear();
    },
    close,
  };
}
