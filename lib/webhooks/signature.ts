import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** Keys of both schemes for one secret, made once: node signs several times as fast with a `KeyObject` as with bytes. */
export interface SigningKeys {
  /** The secret as it was given. */
  body: KeyObject;
  /** Standard Webhooks: what follows `whsec_`, decoded from base64; else the secret as it was given. */
  standard: KeyObject;
}

const standardPrefix = 'whsec_';
const base64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function signingKeys(secret: string): SigningKeys {
  const body = createSecretKey(secret, 'utf8');
  const rest = secret.startsWith(standardPrefix) ? secret.slice(standardPrefix.length) : '';
  if (!base64.test(rest)) return { body, standard: body };
  return { body, standard: createSecretKey(rest, 'base64') };
}

/** `x-svc-signature`: HMAC-SHA256 of the raw body, in hex. */
export function bodySignature(keys: SigningKeys, body: Uint8Array): string {
  return createHmac('sha256', keys.body).update(body).digest('hex');
}

/**
 * `webhook-signature` of Standard Webhooks 1.0.0.
 * @param timestamp unix seconds of the attempt
 */
export function standardSignature(
  keys: SigningKeys,
  id: string,
  timestamp: number,
  body: Uint8Array,
): string {
  const signed = createHmac('sha256', keys.standard).update(`${id}.${timestamp}.`).update(body);
  return `v1,${signed.digest('base64')}`;
}
