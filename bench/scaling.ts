import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { measureAgents } from './many-agents.ts';
import { measureDispatchers } from './many-dispatchers.ts';
import { measureGateways, type RoleCosts } from './many-gateways.ts';
import type { Options, Result } from './measure.ts';
import { replaceWrittenPart } from './written-part.ts';

const page = new URL('../docs/scaling.md', import.meta.url);

/**
 * Processor time by role for 1, 2 and 4 gateways over 0, 1 and 2 replicas, for 1, 2 and 4 dispatchers, and for 1 and 2
 * agents; and the time until an indexer takes over. The limit is the time that a request takes of one gateway without replicas, all
 * roles together. A full run writes the tables in docs/scaling.md.
 */
export async function run({ scale }: Options): Promise<Result> {
  const { reads, changes } = await measureGateways(scale);
  const dispatchers = await measureDispatchers(scale);
  const { runs, takeoverMs } = await measureAgents(scale);
  if (scale === 1) {
    const part = [
      `Measured on ${new Date().toISOString().slice(0, 10)} on ${cpus().length} cores (${cpus()[0]!.model}), Node ${process.versions.node}.`,
      'Microseconds of processor time, all processes of a role together.',
      describeCosts('a request', reads),
      describeCosts('a change of a listing', changes),
      describeTable(
        ['dispatchers', 'of the dispatchers, a delivery', 'of PostgreSQL, a delivery'],
        dispatchers.map((row) => [row.dispatchers, row.dispatcherMicros, row.postgresMicros]),
      ),
      describeTable(
        [
          'agents',
          'of the agents, a run',
          'tools',
          'gateways',
          'indexers',
          'PostgreSQL',
          'network',
          'runs a second',
        ],
        runs.map((row) => Object.values(row)),
      ),
      `An indexer was killed while another one waited. Until a newer event was stored: ${takeoverMs.writing} ms if it was the one that wrote, ${takeoverMs.waiting} ms if not.`,
    ].join('\n\n');
    await writeFile(page, replaceWrittenPart(await readFile(page, 'utf8'), 'scaling', part));
  }
  const total = (row: RoleCosts) => row.gatewayMicros + row.primaryMicros + row.replicaMicros;
  const [first, last] = [total(reads[0]!), total(reads.at(-1)!)];
  return {
    name: 'scaling',
    unit: 'µs',
    value: last,
    limit: first,
    limitName: 'a request to one gateway without replicas; the value is four gateways over two replicas',
    ratio: first / last,
    aim: 0.7,
    details: Object.fromEntries(
      [
        ...reads.map((row) => ['request', row] as const),
        ...changes.map((row) => ['change', row] as const),
      ].map(([kind, row]) => [
        `${kind}, ${row.gateways} gateways, ${row.replicas} replicas: gateways, primary, replicas, µs`,
        `${row.gatewayMicros}, ${row.primaryMicros}, ${row.replicaMicros}`,
      ]),
    ),
  };
}

const describeCosts = (unit: string, rows: readonly RoleCosts[]): string =>
  describeTable(
    ['gateways', 'replicas', `of the gateways, ${unit}`, 'of the primary', 'of the replicas'],
    rows.map((row) => [row.gateways, row.replicas, row.gatewayMicros, row.primaryMicros, row.replicaMicros]),
  );

function describeTable(head: readonly string[], rows: readonly (readonly number[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    line(head.map(() => '---')),
    ...rows.map((row) => line(row.map((n) => n.toLocaleString('en-US')))),
  ].join('\n');
}
