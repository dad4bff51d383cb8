import { expect, test } from 'vitest';
import { useTestGateway } from '../../../test/support/gateway.ts';
import { catalogBody } from './route.ts';

let listed: string[];
const large = 60;
const small = 1_010;

const gateway = useTestGateway(async (seed) => {
  const seeded: string[] = [];
  for (let n = 0; n < large; n++) {
    const { serviceType } = await seed.listing({
      manifest: { category: 'Lend', padding: 'ä'.repeat(127_000) },
    });
    seeded.push(serviceType);
  }
  for (let n = 0; n < small; n++) await seed.listing({ manifest: { category: 'Swap' } });
  listed = seeded;
});

async function read(path: string) {
  const answer = await fetch(gateway.url + path);
  const text = await answer.text();
  return { bytes: Buffer.byteLength(text), ...catalogBody.parse(JSON.parse(text)) };
}

test.each([
  ['the whole catalog', '/api/adaptors', large + small],
  ['a filtered read', '/api/adaptors?category=Lend', large],
  ['a page of a size that is asked for', '/api/adaptors?category=Lend&limit=500', large],
  ['many small entries', '/api/adaptors?category=Swap', small],
])('%s ends at 1,000 entries or 4 MB, and its cursors lead to every entry once', async (_, path, total) => {
  const seen: string[] = [];
  let pages = 0;
  for (let cursor: string | undefined, more = true; more; pages++) {
    const page = await read(cursor ? `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}` : path);
    expect(page.bytes).toBeLessThan(4_001_000);
    expect(page.count).toBe(page.adaptors.length);
    expect(page.count).toBeLessThanOrEqual(1_000);
    seen.push(...page.adaptors.map((entry) => entry.serviceType));
    cursor = page.nextCursor;
    more = cursor !== undefined;
  }
  expect(pages).toBeGreaterThan(1);
  expect(new Set(seen).size).toBe(total);
  expect(seen).toHaveLength(total);
  if (!path.includes('Swap')) expect(seen).toEqual(expect.arrayContaining(listed));
});
