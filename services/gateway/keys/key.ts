import { createHash, randomBytes } from 'node:crypto';

export const keyPrefix = 'mk_';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keyBytes = 32;
/** Digits in base 62 that 32 bytes take at most. */
const keyDigits = 43;
const form = new RegExp(`^${keyPrefix}[0-9A-Za-z]{${keyDigits}}$`);

/** A key that nobody has guessed: 256 random bits. */
export function newKey(): string {
  return keyPrefix + base62(randomBytes(keyBytes)).padStart(keyDigits, '0');
}

/** Whether it can be a key at all; what cannot is refused without asking the store. */
export function looksLikeKey(text: string): boolean {
  return form.test(text);
}

/** What is kept of a key. The key has 256 random bits, so a plain digest cannot be turned back. */
export function keyDigest(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export function base62(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let digits = '';
  for (; rest > 0n; rest /= 62n) digits = alphabet[Number(rest % 62n)] + digits;
  return digits;
}
