import type { Measured, Results } from './results.ts';

const delayMs = 50;

/** A row: a figure of a benchmark that talks to a node. */
interface Row {
  bench: string;
  text: string;
  /** Reads the figure from the result over one distance. */
  read(result: Partial<Measured>): string | undefined;
}

const detail = (name: string, unit: string) => (result: Partial<Measured>) => {
  const value = result.details?.[name];
  return value === undefined ? undefined : format(Number(value), unit);
};
const headline =
  (shownUnit?: string) =>
  ({ value, unit }: Partial<Measured>) =>
    value === undefined ? undefined : format(value, shownUnit ?? unit ?? '');

const rows: Row[] = [
  { bench: 'agent', text: 'a spend from request to the end of its stream', read: headline() },
  {
    bench: 'agent',
    text: 'the bare transaction, which makes three calls one after the other',
    read: ({ limit, unit = '' }) => (limit === undefined ? undefined : format(limit, unit)),
  },
  { bench: 'agent', text: 'a spend more than the bare transaction', read: detail('addedMs', 'ms') },
  { bench: 'agent', text: 'ten wallets at the same time', read: detail('atOnceMs', 'ms') },
  { bench: 'agent', text: 'ten wallets after each other', read: detail('inTurnMs', 'ms') },
  {
    bench: 'growth',
    text: 'events from the first million to the tenth',
    read: detail(
      'Indexing a history, since the point before, events per second, 10000000 events, events/s',
      'events/s',
    ),
  },
  { bench: 'index', text: 'a million events', read: headline() },
  {
    bench: 'index',
    text: 'the same by processor time of indexer and PostgreSQL',
    read: detail('cpuMicrosecondsPerEvent', 'µs an event'),
  },
  { bench: 'latency', text: 'p99 among 12 listings', read: detail('p99 ms, 12 listings', 'ms') },
  { bench: 'latency', text: 'p99 among 10,000 listings', read: detail('p99 ms, 10000 listings', 'ms') },
  {
    bench: 'localnet',
    text: 'registry calls of 32 clients, each with three calls one after the other',
    read: headline(),
  },
  {
    bench: 'localnet',
    text: 'the same by processor time of the process',
    read: detail('cpuMicrosPerCall', 'µs a call'),
  },
  { bench: 'subscribers', text: '1,000 subscribers', read: headline() },
  {
    bench: 'sync',
    text: 'a first synchronisation of 10,000 listings, per second of processor time',
    read: headline('listings'),
  },
  { bench: 'sync', text: 'the same by the clock', read: detail('listingsPerSecond', 'listings/s') },
];

/** Writes the results without a distance and over 50 ms beside each other, with the days on which they were measured. */
export function writeDistanceTable(results: Results): string {
  const head = ['name', '0 ms', `${delayMs} ms`, 'measured'];
  const cells = rows.map(({ bench, text, read }) => {
    const near = results[bench] ?? {};
    const over: Partial<Measured> = near.overMs?.[delayMs] ?? {};
    const days = new Set([near.date, over.date].flatMap((date) => date?.slice(0, 10) ?? []));
    const figures = [near, over].map((result) => read(result) ?? 'not measured');
    return [`\`${bench}\`, ${text}`, ...figures, [...days].join(' and ')];
  });
  return [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function format(figure: number, unit: string): string {
  return `${figure.toLocaleString('en', { maximumFractionDigits: figure < 100 ? 1 : 0 })} ${unit}`;
}
