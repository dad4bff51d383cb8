import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Registry } from '@prometheus-io/client';
import { type Database, openDatabase } from '../../db/client.ts';
import { startEmbeddedServer } from '../../db/embedded/server.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { listFollowedSources } from '../../lib/config/networks.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { startIndexer } from '../../services/indexer/index.ts';
import { endChild } from '../../test/support/end-child.ts';
import { packageIds, settingsFor } from '../../test/support/frames/packages.ts';

const packages = { walletPackageId: packageIds.wallet };
export const sourceNames = listFollowedSources(packages);

/** A generated chain behind a node, and an empty database on disk. */
interface IndexBench extends AsyncDisposable {
  db: Database;
  node: { url: string; tip: number; transactions: number; bytes: number };
  /** Stops the node. */
  endNode(): Promise<void>;
}

/** @param delayMs round trip between indexer and node */
export async function openIndexBench(events: number, delayMs: number): Promise<IndexBench> {
  await using stack = new AsyncDisposableStack();
  console.log(`generating ${events} events ...`);
  const { child, ...node } = await startGenerator(events, delayMs);
  const endNode = () => endChild(child);
  stack.defer(endNode);
  const dir = await mkdtemp(join(tmpdir(), 'bench-index-'));
  stack.defer(() => rm(dir, { recursive: true }));
  const server = await startEmbeddedServer({ dir });
  stack.defer(() => server.stop());
  const db = openDatabase(server.url, { max: 10 });
  stack.defer(() => db.close());
  await migrateDatabase(db);
  const all = stack.move();
  return { db, node, endNode, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function startGenerator(events: number, delayMs: number) {
  const script = fileURLToPath(new URL('generator.ts', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [script, String(events), String(delayMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout! }), 'line');
  return { child, ...(JSON.parse(line) as IndexBench['node']) };
}

interface SourceRow {
  name: string;
  event_count: number;
  checkpoint: number;
  unsettled_from: number | null;
  last_error: string | null;
}

/** Number of events that were committed after a time. */
interface Mark {
  seconds: number;
  events: number;
}

interface SourcesMark extends Mark {
  bySource: Readonly<Record<string, number>>;
}

/**
 * Runs the indexer until all events and what follows from them are committed, or until `until` events are.
 * @param until absent: all
 */
export async function indexEvents({ db, node }: IndexBench, until = Number.POSITIVE_INFINITY) {
  const outbound = createOutbound({ allowCidrs: [] });
  const metrics = new Registry();
  const begun = performance.now();
  const marks: SourcesMark[] = [];
  const networks = [settingsFor(node.url, packages)];
  const indexer = startIndexer({ db, networks, log: silentLogger, outbound, metrics });
  for (;;) {
    const { rows } = await db.pool.query<SourceRow>(
      'select name, event_count, checkpoint, unsettled_from, last_error from sources',
    );
    const failed = rows.find((row) => row.last_error);
    if (failed) throw new Error(failed.last_error!);
    const events = rows.reduce((sum, row) => sum + row.event_count, 0);
    const bySource = Object.fromEntries(rows.map((row) => [row.name, row.event_count]));
    marks.push({ seconds: (performance.now() - begun) / 1000, events, bySource });
    const done = rows.filter((row) => row.checkpoint >= node.tip && row.unsettled_from === null);
    if (done.length === sourceNames.length || events >= until) break;
    await delay(50);
  }
  await indexer.close();
  await outbound.close();
  const waits = await metrics.getSingleMetric('indexer_wait_seconds_total')!.get();
  const waitedFor = (what: string) =>
    waits.values.reduce((sum, { labels, value }) => (labels.for === what ? sum + value : sum), 0);
  return { marks, waitedSeconds: { source: waitedFor('source'), database: waitedFor('database') } };
}

/**
 * Events per second of each tenth of a history, by the number of events at its end, as far as the marks reach. The last
 * commit, which also settles the history, is left out.
 */
export function measureTenths(marks: readonly Mark[], events: number): { size: number; value: number }[] {
  const total = marks.at(-1)!.events;
  const unsettled = marks.filter((mark) => mark.events < total);
  const [first, last] = [unsettled[0]?.events ?? 0, unsettled.at(-1)?.events ?? 0];
  return Array.from({ length: 10 }, (_, tenth) => {
    const [from, to] = [(events * tenth) / 10, (events * (tenth + 1)) / 10];
    const end = Math.min(to, last);
    if (from < first || end <= from) return [];
    return [{ size: to, value: Math.round((end - from) / secondsBetween(unsettled, from, end)) }];
  }).flat();
}

/** Time between two counts of committed events, interpolated linearly between the recorded ones. */
function secondsBetween(marks: readonly Mark[], from: number, to: number): number {
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
