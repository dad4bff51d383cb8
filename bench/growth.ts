import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { catalogFigures } from './growth/catalog.ts';
import { drawFigure, type Figure, growthHeading, growthPart } from './growth/curve.ts';
import { eventFigures } from './growth/events.ts';
import type { Options, Result } from './measure.ts';

const docs = join(import.meta.dirname, '../docs');

/**
 * Cost of a change of one listing, of pages, searches and an attestation as the catalog grows, and of writing and
 * reading events as their history grows. Each transaction commits on disk. The limit is the same change in the smallest
 * catalog. A full run writes the drawings and the part of docs/performance.md that shows them.
 */
export async function run({ scale, delay }: Options): Promise<Result> {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'bench-growth-'));
  stack.defer(() => rm(dir, { recursive: true }));
  const server = await startEmbeddedServer({ dir });
  stack.defer(() => server.stop());
  const db = openDatabase(server.url, { max: 2 });
  stack.defer(() => db.close());
  await migrateDatabase(db);

  const figures = [...(await catalogFigures(db, scale)), ...(await eventFigures(scale, delay))];
  if (scale === 1 && delay === 0) await draw(figures);
  const details: Record<string, number> = {};
  for (const { title, sizes, unit, curves } of figures) {
    for (const { name, points } of curves) {
      for (const { size, value } of points) details[`${title}, ${name}, ${size} ${sizes}, ${unit}`] = value;
    }
  }
  const changes = figures[0]!.curves[0]!.points.map(({ value }) => value);
  return {
    name: 'growth',
    unit: 'ms',
    value: changes.at(-1)!,
    limit: changes[0]!,
    limitName: 'the same change in the smallest catalog',
    ratio: changes[0]! / changes.at(-1)!,
    aim: 0.7,
    details,
  };
}

async function draw(figures: readonly Figure[]): Promise<void> {
  for (const figure of figures) await writeFile(join(docs, `${figure.file}.svg`), drawFigure(figure));
  const page = join(docs, 'performance.md');
  const text = await readFile(page, 'utf8');
  await writeFile(page, text.slice(0, text.indexOf(growthHeading)) + growthPart(figures, new Date()));
}
