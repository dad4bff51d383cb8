import type { Pool } from 'pg';
import { indexEvents, measureTenths, openIndexBench, sourceNames } from '../index/indexing.ts';
import { sizes } from '../index/server.ts';
import type { Curve, Figure } from './curve.ts';
import { timed } from './timed.ts';

const eventsFull = [10_000, 100_000, 1_000_000, 10_000_000];
const rounds = 11;

/** Number of events that no run reaches. Figures are carried to it. */
const eventsCarriedTo = 100_000_000;

/** Conditions on `analytics.registry_events`, by what an analyst asks for. The values are those of an event in the middle. */
const questions: Record<string, string> = {
  'latest 20': `where network = 'testnet' order by checkpoint desc, tx_index desc, event_index desc limit 20`,
  'latest 20 by time': 'order by occurred_at desc limit 20',
  'by sender': 'where sender = :sender order by occurred_at desc limit 20',
  'by time': `where occurred_at >= :at and occurred_at < :at::timestamptz + interval '10 seconds'`,
  'by event id': 'where event_id = :id',
};

/**
 * Measures writing a history of events, and reading it each time it reaches one of the sizes. The commit that reaches one
 * ends a little above it; points are at the size itself, so that runs have the same ones.
 */
export async function eventFigures(scale: number, delayMs: number): Promise<Figure[]> {
  const stops = eventsFull.filter((events) => events <= eventsFull.at(-1)! * scale);
  const rate: Curve = { name: 'events per second', points: [] };
  const tenths: Curve[] = sourceNames.map((name) => ({ name, points: [] }));
  const disk: Curve = { name: 'bytes of an event', points: [] };
  const memory: Curve = { name: 'resident memory', points: [] };
  const read: Curve[] = Object.keys(questions).map((name) => ({ name, points: [] }));
  const pages: Curve[] = Object.keys(questions).map((name) => ({ name, points: [] }));
  const figure = (
    file: string,
    title: string,
    unit: string,
    curves: Curve[],
    carriedTo?: number,
  ): Figure => ({
    file,
    title,
    unit,
    curves,
    sizes: 'events',
    carriedTo,
  });
  const figures = [
    figure('event-rate', 'Indexing a history, since the point before', 'events/s', [rate]),
    figure(
      'event-tenths',
      'Indexing each source, by tenths of its history, without what follows from it',
      'events/s',
      tenths,
      eventsCarriedTo / sourceNames.length,
    ),
    figure('event-bytes', 'An event on disk, with its indexes and what follows from it', 'bytes', [disk]),
    figure('event-memory', 'Memory of the process that indexes', 'MB', [memory]),
    figure('event-reads', 'analytics.registry_events', 'ms', read, eventsCarriedTo),
    figure('event-pages', 'Pages of 8 kB that the same questions read', 'pages', pages, eventsCarriedTo),
  ];
  if (stops.length === 0) return [];
  await using bench = await openIndexBench(stops.at(-1)!, delayMs);
  const { pool } = bench.db;
  for (const stop of stops) {
    console.log(`indexing up to ${stop} events ...`);
    const { marks } = await indexEvents(bench, stop);
    memory.points.push({ size: stop, value: Math.round(process.memoryUsage.rss() / 1e6) });
    if (stop === stops.at(-1)) {
      for (const { name, points } of tenths) {
        const own = marks.map(({ seconds, bySource }) => ({ seconds, events: bySource[name]! }));
        points.push(...measureTenths(own, stop / tenths.length));
      }
    }
    const [first, last] = [marks[0]!, marks.at(-1)!];
    // As autovacuum does sooner or later.
    await pool.query('vacuum analyze');
    const bytes = (await sizes(pool)).reduce((sum, relation) => sum + Number(relation.bytes), 0);
    // A commit may go beyond the next size.
    if (last.events > first.events) {
      rate.points.push({
        size: stop,
        value: Math.round((last.events - first.events) / (last.seconds - first.seconds)),
      });
    }
    disk.points.push({ size: stop, value: Math.round(bytes / last.events) });
    const asked = await ask(pool);
    for (const { name, points } of read) points.push({ size: stop, value: asked[name]!.ms });
    for (const { name, points } of pages) points.push({ size: stop, value: asked[name]!.pages });
  }
  return figures;
}

/** Milliseconds and pages of 8 kB, by question. */
async function ask(pool: Pool): Promise<Record<string, { ms: number; pages: number }>> {
  const { rows } = await pool.query(
    `select sender, occurred_at as at, event_id as id from analytics.registry_events
      where network = 'testnet' and checkpoint >= (select last_checkpoint / 2 from sources where name = 'registry')
      order by checkpoint, tx_index, event_index limit 1`,
  );
  const about: Record<string, unknown> = rows[0]!;
  const asked: Awaited<ReturnType<typeof ask>> = {};
  for (const [name, condition] of Object.entries(questions)) {
    const parameter = /:(sender|at|id)\b/.exec(condition)?.[1];
    const values = parameter === undefined ? [] : [about[parameter]];
    const text = `select * from analytics.registry_events ${condition.replaceAll(`:${parameter}`, '$1')}`;
    const ms = await timed(rounds, () => pool.query(text, values));
    const explained = await pool.query(`explain (analyze, buffers, format json) ${text}`, values);
    const plan = explained.rows[0]['QUERY PLAN'][0].Plan;
    const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    asked[name] = { ms, pages };
  }
  return asked;
}
