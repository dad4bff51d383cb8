import { measureCanaries } from './index/canaries.ts';
import { copyAgain, tableCount } from './index/copying.ts';
import { indexEvents, measureTenths, openIndexBench, sourceNames } from './index/indexing.ts';
import { measureCost, sizes } from './index/server.ts';
import type { Options, Result } from './measure.ts';

const fullSize = 1_000_000;
const canariesFull = 2_000;

/**
 * Events per second from a node to the tables. Half of the events are from a registry and half from wallets, and their
 * sources run side by side. Simulations of canaries are stored afterwards. The limit is a bare COPY of all rows that result, side by side too. Frames are encoded in
 * advance, and come from their own process through the real gRPC client, over the distance of `--delay`.
 */
export async function run({ scale, delay }: Options): Promise<Result> {
  const events = Math.round(fullSize * scale);
  await using bench = await openIndexBench(events, delay);
  const { db, node } = bench;
  console.log(`${node.transactions} transactions, ${node.bytes} bytes; indexing ...`);
  const { result, ...indexing } = await measureCost(db.pool, () => indexEvents(bench));
  const residentMax = process.resourceUsage().maxRSS / 1024;
  const { marks, waitedSeconds } = result;
  await bench.endNode();
  // The last commit also settles the whole history, which is reported separately.
  const unsettled = marks.find(
    (mark) => mark.events === marks.findLast(({ events: e }) => e < events)!.events,
  )!;
  const rates = measureTenths(marks, unsettled.events).map(({ value }) => value);
  const onDisk = await sizes(db.pool);
  console.log('copying the same rows ...');
  const copying = await copyAgain(db.pool);
  console.log('storing simulations of canaries ...');
  const canaries = await measureCanaries(db, Math.ceil(canariesFull * scale));
  const perEvent = (seconds: number) => round((seconds / events) * 1e6);
  const megabytes = (kind: (relation: (typeof onDisk)[number]) => boolean) =>
    Math.round(onDisk.filter(kind).reduce((sum, { bytes }) => sum + Number(bytes), 0) / 2 ** 20);
  return {
    name: 'index',
    unit: 'events/s',
    value: Math.round(events / indexing.seconds),
    limit: Math.round(events / copying.seconds),
    limitName:
      `COPY of the same rows into the same ${tableCount} tables with their indexes, ` +
      `over ${sourceNames.length} connections like the indexer's`,
    ratio: copying.seconds / indexing.seconds,
    aim: 0.6,
    details: {
      events,
      transactions: node.transactions,
      frameBytesMean: Math.round(node.bytes / node.transactions),
      ratioByProcessorTime: round(copying.cpuSeconds / indexing.cpuSeconds),
      cpuMicrosecondsPerEvent: perEvent(indexing.cpuSeconds),
      ofTheseIndexer: perEvent(indexing.clientCpuSeconds),
      copyCpuMicrosecondsPerEvent: perEvent(copying.cpuSeconds),
      ofTheseClient: perEvent(copying.clientCpuSeconds),
      cpuMicrosecondsPerCanary: canaries.same,
      cpuMicrosecondsPerCanaryThatChanges: canaries.changed,
      eventsPerSecondBy10ths: rates.join(' '),
      lastToFirst: round(rates.at(-1)! / rates[0]!),
      lastCommitAndSettlingSeconds: round(marks.at(-1)!.seconds - unsettled.seconds),
      writerWaitedForNodeSeconds: round(waitedSeconds.source),
      readerWaitedForDatabaseSeconds: round(waitedSeconds.database),
      walBytesPerEvent: Math.round(indexing.walBytes / events),
      copyWalBytesPerEvent: Math.round(copying.walBytes / events),
      tablesMegabytes: megabytes(({ isIndex }) => !isIndex),
      indexesMegabytes: megabytes(({ isIndex }) => isIndex),
      ...Object.fromEntries(
        onDisk
          .slice(0, 12)
          .map(({ name, bytes }) => [`bytesPerEventOf ${name}`, Math.round(Number(bytes) / events)]),
      ),
      indexerResidentMegabytesMax: Math.round(residentMax),
    },
  };
}

const round = (ratio: number) => Math.round(ratio * 100) / 100;
