import { beforeEach, expect, test } from 'vitest';
import type { Database } from '../../db/client.ts';
import { createTestDatabase, indexedTo, sourceRow } from '../support/database.ts';
import { generateChain } from '../support/frames/chain.ts';
import { settingsFor } from '../support/frames/packages.ts';
import { expectedTables, readTables } from '../support/frames/registry-oracle.ts';
import { runFrameNode, runIndexer } from '../support/run-indexer.ts';

let db: Database;
beforeEach(async () => {
  db = await createTestDatabase();
});

const chain = generateChain({ seed: 7, events: 1_500 });

test('a history read from genesis ends in the tables that its events add up to', async () => {
  const node = await runFrameNode({ chain, tip: chain.last + 3, pageMax: 100 });
  runIndexer({ db, networks: [settingsFor(node.url)], batchMax: 200, idleMs: 500 });
  await indexedTo(db, chain.last);
  expect(await readTables(db)).toEqual(expectedTables(chain));
  const undecoded = expectedTables(chain).events.filter(({ data }) => data === null).length;
  expect(undecoded).toBeGreaterThan(0);
  expect(await sourceRow(db)).toMatchObject({
    event_count: 1_500,
    undecoded_count: undecoded,
    last_error: null,
    chain_id: chain.chainId,
  });
});
