import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MarketplaceError } from './errors.ts';
import { type EventsOptions, followEvents } from './events.ts';
import { createSend } from './requests.ts';

const real = setTimeout;
/** Delays between attempts take no time. The timeout for silence stays real. */
beforeEach(() => {
  vi.stubGlobal('setTimeout', (run: () => void, ms: number) => real(run, ms === 45_000 ? ms : 0));
});
afterEach(() => void vi.unstubAllGlobals());

const encoder = new TextEncoder();
const eventAt = (index: number) => ({
  network: 'testnet',
  event: 'Registered',
  data: { index },
  timestampMs: 1,
  id: `digest:${index}`,
  cursor: `${Math.floor(index / 3) + 7}.${index % 3}.0`,
});
type TestEvent = ReturnType<typeof eventAt>;
const frame = (event: TestEvent) =>
  `id: ${event.cursor}\nevent: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`;
const parseEventNumber = (cursor: string) => {
  const [checkpoint, index] = cursor.split('.').map(Number);
  return (checkpoint! - 7) * 3 + index!;
};

/** A body that sends these bytes in pieces, and then ends or fails. */
function createBody(
  text: string,
  { piece, cut }: { piece: number; cut: boolean },
): ReadableStream<Uint8Array> {
  const bytes = encoder.encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at + piece));
      else if (cut) controller.error(new TypeError('terminated'));
      else controller.close();
      at += piece;
    },
  });
}

/** A marketplace with `count` events that responds to each connection with `answer`, or does not. */
function marketplace(answer: (after: string | undefined, connection: number) => Response | 'silence') {
  const asked: (string | undefined)[] = [];
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const after = new URL((input as Request).url).searchParams.get('after') ?? undefined;
    asked.push(after);
    const answered = answer(after, asked.length);
    if (answered !== 'silence') return answered;
    return await new Promise<never>((_, reject) => {
      init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason));
    });
  };
  const send = createSend({ baseUrl: 'http://market', fetch });
  const follow = (options?: EventsOptions) => followEvents(send, 'http://market', 'events', options);
  return { asked, follow };
}

