import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { Command } from 'commander';
import { writeDistanceTable } from './distance-table.ts';
import type { Options, Result } from './measure.ts';
import { addResult, type Results } from './results.ts';
import { replaceWrittenPart } from './written-part.ts';

/** Loaded one at a time, so that no benchmark runs beside the code of another. */
const benchmarks: Record<string, () => Promise<{ run(options: Options): Promise<Result> }>> = {
  agent: () => import('./agent.ts'),
  archive: () => import('./archive.ts'),
  catalog: () => import('./catalog.ts'),
  checkpoints: () => import('./checkpoints.ts'),
  dispatch: () => import('./dispatch.ts'),
  feed: () => import('./feed.ts'),
  graph: () => import('./graph.ts'),
  growth: () => import('./growth.ts'),
  history: () => import('./history.ts'),
  index: () => import('./index.ts'),
  latency: () => import('./latency.ts'),
  limits: () => import('./limits.ts'),
  listings: () => import('./listings.ts'),
  localnet: () => import('./localnet.ts'),
  scaling: () => import('./scaling.ts'),
  subscribers: () => import('./subscribers.ts'),
  sync: () => import('./sync.ts'),
  'webhook-chaos': () => import('./webhook-chaos.ts'),
};

const resultsFile = new URL('results.json', import.meta.url);
const readme = new URL('README.md', import.meta.url);

const program = new Command('npm run bench')
  .description(
    'Measures the speed of a part and its limit in the same run. Full runs are saved in bench/results.json and bench/README.md.',
  )
  .showHelpAfterError();

for (const [name, load] of Object.entries(benchmarks)) {
  program
    .command(name)
    .option('--scale <factor>', 'share of the full size', Number, 1)
    .option('--delay <ms>', 'round trip to the node, for benchmarks that talk to one', Number, 0)
    .action(async (options: Options) => {
      const { run } = await load();
      const result = await run(options);
      const results = await readResults();
      print(result, options.delay === 0 ? undefined : results[result.name]);
      if (options.scale === 1) await save(results, result, options.delay);
    });
}
await program.parseAsync();

/** @param near the latest full result without a distance, for a second column beside that of a distance */
function print(
  { name, unit, value, limit, limitName, ratio, aim, details }: Result,
  near?: Partial<Result>,
): void {
  const beside = (figure: number | string | undefined) => (figure === undefined ? '' : ` | ${figure}`);
  if (near) console.log('over the distance | without it');
  console.log(`${name}: ${value} ${unit}${beside(near?.value)}`);
  console.log(`limit: ${limit} ${unit}${beside(near?.limit)} (${limitName})`);
  console.log(`ratio: ${ratio.toFixed(2)}${beside(near?.ratio?.toFixed(2))} (goal ${aim})`);
  for (const [detail, figure] of Object.entries(details)) {
    console.log(`  ${detail}: ${figure}${beside(near?.details?.[detail])}`);
  }
}

async function readResults(): Promise<Results> {
  return JSON.parse(await readFile(resultsFile, 'utf8'));
}

async function save(before: Results, result: Result, delayMs: number): Promise<void> {
  const cores = cpus();
  const machine = { node: process.version, cores: cores.length, processor: cores[0]?.model ?? 'unknown' };
  const results = addResult(before, { date: new Date().toISOString(), ...machine, ...result }, delayMs);
  await writeFile(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  const page = await readFile(readme, 'utf8');
  await writeFile(readme, replaceWrittenPart(page, 'distance', writeDistanceTable(results)));
}
