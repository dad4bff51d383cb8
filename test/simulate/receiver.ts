import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { listenLocally } from '../support/listen-locally.ts';

/** A server that webhooks are sent to. */
export interface Receiver {
  url: string;
  /** Times that it answered with 200, by path and by the id of the event. */
  received: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Number of requests that no secret of their path had signed, by path. */
  forged: ReadonlyMap<string, number>;
  /** @returns a path for a webhook with this secret */
  addPath(secret: string): string;
  /** Accepts one more secret at a path. */
  addSecret(path: string, secret: string): void;
  /** Sets what it answers with from now on. `nothing`: it keeps the connection open. */
  answerWith(answer: number | 'nothing'): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received = new Map<string, Map<string, number>>();
  const forged = new Map<string, number>();
  const secrets = new Map<string, string[]>();
  const unanswered = new Set<ServerResponse>();
  let current: number | 'nothing' = 200;
  const server = createServer(async (req, res) => {
    const body = await text(req).catch(() => undefined);
    if (body === undefined) return;
    const path = req.url!;
    const headers = req.headers as Record<string, string>;
    if (!secrets.get(path)?.some((secret) => isSigned(secret, body, headers)))
      forged.set(path, (forged.get(path) ?? 0) + 1);
    if (current === 'nothing') return unanswered.add(res);
    if (current === 200) {
      const ids = received.get(path) ?? new Map<string, number>();
      const { id } = JSON.parse(body);
      received.set(path, ids.set(id, (ids.get(id) ?? 0) + 1));
    }
    res.writeHead(current).end();
  });
  const { url, close } = await listenLocally(server);
  return {
    url,
    received,
    forged,
    addPath(secret) {
      const path = `/${secrets.size}`;
      secrets.set(path, [secret]);
      return path;
    },
    addSecret: (path, secret) => void secrets.get(path)!.push(secret),
    answerWith(answer) {
      current = answer;
      for (const res of unanswered) res.destroy();
      unanswered.clear();
    },
    close,
  };
}

function isSigned(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
