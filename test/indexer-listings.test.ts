import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../db/client.ts';
import { silentLogger } from '../lib/log/index.ts';
import { createOutbound } from '../lib/outbound/index.ts';
import { startIndexer } from '../services/indexer/index.ts';
import { startFrameNode } from './support/frames/node.ts';
import { chainOf, id } from './support/frames/registrations.ts';
import { settingsFor } from './support/frames/settings.ts';
import { openTestDatabase, until } from './support/indexing.ts';

let db: Database & { drop(): Promise<void> };
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  db = await openTestDatabase();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await db.drop();
});

interface Checked {
  package_id: string;
  publisher: string;
  publisher_check: string;
  witness_check: string;
  check_error: string | null;
  next_check_at: Date | null;
}

async function listings(): Promise<Checked[]> {
  return (await db.pool.query<Checked>('select * from listings order by package_id, publisher')).rows;
}

test('who published a package is verified, a squatter is not, and a type without witness is invalid', async () => {
  const [real, squatter] = [id(100), id(200)];
  const manifest = { uri: 'walrus://none', hash: 'ab'.repeat(32) };
  const chain = chainOf([
    { packageId: id(1), publisher: real, ...manifest },
    { packageId: id(1), publisher: squatter, ...manifest },
    { packageId: id(2), publisher: real, ...manifest },
  ]);
  const node = await startFrameNode({ chain, tip: chain.last, packages: { [id(1)]: { sender: real } } });
  const outbound = createOutbound({ allowCidrs: [] });
  const indexer = startIndexer({ db, networks: [settingsFor(node.url)], log: silentLogger, outbound });
  closing.push(
    () => node.close(),
    () => outbound.close(),
    () => indexer.close(),
  );
  await until(async () => {
    const found = await listings();
    expect(found.filter((listing) => listing.witness_check !== 'pending')).toHaveLength(3);
  });
  const [first, second, third] = await listings();
  expect(first).toMatchObject({ publisher: real, publisher_check: 'verified', witness_check: 'valid' });
  expect(first).toMatchObject({ check_error: null, next_check_at: null });
  expect(second).toMatchObject({
    publisher: squatter,
    publisher_check: 'unverified',
    witness_check: 'valid',
  });
  expect(third).toMatchObject({ package_id: id(2), witness_check: 'invalid' });
  expect(third?.check_error).toMatch(/has no type adaptor::Adaptor/);
});
