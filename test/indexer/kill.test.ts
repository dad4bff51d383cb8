import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import { listenOn } from '@adaptor-marketplace/process';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { startEmbeddedServer } from '../../db/embedded/server.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import type { SourceName } from '../../lib/config/networks.ts';
import { createTestDatabase, indexedTo, sourceRow } from '../support/database.ts';
import { endChild } from '../support/end-child.ts';
import { eventually } from '../support/eventually.ts';
import { buildChain, type GeneratedChain, generateChain, id, manifest } from '../support/frames/chain.ts';
import { generateMarket } from '../support/frames/market/generate.ts';
import { expectedMarket } from '../support/frames/market/oracle.ts';
import { readMarket } from '../support/frames/market/tables.ts';
import { startFrameNode } from '../support/frames/node.ts';
import { marketPackages, marketSources, packageIds, settingsFor } from '../support/frames/packages.ts';
import { Random } from '../support/frames/random.ts';
import { expectedTables, readTables } from '../support/frames/registry-oracle.ts';

let db: Database;
beforeEach(async () => {
  db = await createTestDatabase();
});

const script = fileURLToPath(new URL('../support/indexer-process.ts', import.meta.url));
function startProcess(nodeUrl: string, ...allowCidrs: string[]): ChildProcess {
  const settings = JSON.stringify(settingsFor(nodeUrl, marketPackages));
  const args = [script, db.directUrl, settings, ...allowCidrs];
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * The chain to index, the source whose progress decides the time of each kill, its number of events, and the number of
 * kills.
 */
interface Killing {
  chain: GeneratedChain;
  source: SourceName;
  events: number;
  kills: number;
}

/** Resolves when the whole chain is indexed. */
async function indexWithKills({ chain, source, events, kills }: Killing): Promise<void> {
  const node = await startFrameNode({ chain, tip: chain.last, pageMax: 500 });
  const random = new Random(23);
  let child = startProcess(node.url);
  try {
    for (let i = 1; i <= kills; i++) {
      // Each kill falls into its own part of the history. The event count moves with commits, and the extra queries
      // move the kill into the middle of one.
      const from = Math.floor(((i - 1) / kills) * events + random.integer(events / kills / 2));
      await eventually(async () => {
        expect((await sourceRow(db, source))?.event_count ?? 0).toBeGreaterThanOrEqual(from);
      });
      for (let turn = random.integer(40); turn > 0; turn--) await db.pool.query('select');
      await endChild(child, 'SIGKILL');
      child = startProcess(node.url);
    }
    await indexedTo(db, chain.last, marketSources);
  } finally {
    await endChild(child, 'SIGKILL');
    await node.close();
  }
}

test('killed at any moment of a catch-up and started again, the tables end as if undisturbed', async () => {
  const events = 12_000;
  const chain = generateChain({ seed: 23, events });
  await indexWithKills({ chain, source: 'registry', events, kills: 5 });
  expect(await readTables(db)).toEqual(expectedTables(chain));
  expect((await sourceRow(db))?.event_count).toBe(events);
});

test('killed while all sources catch up, each goes on from its own place and counts nothing twice', async () => {
  const chain = generateMarket({ seed: 29, transactions: 3_000, size: 20 });
  const events = chain.transactions
    .flatMap((transaction) => transaction.events)
    .filter(({ type }) => type.startsWith(packageIds.wallet)).length;
  await indexWithKills({ chain, source: 'wallet', events, kills: 3 });
  expect(await readMarket(db)).toEqual(expectedMarket(chain));
  expect((await sourceRow(db, 'wallet'))?.event_count).toBe(events);
});

test('when the database crashes during a catch-up, its last commits come again, and nothing is missing or stored twice', async () => {
  const events = 12_000;
  const chain = generateChain({ seed: 31, events });
  const dir = await mkdtemp(join(tmpdir(), 'crash-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const server = await startEmbeddedServer({ dir });
  onTestFinished(() => server.stop());
  db = openDatabase(server.url, { max: 4 });
  onTestFinished(() => db.close());
  await migrateDatabase(db);
  const node = await startFrameNode({ chain, tip: chain.last, pageMax: 500 });
  onTestFinished(() => node.close());
  const child = startProcess(node.url);
  onTestFinished(() => endChild(child, 'SIGKILL'));
  let crashed: number | undefined;
  for (const from of [500, 4_000, 8_000]) {
    const postmaster = await eventually(async () => {
      expect((await sourceRow(db))?.event_count ?? 0).toBeGreaterThanOrEqual(from);
      const { rows } = await db.pool.query<{ file: string }>(`select pg_read_file('postmaster.pid') as file`);
      const pid = Number.parseInt(rows[0]!.file, 10);
      // The server answers for a moment after the signal.
      expect(pid).not.toBe(crashed);
      return pid;
    });
    // SIGQUIT ends the server without writing what is only in memory. Its helper starts it again.
    process.kill(postmaster, 'SIGQUIT');
    crashed = postmaster;
  }
  await indexedTo(db, chain.last, marketSources);
  expect(await readTables(db)).toEqual(expectedTables(chain));
  expect((await sourceRow(db))?.event_count).toBe(events);
});

test('killed while its listings are checked, each is in the catalog once, with its manifest', async () => {
  const bodies = new Map<string, string>();
  const host = createServer((req, res) => res.end(bodies.get(req.url!)));
  const { port } = await listenOn(host, 0, '127.0.0.1');
  onTestFinished(() => {
    host.close();
  });
  const numbers = Array.from({ length: 300 }, (_, n) => n);
  const registrations = numbers.map((n) => {
    const body = manifest(id(n + 1));
    bodies.set(`/${n}`, JSON.stringify(body));
    const uri = `http://127.0.0.1:${port}/${n}`;
    return { packageId: id(n + 1), publisher: id(10_000 + n), uri, hash: manifestHash(body) };
  });
  const chain = buildChain(registrations);
  const packages = Object.fromEntries(registrations.map((one) => [one.packageId, { sender: one.publisher }]));
  const node = await startFrameNode({ chain, tip: chain.last, packages });
  onTestFinished(() => node.close());
  const start = () => startProcess(node.url, '127.0.0.0/8');
  const readShown = async () => {
    const { rows } = await db.pool.query<{ count: number }>(
      'select count(*)::int as count from catalog_entries where shown',
    );
    return rows[0]!.count;
  };
  let child = start();
  onTestFinished(() => endChild(child, 'SIGKILL'));
  for (const from of [1, 80, 160]) {
    await eventually(async () => expect(await readShown()).toBeGreaterThanOrEqual(from));
    await endChild(child, 'SIGKILL');
    child = start();
  }
  await eventually(async () => expect(await readShown()).toBe(numbers.length));
  await eventually(async () => {
    const { rows } = await db.pool.query(
      `select l.publisher_check, l.witness_check, l.op_misfits, f.status, f.attempts, s.shown, count(*)::int
        from listings l join manifest_fetches f on f.hash = l.manifest_hash join catalog_state s on s.network = l.network
        where l.next_check_at is null and l.recheck_at > now()
        group by 1, 2, 3, 4, 5, 6`,
    );
    expect(rows).toEqual([
      {
        publisher_check: 'verified',
        witness_check: 'valid',
        op_misfits: [],
        status: 'verified',
        attempts: 1,
        shown: numbers.length,
        count: numbers.length,
      },
    ]);
  });
});
