import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const tokenBytes = 32;
/** Number of base-62 digits that hold 32 bytes. */
const tokenDigits = 43;

/** Tokens of one kind, distinguished by their prefix. */
function createTokenKind(prefix: string) {
  const form = new RegExp(`^${prefix}[0-9A-Za-z]{${tokenDigits}}$`);
  return {
    prefix,
    /** Makes a token of 256 random bits. */
    make: () => prefix + encodeBase62(randomBytes(tokenBytes)).padStart(tokenDigits, '0'),
    /** `true` if a text has the form of such a token. Callers refuse other texts without a lookup in a store. */
    looksLike: (text: string) => form.test(text),
  };
}

/** Returns the digest that is stored in place of a token. A token has 256 random bits, so it cannot be reversed. */
export function digestToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function encodeBase62(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let digits = '';
  for (; rest > 0n; rest /= 62n) digits = alphabet[Number(rest % 62n)] + digits;
  return digits;
}

/** Returns a unique id: `prefix` and 96 random bits. It is not a secret. */
export function randomId(prefix: string): string {
  return prefix + encodeBase62(randomBytes(12)).padStart(17, '0');
}

/** API keys. Listings, usage and limits of the marketplace are attributed to their holders. */
export const apiKeys = createTokenKind('mk_');
/** Executor keys. The holder may have the agent run actions of one wallet. */
export const executorKeys = createTokenKind('ek_');
/** Sessions of callers that signed in with the key of an address. */
export const sessionTokens = createTokenKind('as_');
/** Sessions of the site's pages, which act for the operator or for the holder of an API key. */
export const portalTokens = createTokenKind('ps_');

const hash = (text: string) => createHash('sha256').update(text).digest();

/**
 * Returns a function that compares a text with a secret in constant time. If the secret is undefined, nothing matches.
 */
export function createSecretCheck(secret: string | undefined): (given: string) => boolean {
  const expected = secret === undefined ? undefined : hash(secret);
  return (given) => expected !== undefined && timingSafeEqual(hash(given), expected);
}

/** The cookie that holds the session of an agent's customer. */
export const sessionCookieName = 'agent_session';

/** Finds the session's token in a `cookie` header. Returns undefined if there is none. */
export const findSessionCookie = (header: string | undefined): string | undefined =>
  findCookie(header, sessionCookieName);

export function findCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
