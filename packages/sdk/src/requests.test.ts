import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MarketplaceError } from './errors.ts';
import { createSend, type MarketplaceOptions } from './requests.ts';

const real = setTimeout;
let waits: number[];
beforeEach(() => {
  waits = [];
  vi.stubGlobal('setTimeout', (run: () => void, ms: number) => {
    waits.push(ms);
    return real(run, 0);
  });
});
afterEach(() => void vi.unstubAllGlobals());

const unavailable = (headers: Record<string, string> = {}, status = 503) =>
  Response.json({ code: 'database_unavailable', detail: 'Away.', requestId: 'r1' }, { status, headers });

function sender(responses: (Response | Error)[], options: Partial<MarketplaceOptions> = {}) {
  const sent: Request[] = [];
  const fetch = async (request: string | URL | Request) => {
    sent.push(request as Request);
    const next = responses.shift()!;
    if (next instanceof Error) throw next;
    return next;
  };
  return { sent, send: createSend({ baseUrl: 'http://market', fetch, ...options }) };
}
const get = () => new Request('http://market/api/adaptors');
const post = (path: string) => new Request(`http://market${path}`, { method: 'POST', body: '{"a":1}' });

describe('a request', () => {
  test('waits as long as retry-after asks before it is sent again', async () => {
    const { send, sent } = sender([unavailable({ 'retry-after': '7' }), Response.json({})]);
    await send(get());
    expect(sent).toHaveLength(2);
    expect(waits).toEqual([7000]);
  });

  test('is not sent again where the wait is long, or where waiting does not help', async () => {
    for (const response of [
      unavailable({ 'retry-after': '3600' }),
      unavailable(),
      unavailable({}, 429),
      unavailable({}, 400),
      unavailable({}, 404),
    ]) {
      const { send, sent } = sender([response]);
      await expect(send(get())).rejects.toBeInstanceOf(MarketplaceError);
      expect(sent).toHaveLength(1);
    }
  });

  test('waits longer after each failure to connect, and gives up after the fourth', async () => {
    const { send, sent } = sender(Array.from({ length: 5 }, () => new TypeError('fetch failed')));
    await expect(send(get())).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(sent).toHaveLength(4);
    for (const [index, ms] of [250, 500, 1000].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(ms / 2);
      expect(waits[index]).toBeLessThanOrEqual(ms);
    }
  });

  test('that writes is sent once, for it may have happened', async () => {
    for (const failure of [new TypeError('fetch failed'), unavailable({ 'retry-after': '1' })]) {
      const { send, sent } = sender([failure]);
      await expect(send(post('/api/adaptors/webhooks'))).rejects.toThrow();
      expect(sent).toHaveLength(1);
    }
  });

  test('that only reads is sent again with its whole body, though it is a POST', async () => {
    for (const name of ['adaptors/introspect', 'adaptors/infer', 'adaptors/draft', 'explain']) {
      const { send, sent } = sender([new TypeError('fetch failed'), Response.json({})]);
      await send(post(`/api/${name}`));
      expect(await Promise.all(sent.map((request) => request.text()))).toEqual(['{"a":1}', '{"a":1}']);
    }
  });

  test('has the credentials, which follow no redirect', async () => {
    const { send, sent } = sender([Response.json({})], { apiKey: 'mk_1', token: 'ek_1' });
    await send(get());
    expect(sent[0]!.headers.get('x-api-key')).toBe('mk_1');
    expect(sent[0]!.headers.get('authorization')).toBe('Bearer ek_1');
    expect(sent[0]!.redirect).toBe('error');
  });

  test('ends with the reason of its signal, also while it waits', async () => {
    const stop = new AbortController();
    vi.stubGlobal('setTimeout', () => queueMicrotask(() => stop.abort(new Error('enough'))));
    const { send } = sender([new TypeError('fetch failed')]);
    await expect(send(new Request(get(), { signal: stop.signal }))).rejects.toThrow('enough');
  });

  test('fails with what the marketplace says, and with the status where a proxy answers', async () => {
    const errors = [{ path: 'query.limit', message: 'too large' }];
    const problem = {
      title: 'Invalid query',
      code: 'invalid_query',
      requestId: 'r1',
      errors,
    };
    const { send } = sender([
      Response.json({ ...problem, detail: 'Wrong.' }, { status: 400 }),
      new Response('<html>', { status: 413 }),
    ]);
    await expect(send(get())).rejects.toMatchObject({ status: 400, message: 'Wrong.', ...problem });
    await expect(send(get())).rejects.toMatchObject({ status: 413, code: 'http_413', errors: [] });
  });
});
