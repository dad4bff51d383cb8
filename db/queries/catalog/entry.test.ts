import { expect, test } from 'vitest';
import { isRunnable } from './entry.ts';
import type { CatalogEntry } from './entry-schema.ts';

const packageId = '0x1';
const pending = { version: 2, manifestUri: 'walrus://2', state: 'pending' } as const;

test.each<[string, Partial<CatalogEntry> | undefined, boolean]>([
  ['an entry of a verified publisher', { pending: null }, true],
  ['one whose newer version has the same package', { pending: { ...pending, packageId } }, true],
  ['one that is moving to another package', { pending: { ...pending, packageId: '0x2' } }, false],
  ['one of another publisher', { pending: null, publisherVerified: false }, false],
  ['none', undefined, false],
])('whether agents run %s', (_, entry, expected) => {
  const whole = { packageId, publisherVerified: true, ...entry } as CatalogEntry;
  expect(isRunnable(entry && whole)).toBe(expected);
});
