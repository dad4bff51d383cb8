import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../db/client.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { type Indexer, startIndexer } from '../../services/indexer/index.ts';
import { createTestDatabase, indexedTo, sourceRow } from '../support/database.ts';
import { generateChain } from '../support/frames/chain.ts';
import { type FrameNodeOptions, startFrameNode } from '../support/frames/node.ts';
import { settingsFor } from '../support/frames/packages.ts';
import { expectedTables, readTables } from '../support/frames/registry-oracle.ts';

const outbound = createOutbound({ allowCidrs: [] });
afterAll(() => outbound.close());

let db: Database;
beforeEach(async () => {
  db = await createTestDatabase();
});

const chain = generateChain({ seed: 7, events: 1_500 });

async function startNode(options: Partial<FrameNodeOptions> = {}) {
  const node = await startFrameNode({ chain, tip: chain.last + 3, pageMax: 100, ...options });
  onTestFinished(() => node.close());
  return node;
}

function index(url: string): Indexer {
  const indexer = startIndexer({
    db,
    networks: [settingsFor(url)],
    log: silentLogger,
    outbound,
    batchMax: 200,
    idleMs: 500,
  });
  onTestFinished(() => indexer.close());
  return indexer;
}

test('a history read from genesis ends in the tables that its events add up to', async () => {
  const node = await startNode();
  index(node.url);
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
