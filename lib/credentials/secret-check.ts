import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Compares with a secret in a time that tells nothing of it. False where the host has none. */
export function secretCheck(secret: string | undefined): (given: string) => boolean {
  const expected = secret === undefined ? undefined : digest(secret);
  return (given) => expected !== undefined && timingSafeEqual(digest(given), expected);
}
