import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { Network } from '@adaptor-marketplace/adaptor';

interface WebhookMessage {
  network: Network;
  /** `Registered`, ...; `Test` for a test event. */
  event: string;
  /** The event's own fields. Null if its bytes could not be decoded. */
  data: Record<string, unknown> | null;
  /** Time of the event's checkpoint, in milliseconds since the epoch. */
  timestampMs: number;
  /** `<transaction digest>:<event index>`, or `test:<delivery id>`. */
  id: string;
}

/** The bytes that are sent and signed: the same at every attempt. */
export function encodeMessage({ network, event, data, timestampMs, id }: WebhookMessage): Buffer {
  return Buffer.from(JSON.stringify({ network, event, data, timestampMs, id }));
}

/** Keys of both schemes for one secret, made once: node signs several times as fast with a `KeyObject` as with bytes. */
export interface SigningKeys {
  /** The secret as it was given. */
  body: KeyObject;
  /** Key for Standard Webhooks: the decoded part after `whsec_`, or the secret itself without that prefix. */
  standard: KeyObject;
}

const standardPrefix = 'whsec_';
const base64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function deriveSigningKeys(secret: string): SigningKeys {
  const body = createSecretKey(secret, 'utf8');
  const rest = secret.startsWith(standardPrefix) ? secret.slice(standardPrefix.length) : '';
  if (!base64.test(rest)) return { body, standard: body };
  return { body, standard: createSecretKey(rest, 'base64') };
}

/** `x-svc-signature`: HMAC-SHA256 of the raw body, in hex. */
export function signBody(keys: SigningKeys, body: Uint8Array): string {
  return createHmac('sha256', keys.body).update(body).digest('hex');
}

/** `webhook-signature` of Standard Webhooks 1.0.0. `timestamp`: unix seconds of the attempt. */
export function signStandard(keys: SigningKeys, id: string, timestamp: number, body: Uint8Array): string {
  const signed = createHmac('sha256', keys.standard).update(`${id}.${timestamp}.`).update(body);
  return `v1,${signed.digest('base64')}`;
}

/** The secrets of a subscription. While one is being rotated, the previous one is valid beside it. */
export interface SubscriptionKeys {
  current: SigningKeys;
  previous?: { keys: SigningKeys; untilMs: number } | undefined;
}

/**
 * Returns the headers that sign a message at `timestamp`, in unix seconds. During a rotation, `webhook-signature` has a
 * signature by each secret. `x-svc-signature` has room for one: by the previous secret, which the receiver knows.
 */
export function createSignatureHeaders(
  { current, previous }: SubscriptionKeys,
  { id, timestamp, body }: { id: string; timestamp: number; body: Uint8Array },
): { 'x-svc-signature': string; 'webhook-signature': string } {
  const before = previous && timestamp * 1000 < previous.untilMs ? previous.keys : undefined;
  const valid = before ? [current, before] : [current];
  return {
    'x-svc-signature': signBody(before ?? current, body),
    'webhook-signature': valid.map((keys) => signStandard(keys, id, timestamp, body)).join(' '),
  };
}

/** Encrypts subscribers' secrets, so that the store alone reveals none. */
export interface SecretBox {
  /** @param subscription the id that the secret belongs to; it opens under no other */
  seal(secret: string, subscription: string): string;
  /** Returns undefined if the secret was sealed under an unknown admin secret, or tampered with. */
  open(sealed: string, subscription: string): string | undefined;
  /** Returns the secret sealed without the fallback: `sealed` itself if it is. Undefined if it does not open. */
  reseal(sealed: string, subscription: string): string | undefined;
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Seals with AES-256-GCM under a key derived from the host's admin secret (HKDF-SHA256, RFC 5869). What is sealed
 * under `fallback`, the admin secret before or after it, opens too.
 */
export function createSecretBox(adminSecret: string, fallback?: string): SecretBox {
  const current = deriveBoxKey(adminSecret);
  const other = fallback === undefined ? undefined : deriveBoxKey(fallback);
  const openOther = (sealed: string, subscription: string) => other && openUnder(other, sealed, subscription);
  return {
    seal: (secret, subscription) => sealUnder(current, secret, subscription),
    open: (sealed, subscription) =>
      openUnder(current, sealed, subscription) ?? openOther(sealed, subscription),
    reseal(sealed, subscription) {
      if (openUnder(current, sealed, subscription) !== undefined) return sealed;
      const secret = openOther(sealed, subscription);
      return secret === undefined ? undefined : sealUnder(current, secret, subscription);
    },
  };
}

function deriveBoxKey(adminSecret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', adminSecret, '', 'adaptor-marketplace webhook secrets', keyBytes));
}

function sealUnder(key: Buffer, secret: string, subscription: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(subscription));
  const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString('base64url');
}

function openUnder(key: Buffer, sealed: string, subscription: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < nonceBytes + tagBytes) return undefined;
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(subscription));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const opened = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([opened, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
