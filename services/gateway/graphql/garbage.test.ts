import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { address, readModelBuilder } from '../../../test/support/read-model.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';

const owner = address(0x101);
const serviceType = `${address(6)}::a::A`;

const db = useTestDatabase();
beforeAll(async () => {
  const seed = readModelBuilder(db);
  await seed.source({ name: 'wallet' });
  const rows = walletRows(db);
  for (let n = 0; n < 10; n++) {
    const walletId = await rows.wallet(owner);
    for (let at = 0; at < 5; at++) {
      await rows.delegate(walletId, address(0xd0 + at));
      await rows.grant(walletId, `${address(6)}::a::A${at}`, `${address(2)}::sui::SUI`, '77');
    }
  }
  for (let n = 0; n < 10; n++) await seed.listing({ serviceType: `${address(7)}::m::S${n}` });
  await seed.listing({ serviceType });
});

/**
 * Most bytes that may survive for each query: code that is compiled meanwhile, and memory that the driver and the
 * server retain: 1,500 to 3,200 bytes. Earlier, 17,000 to 93,000 bytes of a single query survived.
 */
const survivingBytesMax = 8_000;

test.each([
  [
    'the wallets of an owner with their lists',
    `{ wallets(owner: "${owner}") { pageInfo { endCursor } edges { node {
      owner grants { serviceType allowance } delegates { pageInfo { endCursor } edges { node { address } } } } } } }`,
  ],
  [
    'a page of the catalog',
    '{ adaptors { pageInfo { endCursor } edges { cursor node { manifest { name } usage { actions } } } } }',
  ],
  [
    'an adaptor with its history',
    `{ adaptor(serviceType: "${serviceType}") { version versions { edges { node { version } } }
      events { edges { node { name } } } listing { status } } }`,
  ],
])('a quick collection of garbage frees what a query has read: %s', async (_, query) => {
  const child = fork(join(import.meta.dirname, '../../../test/support/surviving-bytes.ts'), [
    db.directUrl,
    query,
  ]);
  const [{ result, bytes }] = (await once(child, 'message')) as [{ result: string; bytes: number }];
  expect(result).toMatch(/"edges":\[\{/);
  expect(bytes).toBeLessThan(survivingBytesMax);
});
