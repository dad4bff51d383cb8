import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'undici';
import { type Database, openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { readCatalog } from '../db/queries/catalog/list.ts';
import { fillCatalog, listingAt, network } from './listings/listings.ts';
import {
  fetchUsage,
  median,
  type Options,
  percentile,
  type Result,
  startChild,
  type Usage,
} from './measure.ts';

const sizes = [12, 10_000];
const perSecond = 20;
const secondsFull = 60;
/** The first changes find code that was never compiled and statements that were never planned; they are not counted. */
const warmSeconds = 10;
const aimMs = 250;
/** Listings that are updated in turn. */
const targetsMax = 200;

/**
 * Milliseconds from a checkpoint with an update to the first response of `GET /api/adaptors` whose bytes hold the new
 * version, while 20 listings a second change: through node, indexer, manifest store and gateway, with a process for each,
 * and a database on disk. A client polls, and has what it polls compressed once a second. The catalog has 12 and 10,000
 * listings. The changes of the first ten seconds are not counted. The limit is what may pass at the 99th percentile.
 */
export async function run({ scale, delay: distanceMs }: Options): Promise<Result> {
  const details: Record<string, number | string> = { perSecond };
  let worst = 0;
  for (const size of sizes) {
    const measured = await changesAmong(size, Math.max(5, Math.round(secondsFull * scale)), distanceMs);
    worst = Math.max(worst, percentile(measured.ms, 0.99));
    const at = (name: string) => `${name}, ${size} listings`;
    details[at('p50 ms')] = round(median(measured.ms));
    details[at('p99 ms')] = round(percentile(measured.ms, 0.99));
    details[at('highest ms')] = round(Math.max(...measured.ms));
    for (const [step, { p50, p99 }] of Object.entries(measured.steps)) {
      details[at(`  ${step} ms, p50 and p99`)] = `${round(p50)} and ${round(p99)}`;
    }
    const { loop } = measured.gateway;
    details[at('  gateway: event loop delay p99 and highest ms')] =
      `${round(loop.p99Ms)} and ${round(loop.maxMs)}`;
    details[at('  gateway: longest work without a turn, processor ms')] = round(loop.busyMaxMs);
    details[at('  gateway: turns of more than 10 processor ms')] = loop.busyTurns;
    details[at('  gateway: share of a core')] = round(measured.share);
    details[at('  machine: processor time in use, and withheld by its host, %')] =
      `${round(measured.cores.used * 100)} and ${round(measured.cores.withheld * 100)}`;
  }
  return {
    name: 'latency',
    unit: 'ms',
    value: round(worst),
    limit: aimMs + distanceMs,
    limitName: 'what may pass from the checkpoint to the bytes, with one round trip to the node',
    ratio: (aimMs + distanceMs) / worst,
    aim: 1,
    details,
  };
}

const round = (value: number) => Math.round(value * 10) / 10;

/** Steps of a change, in order, by their names here. Each has a histogram in `/metrics`. */
const steps: Record<string, { histogram: string; label: string }> = {
  chain: { histogram: 'indexer_step_seconds', label: 'step="receive"' },
  'follower and writer': { histogram: 'indexer_step_seconds', label: 'step="store"' },
  'manifest waits': { histogram: 'indexer_step_seconds', label: 'step="wait"' },
  manifest: { histogram: 'indexer_step_seconds', label: 'step="manifest"' },
  render: { histogram: 'catalog_show_seconds', label: 'network=' },
};

/** An update, as the process of the node reports it. */
interface Change {
  serviceType: string;
  hash: string;
  /** Time of its checkpoint, in milliseconds since the epoch. */
  atMs: number;
}

interface Measured {
  ms: number[];
  steps: Record<string, { p50: number; p99: number }>;
  gateway: Usage;
  share: number;
  /** Shares of the processor time of all cores. */
  cores: { used: number; withheld: number };
}

async function changesAmong(size: number, seconds: number, distanceMs: number): Promise<Measured> {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'bench-latency-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const server = await startEmbeddedServer({ dir });
  stack.defer(() => server.stop());
  const db = openDatabase(server.url, { max: 2 });
  await migrateDatabase(db);
  await fillCatalog(db, size);
  const { entries } = await readCatalog(db.pool, { network, limit: targetsMax });
  stack.defer(() => db.close());
  const shown = new Set(entries.map(({ serviceType }) => serviceType));
  const targets = Array.from({ length: size }, (_, n) => n).filter((n) =>
    shown.has(listingAt(n).serviceType),
  );

  const node = await startChild(
    'latency/node-process.ts',
    [(warmSeconds + seconds) * perSecond, perSecond, distanceMs, ...targets],
    stack,
  );
  const { nodeUrl, storeUrl } = node.said as { nodeUrl: string; storeUrl: string };
  const indexer = await startChild('latency/indexer-process.ts', [server.url, nodeUrl, storeUrl], stack);
  const gateway = await startChild('latency/gateway-process.ts', [server.url], stack);
  const url = String(gateway.said);
  while ((await fetch(`${url}/readyz`)).status !== 200) await delay(100);

  const waiting: Change[] = [];
  node.process.on('message', (change: Change) => waiting.push(change));
  const poll = openPoll(url, waiting);
  stack.defer(() => poll.close());
  const metrics = async () => {
    const [ofIndexer, ofGateway] = [await fetchMetrics(indexer.process), await fetch(`${url}/metrics`)];
    return `${ofIndexer}\n${await ofGateway.text()}`;
  };
  node.process.send('begin');
  const warming = await poll.untilShown(warmSeconds * perSecond);
  const [cold, { cpuMicros }, coresBefore] = [
    await metrics(),
    await fetchUsage(gateway.process),
    await coreTimes(),
  ];
  const begun = performance.now();
  const machine = timeMachine(db);
  stack.defer(async () => void (await machine.end()));
  const ms = await poll.untilShown((warmSeconds + seconds) * perSecond - warming.length);
  const usage = await fetchUsage(gateway.process);
  const share = (usage.cpuMicros - cpuMicros) / 1_000 / (performance.now() - begun);
  const cores = await sharesSince(coresBefore);
  const warm = await metrics();
  const ofSteps = Object.entries(steps).map(([name, series]) => [name, computeQuantiles(cold, warm, series)]);
  return {
    ms,
    gateway: usage,
    share,
    cores,
    steps: { ...Object.fromEntries(ofSteps), ...(await machine.end()) },
  };
}

/**
 * Reads the time of all cores since boot, in hundredths of a second: in use, idle, and withheld by the host of a
 * virtual machine.
 */
async function coreTimes() {
  const [line = ''] = (await readFile('/proc/stat', 'utf8').catch(() => '')).split('\n');
  const [user, nice, system, idle, iowait, irq, softirq, withheld] = line
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return { used: user! + nice! + system! + irq! + softirq!, idle: idle! + iowait!, withheld: withheld! };
}

async function sharesSince(before: Awaited<ReturnType<typeof coreTimes>>) {
  const now = await coreTimes();
  const [used, idle, withheld] = [
    now.used - before.used,
    now.idle - before.idle,
    now.withheld - before.withheld,
  ];
  const all = Math.max(1, used + idle + withheld);
  return { used: used / all, withheld: withheld / all };
}

/**
 * Measures the smallest of these steps on this machine while they run: an empty statement, and a commit on disk. A
 * change needs some forty statements, one after the other, and two commits.
 */
function timeMachine({ pool }: Database) {
  const statement: number[] = [];
  const commit: number[] = [];
  const timed = async (text: string, into: number[]) => {
    const before = performance.now();
    await pool.query(text);
    into.push(performance.now() - before);
  };
  let ended = false;
  const running = (async () => {
    await pool.query('create table bench_commits (n int)');
    while (!ended) {
      await timed('select 1', statement);
      await timed('insert into bench_commits values (1)', commit);
      await delay(100);
    }
  })();
  const quantiles = (ms: number[]) => ({ p50: median(ms), p99: percentile(ms, 0.99) });
  return {
    async end() {
      ended = true;
      await running;
      return { 'machine: a statement': quantiles(statement), 'machine: a commit': quantiles(commit) };
    },
  };
}

async function fetchMetrics(child: ChildProcess): Promise<string> {
  const answered = once(child, 'message');
  child.send('metrics');
  return String((await answered)[0]);
}

/** Pause between two polls. A catalog that has not changed costs the gateway no body. */
const pollMs = 5;
const compressedEveryMs = 1_000;
/** Time after the last shown change. Changes that are still not shown then are missing. */
const giveUpMs = 20_000;

/** Polls the catalog, and takes the changes that it shows out of those that wait. */
function openPoll(url: string, waiting: Change[]) {
  const client = new Client(url);
  let etag = '';
  let compressedAt = 0;

  /** Polls once. Returns the milliseconds that each change took that the response shows. */
  async function poll(): Promise<number[]> {
    const answer = await client.request({
      method: 'GET',
      path: '/api/adaptors',
      headers: { 'accept-encoding': 'identity', 'if-none-match': etag },
    });
    const body = Buffer.from(await answer.body.arrayBuffer());
    const atMs = performance.timeOrigin + performance.now();
    if (answer.statusCode !== 200) return [];
    etag = String(answer.headers.etag);
    const took: number[] = [];
    for (const { hash, serviceType } of waiting.filter((change) => body.includes(change.hash))) {
      // A version that was replaced before it was shown counts as shown with the next one.
      const upTo = waiting.findIndex((change) => change.hash === hash);
      const shown = waiting.filter((change, at) => at <= upTo && change.serviceType === serviceType);
      for (const change of shown) {
        took.push(atMs - change.atMs);
        waiting.splice(waiting.indexOf(change), 1);
      }
    }
    return took;
  }

  async function compress(): Promise<void> {
    compressedAt = performance.now();
    const headers = { 'accept-encoding': 'br' };
    const compressed = await client.request({ method: 'GET', path: '/api/adaptors', headers });
    await compressed.body.dump({ limit: 1e9 });
  }

  return {
    /** Polls until at least `count` more changes were in the catalog. Returns the milliseconds that each took. */
    async untilShown(count: number): Promise<number[]> {
      const took: number[] = [];
      let lastMs = performance.now();
      while (took.length < count) {
        const shown = await poll();
        took.push(...shown);
        if (shown.length > 0) lastMs = performance.now();
        if (performance.now() - compressedAt > compressedEveryMs) await compress();
        if (performance.now() - lastMs > giveUpMs)
          throw new Error(`${count - took.length} changes were never shown`);
        await delay(pollMs);
      }
      return took;
    },
    close: () => client.close(),
  };
}

/** The bounds of the buckets in which the median and the 99th percentile of a histogram lie, in milliseconds. */
function computeQuantiles(
  before: string,
  after: string,
  series: { histogram: string; label: string },
): { p50: number; p99: number } {
  const [former, all] = [parseBuckets(before, series), parseBuckets(after, series)];
  const buckets = all.map(({ ms, count }, at) => ({ ms, count: count - (former[at]?.count ?? 0) }));
  const total = buckets.at(-1)?.count ?? 0;
  const at = (share: number) => buckets.find(({ count }) => count >= total * share)?.ms ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

const parseBuckets = (metrics: string, { histogram, label }: { histogram: string; label: string }) =>
  metrics
    .split('\n')
    .filter((line) => line.startsWith(`${histogram}_bucket`) && line.includes(label))
    .map((line) => /le="([^"]+)".*\} (\d+)/.exec(line)!)
    .map(([, le, count]) => ({ ms: Number(le) * 1_000, count: Number(count) }));
