import { type CatalogQuery, MarketplaceError } from '@adaptor-marketplace/sdk';
import { expect, test } from 'vitest';
import { formatEntryLine, waitUntilListed } from './listing.ts';
import type { Session } from './signing.ts';

const listing = { serviceType: '0x1::a::A', packageId: '0x1', manifestUri: 'walrus://1', manifestHash: 'ab' };
const entry = {
  serviceType: listing.serviceType,
  packageId: '0x1',
  publisherVerified: false,
  manifestHash: 'ab',
  version: 1,
  manifest: { name: 'A', category: 'Other' },
  usage: { actions: 0, uniqueVaults: 0 },
  reviews: { count: 0, avg: null },
};

/** A marketplace that shows the listing by default from the given request on. It begins with these refusals. */
function marketplace(shownFrom: number, refusals: MarketplaceError[] = []): Session {
  let looks = 0;
  const listAdaptors = async ({ query: { include } }: { query: CatalogQuery }) => {
    const refusal = refusals.shift();
    if (refusal) throw refusal;
    if (include) looks++;
    const adaptors = include || looks >= shownFrom ? [entry] : [];
    return { network: 'testnet', adaptors };
  };
  const io = { out() {}, err() {}, env: {}, liveErr: false };
  const market = { baseUrl: '', api: { listAdaptors } };
  return { io, market, network: 'testnet', address: '0x9' } as unknown as Session;
}

test('a marketplace that does not know the publisher yet has time to find out', async () => {
  const found = await waitUntilListed(marketplace(2), listing, { shownByDefault: true });
  expect(found.shownByDefault).toBe(true);
});

test('a rate limit delays the wait for the catalog, and does not end it before its time', async () => {
  const limit = (retryAfter: string) =>
    new MarketplaceError(new Response(null, { status: 429, headers: { 'retry-after': retryAfter } }), {});
  const check = { shownByDefault: true };
  const found = await waitUntilListed(marketplace(1, [limit('0'), limit('0')]), listing, check);
  expect(found.shownByDefault).toBe(true);
  const waiting = waitUntilListed(marketplace(1, [limit('181')]), listing, check);
  await expect(waiting).rejects.toMatchObject({ status: 429 });
});

test.each([false, null])(
  'after the check, the statement of the marketplace is the answer',
  async (shownByDefault) => {
    const found = await waitUntilListed(marketplace(2), listing, { shownByDefault });
    expect(found).toMatchObject({ entry: { serviceType: listing.serviceType }, shownByDefault: false });
  },
);

test.each([
  [{}, 'listing  A, of a verified publisher'],
  [
    { deprecated: 'Version 2 is cheaper.' },
    'warning  A is deprecated by its publisher: Version 2 is cheaper.',
  ],
  [
    { deprecated: 'Version 2 is cheaper.', successor: '0x2::a::A' },
    'warning  A is deprecated by its publisher, who names 0x2::a::A in its place: Version 2 is cheaper.',
  ],
  [{ name: 'V\u0430ult' }, 'listing  V\u0430ult[U+0430], of a verified publisher'],
])('an owner reads what the publisher says of the listing: %o', (said, line) => {
  const manifest = { ...entry.manifest, ...said };
  expect(formatEntryLine({ publisherVerified: true, manifest })).toBe(line);
});

test('an owner is warned of a publisher who is not verified, before anything that they say', () => {
  const manifest = { ...entry.manifest, deprecated: 'Old.' };
  expect(formatEntryLine({ publisherVerified: false, manifest })).toContain('is not verified');
});
