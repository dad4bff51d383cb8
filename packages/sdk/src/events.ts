import { ConnectionError } from './errors.ts';
import type { Event, Network, ServiceEvent } from './generated/types.gen.ts';
import { openStream, readLines } from './lines.ts';
import { computeDelayMs, delay, isTemporary, isTransient, type Send } from './requests.ts';

/** Options of `events()` and `serviceEvents()`. All of them are optional. */
export interface EventsOptions {
  /** Default: the marketplace's default network. */
  network?: Network | undefined;
  /**
   * Cursor of the last event that you have; of an event of the service, its id. `0.0.0` and `svc_0` are before the first
   * one. Default: only events from now on.
   */
  after?: string | undefined;
  /** Ends the iteration with its reason. */
  signal?: AbortSignal | undefined;
}

/** Bound on attempts to open the first stream. A stream that was open once reconnects without limit. */
const attemptsMax = 4;

/** Events by the path of their stream, below `/api/adaptors`. */
interface StreamedEvents {
  events: Event;
  'service-events': ServiceEvent;
}

/**
 * Yields the events of a stream in their order, each once, until the signal aborts. After a disconnect the stream
 * continues after the last event.
 * @throws MarketplaceError if the marketplace refuses the stream; ConnectionError if it was never reached; the signal's
 * reason
 */
export async function* followEvents<Path extends keyof StreamedEvents>(
  send: Send,
  baseUrl: string,
  path: Path,
  { network, after, signal }: EventsOptions = {},
): AsyncGenerator<StreamedEvents[Path], void> {
  let last = after;
  let opened = false;
  for (let failures = 0; ; ) {
    try {
      const url = new URL(`${baseUrl}/api/adaptors/${path}/stream`);
      if (network !== undefined) url.searchParams.set('network', network);
      if (last !== undefined) url.searchParams.set('after', last);
      const response = await openStream(send, url, { headers: { accept: 'text/event-stream' } }, signal);
      opened = true;
      for await (const { id, data } of serverSentEvents(response.body)) {
        failures = 0;
        // A block without data sets the cursor for a reconnect before the first event.
        if (data === undefined) last ??= id;
        if (data === undefined || (last !== undefined && !isAfter(id, last))) continue;
        last = id;
        yield JSON.parse(data) as StreamedEvents[Path];
      }
      throw new ConnectionError('The marketplace ended the stream.');
    } catch (error) {
      signal?.throwIfAborted();
      failures += 1;
      const mayGoOn = opened ? isTemporary(error) : isTransient(error) && failures < attemptsMax;
      if (!mayGoOn) throw error;
      await delay(computeDelayMs(failures, error), signal);
    }
  }
}

interface ServerSentEvent {
  /** The most recent id of the stream. */
  id: string;
  data: string | undefined;
}

/** Yields the blocks of a stream of server-sent events that have data or set the id. */
async function* serverSentEvents(body: ReadableStream<Uint8Array> | null): AsyncGenerator<ServerSentEvent> {
  let id: string | undefined;
  let data: string[] = [];
  let setsId = false;
  for await (const line of readLines(body)) {
    if (line === '') {
      if (id !== undefined && (setsId || data.length > 0)) {
        yield { id, data: data.length > 0 ? data.join('\n') : undefined };
      }
      [data, setsId] = [[], false];
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    if (field === 'id') [id, setsId] = [value, true];
  }
}

/**
 * Returns `true` if a cursor is after another one: `<checkpoint>.<transaction index>.<event index>`, or `svc_<number>` of
 * an event of the service.
 */
function isAfter(cursor: string, other: string): boolean {
  const [parts, otherParts] = [cursor, other].map((text) =>
    text.replace('svc_', '').split('.').map(Number),
  ) as [number[], number[]];
  const index = parts.findIndex((part, at) => part !== otherParts[at]);
  return index >= 0 && parts[index]! > (otherParts[index] ?? -1);
}
