import { randomInt } from 'node:crypto';
import { Command, InvalidArgumentError } from 'commander';
import { toNumber } from '../support/number-option.ts';
import { createDataDir } from '../support/service.ts';
import type { Replication } from '../support/world/world.ts';
import { mutate, mutations } from './mutations.ts';
import { recordWorld } from './record.ts';
import { shrinkWorld, type WorldParts } from './shrink.ts';
import { cannotCompare, type SimulationReport, simulate } from './simulate.ts';

/**
 * `npm run simulate -- --seed 7 --minutes 1`: breaks a marketplace in use, compares what remains with the chain, prints a
 * report as JSON, and ends with 1 if anything differs.
 */

const options = new Command('simulate')
  .option('--seed <number>', 'decides what actors and faults do', toNumber, randomInt(2 ** 31))
  .option('--minutes <number>', 'how long the world is used and broken', toNumber, 1)
  .option('--actors <number>', 'accounts that send transactions', toNumber, 6)
  .option('--faults <names>', 'comma-separated; default: all', toNames)
  .option('--acts <names>', 'comma-separated; default: all', toNames)
  .option('--worlds <number>', 'plays as many worlds, each with the next seed', toNumber, 1)
  .option(
    '--failovers <number>',
    'kills the primary of a database cluster as often, instead of faults',
    toNumber,
  )
  .option(
    '--replication <kind>',
    'of that cluster: synchronous or asynchronous',
    toReplication,
    'synchronous',
  )
  .option('--record', 'adds each world to docs/reliability.md')
  .option('--shrink', 'makes a world that differs as short as it can be, with as few faults and acts')
  .option(
    '--mutate [names]',
    'switch protections off, one after the other: each world must differ; default: all',
  )
  .parse()
  .opts<{
    seed: number;
    minutes: number;
    actors: number;
    faults?: readonly string[];
    acts?: readonly string[];
    worlds: number;
    failovers?: number;
    replication: Replication;
    record?: true;
    shrink?: true;
    mutate?: true | string;
  }>();

/** Longest time until what waits for its next attempt is tried again, and some more. */
const settleSeconds = 180;
/** Each mutant costs this time, as it never settles. */
const mutantSettleSeconds = 60;

/** Worlds that are played of each choice of parts while one shrinks, until one differs: the machine decides the order. */
const triesMax = 3;

/** An empty text is an empty list. */
function toNames(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}

function toReplication(text: string): Replication {
  if (text === 'synchronous' || text === 'asynchronous') return text;
  throw new InvalidArgumentError('Choose synchronous or asynchronous.');
}

/** The parts of a world whose database fails over: nothing else breaks, and the failovers take the time. */
const chooseFailovers = () =>
  options.failovers === undefined
    ? {}
    : { minutes: 0, faults: [], failovers: options.failovers, replication: options.replication };

async function playWorld(more: {
  seed: number;
  minutes: number;
  faults: readonly string[] | undefined;
  acts: readonly string[] | undefined;
  settleSeconds: number;
  program?: string;
}) {
  const { actors } = options;
  const data = await createDataDir();
  try {
    return await simulate({
      actors,
      ...more,
      ...chooseFailovers(),
      networkDir: data.dir,
      print: console.error,
    });
  } finally {
    await data.remove();
  }
}

async function playWorlds(): Promise<void> {
  const { minutes, faults, acts, worlds, record } = options;
  for (let seed = options.seed; seed < options.seed + worlds; seed += 1) {
    const report = await playWorld({ seed, minutes, faults, acts, settleSeconds });
    console.log(JSON.stringify(report, null, 2));
    if (record) await recordWorld(report, minutes);
    if (report.differences.length === 0) continue;
    printCommand('repeat', seed, { minutes, faults, acts });
    process.exitCode = 1;
    if (options.shrink) await shrinkReported(report, { settleSeconds });
  }
}

function printCommand(label: string, seed: number, { minutes, faults, acts }: Partial<WorldParts>): void {
  const list = (name: string, names: readonly string[] | undefined) =>
    names === undefined ? '' : ` --${name} "${names.join(',')}"`;
  console.error(
    `\n${label}: npm run simulate -- --seed ${seed} --minutes ${minutes} --actors ${options.actors}` +
      list('faults', faults) +
      list('acts', acts),
  );
}

/** Begins with the faults and acts that there were in the world. */
async function shrinkReported(
  { seed, faults, acts }: SimulationReport,
  how: { settleSeconds: number; program?: string },
): Promise<void> {
  const parts = { minutes: options.minutes, faults: Object.keys(faults), acts: Object.keys(acts) };
  const shrunk = await shrinkWorld(parts, async (tried) => {
    printCommand('trying', seed, tried);
    for (let attempt = 0; attempt < triesMax; attempt += 1) {
      const { differences } = await playWorld({ seed, ...tried, ...how });
      if (differences.length > 0) return true;
    }
    return false;
  });
  printCommand('shrunk', seed, shrunk);
}

async function playMutants(names: readonly string[] | undefined): Promise<void> {
  const chosen = mutations.filter(({ name }) => names?.includes(name) ?? true);
  if (chosen.length < (names?.length ?? 1))
    throw new Error(`choose from: ${mutations.map(({ name }) => name).join(', ')}`);
  for (const mutation of chosen) {
    await using closing = new AsyncDisposableStack();
    const program = await mutate(mutation, closing);
    const report = await playWorld({
      seed: options.seed,
      minutes: options.minutes,
      acts: options.acts,
      faults: mutation.faults,
      program,
      settleSeconds: mutantSettleSeconds,
    });
    // A mutant that does not answer shows nothing.
    const differences = report.differences.filter((line) => !line.startsWith(cannotCompare));
    console.log(
      differences.length > 0
        ? `found: ${mutation.name}: ${differences[0]!.slice(0, 200)}`
        : `missed: ${mutation.name}`,
    );
    if (differences.length === 0) process.exitCode = 1;
    else if (options.shrink) await shrinkReported(report, { program, settleSeconds: mutantSettleSeconds });
  }
}

await (options.mutate
  ? playMutants(options.mutate === true ? undefined : options.mutate.split(','))
  : playWorlds());
