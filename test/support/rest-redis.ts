import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Redis } from 'ioredis';
import { listenLocally } from './listen-locally.ts';

interface RestRedis {
  url: string;
  token: string;
  /** Number of HTTP requests that it has answered. */
  requests: number;
  close(): Promise<void>;
}

type Answer = { result: unknown } | { error: string };

/** Speaks Upstash's REST protocol in front of a real Redis: one command, or `/pipeline`, as JSON. */
export async function startRestRedis(redisUrl: string): Promise<RestRedis> {
  const redis = new Redis(redisUrl);
  const token = 'a-token-of-the-test';

  async function runCommand(parts: unknown, base64: boolean): Promise<Answer> {
    if (!Array.isArray(parts) || parts.length === 0) return { error: 'ERR empty command' };
    try {
      const result = await redis.call(String(parts[0]), parts.slice(1).map(String));
      return { result: base64 ? encodeBase64(result) : result };
    } catch (error) {
      return { error: (error as Error).message };
    }
  }

  async function answer(req: IncomingMessage): Promise<[status: number, body: Answer | Answer[]]> {
    const body = await text(req);
    if (req.headers.authorization !== `Bearer ${token}`) return [401, { error: 'Unauthorized' }];
    if (req.method !== 'POST') return [405, { error: 'Send commands by POST' }];
    const base64 = req.headers['upstash-encoding'] === 'base64';
    const parsed: unknown = JSON.parse(body);
    if (req.url === '/pipeline' && Array.isArray(parsed)) {
      return [200, await Promise.all(parsed.map((parts) => runCommand(parts, base64)))];
    }
    const result = await runCommand(parsed, base64);
    return ['error' in result ? 400 : 200, result];
  }

  const server = createServer(async (req, res) => {
    const [status, body] = await answer(req);
    rest.requests += 1;
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const { url, close } = await listenLocally(server);
  const rest: RestRedis = {
    url,
    token,
    requests: 0,
    async close() {
      await close();
      redis.disconnect();
    },
  };
  return rest;
}

function encodeBase64(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(encodeBase64);
  if (typeof value !== 'string' || value === 'OK') return value;
  return Buffer.from(value).toString('base64');
}
