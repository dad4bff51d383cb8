import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { type Outbound, OutboundError } from '../../lib/outbound/index.ts';
import { bodySignature, type SigningKeys, standardSignature } from '../../lib/webhooks/signature.ts';
import type { Message } from './messages.ts';

/** How an exchange with a receiver ended. */
export interface Ended {
  startedAtMs: number;
  durationMs: number;
  /** `delivered`, `http_status`, `redirect`, or the kind of the `OutboundError`. */
  outcome: string;
  status: number | undefined;
  error: string | undefined;
  /** Beginning of the answer's body, printable. */
  response: string | undefined;
  retryAfter: string | undefined;
}

const readMax = 16 * 1024;
/** Characters of the answer that are kept for the subscriber to see. */
const keptMax = 1_000;

interface Receiver {
  url: string;
  keys: SigningKeys | undefined;
}

/** Sends one message once, and never throws: whatever goes wrong is the outcome. */
export async function exchange(
  outbound: Pick<Outbound, 'postBytes'>,
  { url, keys }: Receiver,
  message: Message,
  timeoutMs: number,
): Promise<Ended> {
  const startedAtMs = Date.now();
  const started = performance.now();
  const headers = headersOf(message, keys, Math.floor(startedAtMs / 1000));
  const end = (rest: Omit<Ended, 'startedAtMs' | 'durationMs'>): Ended => {
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

function judge(status: number): Pick<Ended, 'outcome' | 'error'> {
  if (status >= 200 && status < 300) return { outcome: 'delivered', error: undefined };
  if (status >= 300 && status < 400) {
    const error = `The receiver answered with a redirect (${status}); redirects are not followed.`;
    return { outcome: 'redirect', error };
  }
  return { outcome: 'http_status', error: `The receiver answered ${status}.` };
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

/** Only what any screen can show; the body is a stranger's. */
function printable(body: Buffer): string | undefined {
  if (body.length === 0) return undefined;
  return body
    .toString('utf8', 0, keptMax * 4)
    .replace(/[^\t\n\x20-\x7e\u00a0-\u{10ffff}]/gu, '?')
    .slice(0, keptMax)
    .toWellFormed();
}
