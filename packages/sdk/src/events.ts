import { ConnectionError } from './errors.ts';
import type { Event, Network } from './generated/types.gen.ts';
import { linesOf } from './lines.ts';
import { delay, delayMsAfter, isTransient, type Send } from './requests.ts';

export interface EventsOptions {
  /** Default: the marketplace's own default. */
  network?: Network | undefined;
  /** Cursor of the last event that you have. `0.0.0` is before the first one. Default: from now on. */
  after?: string | undefined;
  /** Ends the iteration with its reason. */
  signal?: AbortSignal | undefined;
}

/** The service sends a comment every 15 s. */
const silenceMsMax = 45_000;
/** How often the first connection is tried; a stream that has been open once is opened again without end. */
const attemptsMax = 4;

/**
 * The registry's events in the order of the chain, each once, until the signal aborts. After a cut the stream continues
 * behind the last event.
 * @throws MarketplaceError where the marketplace refuses the stream, ConnectionError where it was never reached
 */
export async function* followEvents(
  send: Send,
  baseUrl: string,
  { network, after, signal }: EventsOptions = {},
): AsyncGenerator<Event, void> {
  let last = after;
  let opened = false;
  for (let failures = 0; ; ) {
    try {
      const url = new URL(`${baseUrl}/api/adaptors/events/stream`);
      if (network !== undefined) url.searchParams.set('network', network);
      if (last !== undefined) url.searchParams.set('after', last);
      const headers = { accept: 'text/event-stream' };
      const response = await send(new Request(url, { headers, signal: signal ?? null }), { attempts: 1 });
      opened = true;
      for await (const { id, data } of serverSentEvents(response.body)) {
        failures = 0;
        // Without data: where a stream that starts now continues after a cut.
        if (data === undefined) last ??= id;
        if (data === undefined || (last !== undefined && !isAfter(id, last))) continue;
        last = id;
        yield JSON.parse(data) as Event;
      }
      throw new ConnectionError('The marketplace ended the stream.');
    } catch (error) {
      signal?.throwIfAborted();
      failures += 1;
      if (!isTransient(error) || (!opened && failures >= attemptsMax)) throw error;
      await delay(delayMsAfter(failures, error), signal);
    }
  }
}

interface ServerSentEvent {
  /** The last one that the stream has sent so far. */
  id: string;
  data: string | undefined;
}

/** The blocks of a stream of server-sent events that have data or set the id. */
async function* serverSentEvents(body: ReadableStream<Uint8Array> | null): AsyncGenerator<ServerSentEvent> {
  let id: string | undefined;
  let data: string[] = [];
  let named = false;
  for await (const line of linesOf(body, { silenceMsMax })) {
    if (line === '') {
      if (id !== undefined && (named || data.length > 0)) {
        yield { id, data: data.length > 0 ? data.join('\n') : undefined };
      }
      [data, named] = [[], false];
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    if (field === 'id') [id, named] = [value, true];
  }
}

/** Whether a cursor, `<checkpoint>.<transaction index>.<event index>`, is behind another one. */
function isAfter(cursor: string, other: string): boolean {
  const [these, those] = [cursor.split('.').map(Number), other.split('.').map(Number)];
  const at = these.findIndex((part, index) => part !== those[index]);
  return at >= 0 && these[at]! > (those[at] ?? -1);
}
