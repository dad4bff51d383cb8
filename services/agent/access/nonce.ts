import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** How long somebody may take to sign. */
const nonceMs = 5 * 60_000;

/** What is to be signed, and until when. */
export interface Nonce {
  nonce: string;
  message: string;
  expiresAt: Date;
}

export interface Nonces {
  make(address: string): Nonce;
  /** Undefined for a nonce that was not made here for this address, or whose time is over. */
  read(address: string, nonce: string): Nonce | undefined;
}

/**
 * Nonces that say themselves for whom and until when they are good, under a key of this host: asking for them leaves
 * nothing to be stored. That each is good for once is for whoever accepts a signature to see to.
 */
export function nonces(hostSecret: string, now: () => Date): Nonces {
  const key = createHmac('sha256', hostSecret).update('agent session nonces').digest();
  const tagOf = (address: string, body: string) =>
    createHmac('sha256', key).update(`${address} ${body}`).digest().subarray(0, 16);
  const nonceOf = (address: string, body: string): Nonce => {
    const expiresAt = new Date(Number.parseInt(body.split('.')[1]!, 36));
    const nonce = `${body}.${tagOf(address, body).toString('hex')}`;
    return { nonce, expiresAt, message: messageOf(address, nonce, expiresAt) };
  };
  return {
    make(address) {
      const expiresMs = now().getTime() + nonceMs;
      return nonceOf(address, `${randomBytes(16).toString('hex')}.${expiresMs.toString(36)}`);
    },
    read(address, nonce) {
      const [, body, tag] = /^([0-9a-f]{32}\.[0-9a-z]{1,11})\.([0-9a-f]{32})$/.exec(nonce) ?? [];
      if (body === undefined || tag === undefined) return undefined;
      if (!timingSafeEqual(tagOf(address, body), Buffer.from(tag, 'hex'))) return undefined;
      const read = nonceOf(address, body);
      return read.expiresAt > now() ? read : undefined;
    },
  };
}

const messageOf = (address: string, nonce: string, expiresAt: Date) =>
  [
    'Sign in to the adaptor marketplace to have the agent run actions of wallets that you own.',
    '',
    'This is no transaction and moves nothing.',
    '',
    `Address: ${address}`,
    `Nonce: ${nonce}`,
    `Expires: ${expiresAt.toISOString()}`,
  ].join('\n');
