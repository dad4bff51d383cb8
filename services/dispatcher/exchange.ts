import { messageOf, type Network } from '@adaptor-marketplace/adaptor';
import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../db/queries/queryable.ts';
import { readDeliveredEvents } from '../../db/queries/webhooks/deliveries.ts';
import type { Due } from '../../db/queries/webhooks/leases.ts';
import { OutboundError } from '../../lib/outbound/errors.ts';
import type { Outbound } from '../../lib/outbound/index.ts';
import {
  bodySignature,
  messageBytes,
  type SigningKeys,
  standardSignature,
} from '../../lib/webhooks/signing.ts';

/** What is sent for a delivery, the same for every receiver. */
export interface Message {
  id: string;
  event: string;
  bytes: Buffer;
}

export interface MessageLoader {
  /** In the order of the deliveries. */
  of(deliveries: readonly Due[]): Promise<Message[]>;
}

/** Bytes of cached messages: many subscriptions get the same event at about the same time. */
const cachedBytesMax = 16 * 1024 * 1024;

/** Makes each message from its event, which never changes, and caches the latest. */
export function messageLoader(db: Queryable): MessageLoader {
  const cached = new LRUCache<string, Message>({
    maxSize: cachedBytesMax,
    sizeCalculation: ({ bytes, id }) => bytes.length + id.length,
  });

  async function load(missing: Map<string, Due>): Promise<Map<string, Message>> {
    const deliveries = [...missing.values()];
    const events = await readDeliveredEvents(db, deliveries);
    const loaded = events.map((row): [string, Message] => {
      const due = deliveries[row.ordinal - 1]!;
      const id = `${row.txDigest}:${due.eventIndex}`;
      const { name: event, data, timestamp } = row;
      const message = { network: due.network as Network, event, data, timestampMs: timestamp.getTime(), id };
      return [keyOf(due), { id, event, bytes: messageBytes(message) }];
    });
    return new Map(loaded);
  }

  return {
    async of(deliveries) {
      const missing = new Map<string, Due>();
      for (const due of deliveries) {
        if (due.checkpoint !== null && !cached.has(keyOf(due))) missing.set(keyOf(due), due);
      }
      // Read from `loaded` first: the cache may evict what was just added.
      const loaded = missing.size > 0 ? await load(missing) : new Map<string, Message>();
      for (const [key, message] of loaded) cached.set(key, message);
      return deliveries.map((due) => {
        const message =
          due.checkpoint === null ? testMessage(due) : (loaded.get(keyOf(due)) ?? cached.get(keyOf(due)));
        if (!message) throw new Error(`the event of delivery ${due.id} is missing`);
        return message;
      });
    },
  };
}

const keyOf = ({ network, checkpoint, txIndex, eventIndex }: Due) =>
  `${network} ${checkpoint} ${txIndex} ${eventIndex}`;

function testMessage({ network, event, data, createdAt, id: delivery }: Due): Message {
  const id = `test:${delivery}`;
  const message = { network: network as Network, event, data, timestampMs: createdAt.getTime(), id };
  return { id, event, bytes: messageBytes(message) };
}

/** One request to a receiver, and how it ended. */
export interface Exchange {
  startedAtMs: number;
  durationMs: number;
  /** `delivered`, `http_status`, `redirect`, or the kind of the `OutboundError`. */
  outcome: string;
  status: number | undefined;
  error: string | undefined;
  /** Beginning of the response's body, printable. */
  response: string | undefined;
  retryAfter: string | undefined;
}

const readMax = 16 * 1024;
/** Characters of the response that are stored for the subscriber to see. */
const storedMax = 1_000;

interface Receiver {
  url: string;
  keys: SigningKeys | undefined;
}

/** Sends one message once. Never throws: a failure is an outcome. */
export async function exchange(
  outbound: Pick<Outbound, 'postBytes'>,
  { url, keys }: Receiver,
  message: Message,
  timeoutMs: number,
): Promise<Exchange> {
  const startedAtMs = Date.now();
  const started = performance.now();
  const headers = headersOf(message, keys, Math.floor(startedAtMs / 1000));
  const end = (rest: Omit<Exchange, 'startedAtMs' | 'durationMs'>): Exchange => {
    return { startedAtMs, durationMs: Math.round(performance.now() - started), ...rest };
  };
  try {
    const { status, retryAfter, body } = await outbound.postBytes(url, {
      headers,
      body: message.bytes,
      readMax,
      timeoutMs,
    });
    return end({ ...judge(status), status, retryAfter, response: printable(body) });
  } catch (error) {
    const outcome = error instanceof OutboundError ? error.kind : 'network';
    const none = { status: undefined, response: undefined, retryAfter: undefined };
    return end({ outcome, error: messageOf(error), ...none });
  }
}

function judge(status: number): Pick<Exchange, 'outcome' | 'error'> {
  if (status >= 200 && status < 300) return { outcome: 'delivered', error: undefined };
  if (status >= 300 && status < 400) {
    const error = `The receiver responded with a redirect (${status}); redirects are not followed.`;
    return { outcome: 'redirect', error };
  }
  return { outcome: 'http_status', error: `The receiver responded with ${status}.` };
}

function headersOf(
  { id, event, bytes }: Message,
  keys: SigningKeys | undefined,
  timestamp: number,
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'adaptor-marketplace',
    'accept-encoding': 'identity',
    'x-svc-event': event,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
  };
  if (!keys) return headers;
  headers['x-svc-signature'] = bodySignature(keys, bytes);
  headers['webhook-signature'] = standardSignature(keys, id, timestamp, bytes);
  return headers;
}

/** The untrusted body, without control characters. */
function printable(body: Buffer): string | undefined {
  if (body.length === 0) return undefined;
  return body
    .toString('utf8', 0, storedMax * 4)
    .replace(/[^\t\n\x20-\x7e\u00a0-\u{10ffff}]/gu, '?')
    .slice(0, storedMax)
    .toWellFormed();
}
