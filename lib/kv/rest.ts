import { Pool } from 'undici';
import { z } from 'zod';
import { type CommandWire, createKvOverCommands } from './commands.ts';
import type { Kv } from './kv.ts';

/** Store with Upstash's REST protocol: commands are JSON arrays, answers `{ result }` or `{ error }`. */
interface RestAddress {
  url: string;
  token: string;
}

const answer = z.union([z.object({ result: z.unknown() }), z.object({ error: z.string() })]);
/** Timeout of a request without a response. */
const silenceDefaultMs = 5_000;
const answerBytesMax = 16 * 1024 * 1024;

/** A store over HTTPS. Its idle connections outlive global fetch's: a new one takes longer than a request may wait. */
export function createRestKv({ url, token }: RestAddress, silenceMs = silenceDefaultMs): Kv {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/+$/, '');
  const pool = new Pool(origin, {
    connections: 64,
    keepAliveTimeout: 60_000,
    connect: { timeout: 2_000 },
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    maxResponseSize: answerBytesMax,
  });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

  async function post(path: string, body: unknown): Promise<unknown> {
    const response = await pool.request({
      method: 'POST',
      path: `${base}${path}` || '/',
      headers,
      body: JSON.stringify(body),
    });
    const text = await response.body.text();
    // The store sends its errors as JSON too. A response of another type comes from a proxy in between.
    if (!response.headers['content-type']?.includes('json')) {
      throw new Error(`The store answered ${response.statusCode} without JSON.`);
    }
    return JSON.parse(text);
  }

  const wire: CommandWire = {
    command: async (...parts) => parseResult(await post('', parts)),
    pipeline: async (commands) =>
      z
        .array(z.unknown())
        .parse(await post('/pipeline', commands))
        .map(parseResult),
    script: async (script, keys, args) =>
      parseResult(await post('', ['EVAL', script.lua, keys.length, ...keys, ...args])),
    close: () => pool.destroy(),
  };
  return createKvOverCommands(wire);
}

function parseResult(body: unknown): unknown {
  const parsed = answer.safeParse(body);
  if (!parsed.success) throw new Error('The store answered neither a result nor an error.');
  if ('error' in parsed.data) throw new Error(parsed.data.error.slice(0, 200));
  return parsed.data.result;
}
