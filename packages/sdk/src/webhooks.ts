import type { Event, Network, ServiceEvent } from './generated/types.gen.ts';

/** A delivery that the owner of a webhook asked for, to see that it arrives. */
interface TestEvent {
  network: Network;
  event: 'Test';
  /** Id of the webhook. */
  data: { webhook: string };
  /** Milliseconds since the epoch. */
  timestampMs: number;
  /** `test:<number>` */
  id: string;
}

type WithoutCursor<Positioned> = Positioned extends unknown ? Omit<Positioned, 'cursor'> : never;

/** The body of a webhook delivery: an event of the registry or of the service, or the event `Test`. */
export type WebhookEvent = WithoutCursor<Event> | ServiceEvent | TestEvent;

/** A received delivery, and the settings to verify it with. */
export interface WebhookDelivery {
  /** Raw bytes of the body. JSON that was parsed and serialized again may differ. */
  body: string | Uint8Array;
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Secret of the subscription. During a rotation, the new and the previous one. */
  secret: string | readonly string[];
  /**
   * Header to verify. `standard`: `webhook-signature` of Standard Webhooks, which covers the id and the time of the
   * attempt. `body`: `x-svc-signature`, which only covers the body, so that a copy of a delivery stays valid forever.
   * Default: `standard`.
   */
  signature?: 'standard' | 'body';
  /** Largest difference between the time of the attempt and now, in seconds. Default: 300. */
  toleranceSeconds?: number;
}

/** The reason why a delivery was refused. Respond with 401. */
export class WebhookError extends Error {
  readonly code: 'missing_header' | 'outside_tolerance' | 'wrong_signature' | 'invalid_body';

  constructor(code: WebhookError['code'], message: string) {
    super(message);
    this.name = 'WebhookError';
    this.code = code;
  }
}

const toleranceSecondsDefault = 300;
/** Bound on the signatures of one delivery. During a rotation there are two. */
const signaturesMax = 8;
const standardPrefix = 'whsec_';
const base64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const encoder = new TextEncoder();

/**
 * Verifies that a delivery was signed with one of the secrets, in constant time, and returns its event. A delivery may
 * arrive twice: process each `id` once.
 * @throws WebhookError if the delivery is not valid; TypeError without a secret
 */
export async function verifyWebhook({
  body,
  headers,
  secret,
  signature = 'standard',
  toleranceSeconds = toleranceSecondsDefault,
}: WebhookDelivery): Promise<WebhookEvent> {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (secrets.length === 0 || secrets.includes('')) throw new TypeError('A webhook needs a secret.');
  const bytes = typeof body === 'string' ? encoder.encode(body) : Uint8Array.from(body);
  const [content, signatures, keys] =
    signature === 'standard'
      ? [
          buildStandardContent(bytes, headers, toleranceSeconds),
          readStandardSignatures(headers),
          secrets.map(decodeStandardKey),
        ]
      : [bytes, readBodySignatures(headers), secrets.map((text) => encoder.encode(text))];
  let isSigned = false;
  for (const key of keys) {
    for (const one of signatures) isSigned = (await isSignature(key, one, content)) || isSigned;
  }
  if (!isSigned) throw new WebhookError('wrong_signature', 'No signature is by one of the secrets.');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new WebhookError('invalid_body', 'The body is not JSON.');
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

/** The content that Standard Webhooks signs: the id, the time of the attempt, and the body. */
function buildStandardContent(
  body: Bytes,
  headers: WebhookDelivery['headers'],
  toleranceSeconds: number,
): Bytes {
  const id = requireHeader(headers, 'webhook-id');
  const timestamp = requireHeader(headers, 'webhook-timestamp');
  const isRecent = Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds;
  if (!/^\d{1,12}$/.test(timestamp) || !isRecent) {
    const message = `The attempt was not made within ${toleranceSeconds} seconds of now.`;
    throw new WebhookError('outside_tolerance', message);
  }
  const head = encoder.encode(`${id}.${timestamp}.`);
  const content = new Uint8Array(head.length + body.length);
  content.set(head);
  content.set(body, head.length);
  return content;
}

function readStandardSignatures(headers: WebhookDelivery['headers']): Bytes[] {
  const all = requireHeader(headers, 'webhook-signature').split(' ').slice(0, signaturesMax);
  return all.flatMap((one) => {
    const text = one.startsWith('v1,') ? one.slice('v1,'.length) : '';
    return base64.test(text) ? [decodeBase64(text)] : [];
  });
}

function readBodySignatures(headers: WebhookDelivery['headers']): Bytes[] {
  const hex = requireHeader(headers, 'x-svc-signature');
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) return [];
  return [Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))];
}

/** Decodes the base64 after `whsec_`. A secret in another form is the key itself, as UTF-8. */
function decodeStandardKey(secret: string): Bytes {
  const rest = secret.startsWith(standardPrefix) ? secret.slice(standardPrefix.length) : '';
  return base64.test(rest) ? decodeBase64(rest) : encoder.encode(secret);
}

const decodeBase64 = (text: string): Bytes =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** Compares in constant time, by `verify`. */
async function isSignature(key: Bytes, signature: Bytes, content: Bytes): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify']);
  return crypto.subtle.verify('HMAC', imported, signature, content);
}

function requireHeader(headers: WebhookDelivery['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : findHeader(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookError('missing_header', `The delivery has no header ${name}.`);
}

function findHeader(headers: Exclude<WebhookDelivery['headers'], Headers>, name: string) {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}
