import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { listenLocally } from '../listen-locally.ts';

/** Answer of the server at a path: JSON text, with a status if it is not 200. */
type DoubleAnswer = string | { status: number; body: string };

/** A server that answers as a marketplace would, or as a hostile one might. It closes when the test has finished. */
export async function serveAnswers(answer: (path: string) => DoubleAnswer | undefined) {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    const path = req.url!.split('?')[0]!;
    asked.push(path);
    const found = answer(path) ?? { status: 404, body: '{"code": "not_found", "title": "Not found"}' };
    const { status, body } = typeof found === 'string' ? { status: 200, body: found } : found;
    res.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  const { url, close } = await listenLocally(server);
  onTestFinished(close);
  return { url, asked };
}
