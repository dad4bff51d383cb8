import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Registry } from '@prometheus-io/client';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { type Database, openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { followedSources } from '../lib/config/networks.ts';
import { silentLogger } from '../lib/log/index.ts';
import { createOutbound } from '../lib/outbound/index.ts';
import { startIndexer } from '../services/indexer/index.ts';
import { packageIds, settingsFor } from '../test/support/frames/packages.ts';
import type { Options, Result } from './measure.ts';

const fullSize = 1_000_000;

const allTables = [
  'events',
  'listings',
  'listing_versions',
  'attestations',
  'manifest_fetches',
  'wallets',
  'service_grants',
  'delegates',
  'delegate_allowances',
  'policies',
  'policy_rules',
  'caps',
  'service_actions',
  'service_vaults',
  'service_usage',
  'reviews',
  'catalog_entries',
  'catalog_removals',
  'service_actors',
];
const packages = { walletPackageId: packageIds.wallet };
const sourceCount = followedSources(packages).length;

/**
 * Events per second from a node to the tables. Half of the events are from a registry and half from wallets, and their
 * sources run side by side. The limit is a raw COPY of all rows that result. Frames are encoded in advance, and come from
 * their own process through the real gRPC client.
 */
export async function run({ scale }: Options): Promise<Result> {
  const events = Math.round(fullSize * scale);
  console.log(`generating ${events} events ...`);
  const generator = await startGenerator(events);
  const dir = await mkdtemp(join(tmpdir(), 'bench-index-'));
  const server = await startEmbeddedServer({ dir });
  const db = openDatabase(server.url, { max: 10 });
  try {
    await migrateDatabase(db);
    console.log(`${generator.transactions} transactions, ${generator.bytes} bytes; indexing ...`);
    const { marks, waitedSeconds, cpuSeconds } = await indexAll(db, generator.url, generator.tip);
    generator.process.kill();
    const eventsPerSecond = events / marks.at(-1)!.seconds;
    const part = Math.min(100_000, events / 4);
    const first = part / secondsBetween(marks, 0, part);
    // The last commit also settles the whole history, which is reported separately.
    const lastCount = marks.findLast((mark) => mark.events < events)!.events;
    const unsettled = marks.find((mark) => mark.events === lastCount)!;
    const last = part / secondsBetween(marks, unsettled.events - part, unsettled.events);
    console.log('copying the same rows ...');
    const all = events / (await rawCopySeconds(db, allTables));
    const eventsAlone = events / (await rawCopySeconds(db, ['events']));
    return {
      name: 'index',
      unit: 'events/s',
      value: Math.round(eventsPerSecond),
      limit: Math.round(all),
      limitName: `raw COPY of the same rows into the same ${allTables.length} tables, with their indexes`,
      ratio: eventsPerSecond / all,
      aim: 0.4,
      details: {
        events,
        transactions: generator.transactions,
        frameBytesMean: Math.round(generator.bytes / generator.transactions),
        firstPartPerSecond: Math.round(first),
        lastPartPerSecond: Math.round(last),
        lastToFirst: round(last / first),
        lastCommitAndSettlingSeconds: round(marks.at(-1)!.seconds - unsettled.seconds),
        rawCopyOfTableEventsAlone: Math.round(eventsAlone),
        indexerCpuMicrosecondsPerEvent: round((cpuSeconds / events) * 1e6),
        writerWaitedForNodeSeconds: round(waitedSeconds.source),
        readerWaitedForDatabaseSeconds: round(waitedSeconds.database),
        ratioToTableEventsAlone: round(eventsPerSecond / eventsAlone),
      },
    };
  } finally {
    generator.process.kill();
    await db.close();
    await server.stop();
    await rm(dir, { recursive: true });
  }
}

const round = (ratio: number) => Math.round(ratio * 100) / 100;

interface SourceRow {
  event_count: number;
  checkpoint: number;
  unsettled_from: number | null;
  last_error: string | null;
}

interface Mark {
  seconds: number;
  events: number;
}

/** Records how many events were committed when, until all events and what follows from them are committed. */
async function indexAll(db: Database, url: string, tip: number) {
  const outbound = createOutbound({ allowCidrs: [] });
  const metrics = new Registry();
  const begun = performance.now();
  const cpu = process.cpuUsage();
  const marks: Mark[] = [{ seconds: 0, events: 0 }];
  const networks = [settingsFor(url, packages)];
  const indexer = startIndexer({ db, networks, log: silentLogger, outbound, metrics });
  for (;;) {
    const { rows } = await db.pool.query<SourceRow>(
      'select event_count, checkpoint, unsettled_from, last_error from sources',
    );
    const seconds = (performance.now() - begun) / 1000;
    const failed = rows.find((row) => row.last_error);
    if (failed) throw new Error(failed.last_error!);
    marks.push({ seconds, events: rows.reduce((sum, row) => sum + row.event_count, 0) });
    const done = rows.filter((row) => row.checkpoint >= tip && row.unsettled_from === null);
    if (done.length === sourceCount) break;
    await delay(50);
  }
  const { user, system } = process.cpuUsage(cpu);
  await indexer.close();
  await outbound.close();
  const waits = await metrics.getSingleMetric('indexer_wait_seconds_total')!.get();
  const waitedFor = (what: string) =>
    waits.values.reduce((sum, { labels, value }) => (labels.for === what ? sum + value : sum), 0);
  return {
    marks,
    cpuSeconds: (user + system) / 1e6,
    waitedSeconds: { source: waitedFor('source'), database: waitedFor('database') },
  };
}

/** Time between two counts of committed events, interpolated linearly between the recorded ones. */
function secondsBetween(marks: Mark[], from: number, to: number): number {
  const at = (events: number) => {
    const next = Math.max(
      1,
      marks.findIndex((mark) => mark.events >= events),
    );
    const [before, after] = [marks[next - 1]!, marks[next]!];
    const share =
      after.events === before.events ? 1 : (events - before.events) / (after.events - before.events);
    return before.seconds + share * (after.seconds - before.seconds);
  };
  return at(to) - at(from);
}

interface Generator {
  process: ChildProcess;
  url: string;
  tip: number;
  transactions: number;
  bytes: number;
}

async function startGenerator(events: number): Promise<Generator> {
  const script = fileURLToPath(new URL('index/generator.ts', import.meta.url));
  const child = spawn(process.execPath, ['--max-old-space-size=8192', script, String(events)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { process: child, ...JSON.parse(line) };
}

/**
 * Seconds that a bare COPY of the rows of the tables takes: in one transaction, from files, into empty tables with the same
 * columns, constraints and indexes.
 */
async function rawCopySeconds({ pool }: Database, tables: string[]): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'bench-copy-'));
  const client = await pool.connect();
  try {
    for (const table of tables) {
      await pipeline(client.query(copyTo(`copy ${table} to stdout`)), createWriteStream(join(dir, table)));
      await client.query(`create table raw_${table} (like ${table} including all)`);
    }
    await client.query('checkpoint');
    const begun = performance.now();
    await client.query('begin');
    for (const table of tables) {
      await pipeline(
        createReadStream(join(dir, table)),
        client.query(copyFrom(`copy raw_${table} from stdin`)),
      );
    }
    await client.query('commit');
    return (performance.now() - begun) / 1000;
  } finally {
    for (const table of tables) await client.query(`drop table if exists raw_${table}`);
    client.release();
    await rm(dir, { recursive: true });
  }
}
