import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { AttemptOutcome, FinishedAttempt } from '../../db/queries/webhooks/attempts.ts';
import { OutboundError } from '../../lib/outbound/errors.ts';
import type { Outbound } from '../../lib/outbound/index.ts';
import { startClientSpan } from '../../lib/tracing/client-span.ts';
import { getTracing } from '../../lib/tracing/tracing.ts';
import { createSignatureHeaders, type SubscriptionKeys } from '../../lib/webhooks/signing.ts';
import type { Message } from './feed.ts';
import { computeRetryDelayMs, type RetryRules } from './outcome.ts';

const readMax = 16 * 1024;
/** Characters of the response that are stored for the subscriber to see. */
const storedMax = 1_000;

const isSuccess = (status: number) => status >= 200 && status < 300;

/** Explains why a status is a failure. */
function judge(status: number): { outcome: AttemptOutcome; error: string } {
  if (status >= 300 && status < 400) {
    const error = `The receiver responded with a redirect (${status}); redirects are not followed.`;
    return { outcome: 'redirect', error };
  }
  return { outcome: 'http_status', error: `The receiver responded with ${status}.` };
}

function buildHeaders(
  { id, event, bytes }: Message,
  keys: SubscriptionKeys | undefined,
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
  return keys
    ? Object.assign(headers, createSignatureHeaders(keys, { id, timestamp, body: bytes }))
    : headers;
}

/**
 * Starts the span of an attempt in the trace of its event. An event of the registry has a root there, by the indexer. The
 * trace of another message begins with its attempts.
 */
function startAttemptSpan(
  url: string,
  { id, event, network }: Message,
  subscription: string,
  failures: number,
) {
  const tracing = getTracing();
  if (!tracing || !URL.canParse(url)) return undefined;
  const key = ['event', network, id] as const;
  const isRegistryEvent = !/^(svc_|test:)/.test(id);
  return startClientSpan({
    method: 'POST',
    url: new URL(url),
    ...(isRegistryEvent ? { parent: tracing.locate(key) } : { key }),
    attributes: {
      'messaging.operation.name': 'send',
      'messaging.operation.type': 'send',
      'messaging.destination.name': event,
      'messaging.destination.subscription.name': subscription,
      'messaging.message.id': id,
      ...(failures > 0 && { 'http.request.resend_count': failures }),
    },
  });
}

/** Returns the untrusted body without control characters. */
function printable(body: Buffer): string | undefined {
  if (body.length === 0) return undefined;
  return body
    .toString('utf8', 0, storedMax * 4)
    .replace(/[^\t\n\x20-\x7e\u00a0-\u{10ffff}]/gu, '?')
    .slice(0, storedMax)
    .toWellFormed();
}

export interface Receiver {
  id: string;
  url: string;
  keys: SubscriptionKeys | undefined;
}

export interface SendOptions {
  outbound: Pick<Outbound, 'postBytes'>;
  rules: RetryRules;
  timeoutMs: number;
  onEnded(attempt: FinishedAttempt): void;
  /** The receiver responded with 410. Resolves to `true` if its subscription is disabled. */
  onGone(receiver: Receiver): Promise<boolean>;
}

export interface Sent {
  ended: FinishedAttempt;
  gone: boolean;
  overloaded: boolean;
}

/** Sends one message once. A failure is an outcome, not an error. `failures`: failed attempts since the last resend. */
export async function send(
  { outbound, rules, timeoutMs, onEnded, onGone }: SendOptions,
  receiver: Receiver,
  delivery: FinishedAttempt['of'],
  message: Message,
  failures: number,
): Promise<Sent> {
  const { id: subscription, url, keys } = receiver;
  const startedAtMs = Date.now();
  const started = performance.now();
  const ended: FinishedAttempt = {
    subscription,
    of: delivery,
    startedAtMs,
    durationMs: 0,
    outcome: 'delivered',
    status: undefined,
    error: undefined,
    response: undefined,
    retryMs: undefined,
    holdMs: undefined,
  };
  let retryAfter: string | undefined;
  const span = startAttemptSpan(url, message, subscription, failures);
  try {
    const signed = buildHeaders(message, keys, Math.floor(startedAtMs / 1000));
    const headers = span ? Object.assign(signed, span.headers) : signed;
    const response = await outbound.postBytes(url, { headers, body: message.bytes, readMax, timeoutMs });
    ended.status = response.status;
    span?.end({ status: response.status });
    ended.response = printable(response.body);
    retryAfter = response.retryAfter;
    if (!isSuccess(response.status)) Object.assign(ended, judge(response.status));
  } catch (error) {
    ended.outcome = error instanceof OutboundError ? error.kind : 'network';
    ended.error = getErrorMessage(error);
    span?.end({ error: ended.outcome });
  }
  ended.durationMs = Math.round(performance.now() - started);
  onEnded(ended);
  if (ended.outcome === 'delivered') return { ended, gone: false, overloaded: false };
  const gone = ended.status === 410;
  const overloaded = ended.outcome === 'timeout' || ended.status === 429;
  const isDisabled = gone && (await onGone(receiver));
  if (!isDisabled)
    ended.retryMs = computeRetryDelayMs(rules, { failures: failures + 1, overloaded, retryAfter });
  if (overloaded) ended.holdMs = rules.overloadMs;
  return { ended, gone, overloaded };
}
