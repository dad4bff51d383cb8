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

export interface NonceOptions {
  /** Of the services of this host. */
  hostSecret: string;
  /** Origin by which callers reach this host. */
  publicUrl: string;
  now: () => Date;
}

/**
 * Nonces that say themselves for whom and until when they are good, under a key of this host: asking for them leaves
 * nothing to be stored. That each is good for once is for whoever accepts a signature to see to.
 */
export function nonces({ hostSecret, publicUrl, now }: NonceOptions): Nonces {
  const key = createHmac('sha256', hostSecret).update('agent session nonces').digest();
  const tagOf = (address: string, body: string) =>
    createHmac('sha256', key).update(`${address} ${body}`).digest().subarray(0, 16);
  const nonceOf = (address: string, body: string): Nonce => {
    const expiresAt = new Date(Number.parseInt(body.split('.')[1]!, 36));
    const nonce = `${body}.${tagOf(address, body).toString('hex')}`;
    return { nonce, expiresAt, message: messageOf({ publicUrl, address, nonce, expiresAt }) };
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

interface Stated {
  publicUrl: string;
  address: string;
  nonce: string;
  expiresAt: Date;
}

/**
 * Laid out as by ERC-4361, which wallets know. It names this host: a signature over the message of another host, made
 * for a page that relays it, is none over this one.
 */
const messageOf = ({ publicUrl, address, nonce, expiresAt }: Stated) =>
  [
    `${new URL(publicUrl).host} wants you to sign in with your Sui account:`,
    address,
    '',
    'Its agent then runs the actions of wallets that you own as you ask. This is no transaction and moves nothing.',
    '',
    `URI: ${publicUrl}`,
    'Version: 1',
    `Nonce: ${nonce}`,
    `Issued At: ${new Date(expiresAt.getTime() - nonceMs).toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
  ].join('\n');