async function take(events: AsyncIterable<unknown>, count: number): Promise<unknown[]> {
  const taken: unknown[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

describe('events()', () => {
  test('brings each event once and in order, wherever in a frame the connection is cut', async () => {
    const all = Array.from({ length: 40 }, (_, index) => eventAt(index));
    const { follow, asked } = marketplace((after, connection) => {
      const rest = all.slice(after === '0.0.0' ? 0 : parseEventNumber(after!) + 1);
      // Each connection sends one complete event more than the one before, and then ends at a different byte.
      const text = `retry: 2000\nid: ${after}\n\n:\n\n${rest.map(frame).join('')}`;
      const length = text.indexOf('\n\n', 60) + 2 + ((connection * 37) % 260);
      return new Response(
        createBody(text.slice(0, length), { piece: 5 + connection, cut: connection % 2 === 0 }),
      );
    });
    expect(await take(follow({ after: '0.0.0' }), all.length)).toEqual(all);
    expect(asked.length).toBeGreaterThan(10);
  });

  test('drops what a stream sends again', async () => {
    const { follow } = marketplace((_, connection) => {
      const text = [0, 1, 1, 0, 2].slice(0, connection === 1 ? 2 : 5).map((index) => frame(eventAt(index)));
      return new Response(createBody(text.join(''), { piece: 1000, cut: true }));
    });
    expect(await take(follow(), 3)).toEqual([0, 1, 2].map(eventAt));
  });

  test('continues where it began when it is cut before the first event', async () => {
    const { follow, asked } = marketplace((_, connection) => {
      const text = connection < 3 ? 'retry: 2000\nid: 7.1.0\n\n:\n\n' : frame(eventAt(2));
      return new Response(createBody(text, { piece: 9, cut: false }));
    });
    expect(await take(follow(), 1)).toEqual([eventAt(2)]);
    expect(asked).toEqual([undefined, '7.1.0', '7.1.0']);
  });

  test('connects again after an outage, once it has been connected', async () => {
    const { follow, asked } = marketplace((_, connection) => {
      if (connection > 1 && connection < 12) throw new TypeError('refused');
      return new Response(createBody(frame(eventAt(connection === 1 ? 0 : 1)), { piece: 99, cut: true }));
    });
    expect(await take(follow(), 2)).toEqual([0, 1].map(eventAt));
    expect(asked).toHaveLength(12);
  });

  test.each([
    ['a proxy without a service behind it', 503, undefined],
    ['a service that fails', 500, undefined],
    ['a rate limit whose window has just begun', 429, '60'],
  ])('connects again after %s, once it has been connected', async (_, status, retryAfter) => {
    const { follow } = marketplace((_, connection) => {
      const headers = retryAfter === undefined ? undefined : { 'retry-after': retryAfter };
      if (connection === 2) return new Response('busy', { status, ...(headers && { headers }) });
      return new Response(createBody(frame(eventAt(connection === 1 ? 0 : 1)), { piece: 99, cut: true }));
    });
    expect(await take(follow(), 2)).toEqual([0, 1].map(eventAt));
  });

  test('connects again where a connection is accepted and gets no response', async () => {
    vi.stubGlobal('setTimeout', (run: () => void, ms: number) => real(run, ms > 40_000 ? 20 : 0));
    let wasSilent = false;
    const { follow } = marketplace((after) => {
      if (after === undefined) return new Response(createBody(frame(eventAt(0)), { piece: 99, cut: true }));
      if (wasSilent) return new Response(createBody(frame(eventAt(1)), { piece: 99, cut: true }));
      wasSilent = true;
      return 'silence';
    });
    expect(await take(follow(), 2)).toEqual([0, 1].map(eventAt));
  });

  test('brings each event of the service once, in the order of their numbers, over connections that are cut', async () => {
    const all = Array.from({ length: 12 }, (_, index) => ({
      event: 'ClaimsWidened',
      id: `svc_${index + 1}`,
    }));
    const asked: string[] = [];
    // Each connection sends the event that was received last again, then two more, and is cut.
    const fetch = async (request: string | URL | Request) => {
      const { pathname, searchParams } = new URL((request as Request).url);
      expect(pathname).toBe('/api/adaptors/service-events/stream');
      const after = Number(searchParams.get('after')!.slice('svc_'.length));
      asked.push(searchParams.get('after')!);
      const sent = all.slice(Math.max(0, after - 1), after + 2);
      const text = sent.map((event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`).join('');
      return new Response(createBody(text, { piece: 99, cut: true }));
    };
    const send = createSend({ baseUrl: 'http://market', fetch });
    const events = followEvents(send, 'http://market', 'service-events', { after: 'svc_0' });
    expect(await take(events, all.length)).toEqual(all);
    expect(asked).toEqual(['svc_0', 'svc_2', 'svc_4', 'svc_6', 'svc_8', 'svc_10']);
  });

  test('ends with the reason where it never was connected, and where the marketplace refuses', async () => {
    const away = marketplace(() => {
      throw new TypeError('refused');
    });
    await expect(take(away.follow(), 1)).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(away.asked).toHaveLength(4);
    const problem = { code: 'bad_cursor', detail: 'Not the id of an event.' };
    const refusing = marketplace(() => Response.json(problem, { status: 400 }));
    await expect(take(refusing.follow({ after: 'x' }), 1)).rejects.toBeInstanceOf(MarketplaceError);
    expect(refusing.asked).toHaveLength(1);
  });

  test('ends at once when its signal aborts, and closes its connection when its reader leaves', async () => {
    let cancelled = 0;
    const { follow } = marketplace(() => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(encoder.encode(frame(eventAt(0)))),
        cancel() {
          cancelled += 1;
        },
      });
      return new Response(body);
    });
    expect(await take(follow(), 1)).toHaveLength(1);
    expect(cancelled).toBe(1);
    const reading = take(follow({ signal: AbortSignal.abort(new Error('enough')) }), 1);
    await expect(reading).rejects.toThrow('enough');
  });
});
