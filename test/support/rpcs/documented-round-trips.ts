import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const page = join(import.meta.dirname, '../../../docs/performance.md');

/** The sequential calls that docs/performance.md states: the last number of each row, by the first cell. */
export async function readDocumentedRoundTrips(): Promise<Map<string, number>> {
  const text = await readFile(page, 'utf8');
  const [, section = ''] = text.split('\n## Sequential calls by path\n');
  const rows = section.split('\n## ')[0]!.matchAll(/^\| ([^|]+) \| \d+ \| (\d+) \|$/gm);
  return new Map([...rows].map(([, path, calls]) => [path!, Number(calls)]));
}

/** Rounds after which a count is taken as it is. */
const triesMax = 5;

/**
 * Counts the round trips of a path. A slow machine may send late what belongs to the same round trip, so the fewest of
 * several counts is the right one.
 */
export async function countFewest(expected: number, count: () => Promise<number>): Promise<number> {
  let fewest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < triesMax && fewest > expected; tries += 1) {
    fewest = Math.min(fewest, await count());
  }
  return fewest;
}
