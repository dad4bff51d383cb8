import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { Command } from 'commander';
import type { Options, Result } from './measure.ts';

/** Loaded one at a time, so that no benchmark runs beside the code of another. */
const benchmarks: Record<string, () => Promise<{ run(options: Options): Promise<Result> }>> = {
  agent: () => import('./agent.ts'),
  catalog: () => import('./catalog.ts'),
  checkpoints: () => import('./checkpoints.ts'),
  dispatch: () => import('./dispatch.ts'),
  feed: () => import('./feed.ts'),
  graph: () => import('./graph.ts'),
  growth: () => import('./growth.ts'),
  index: () => import('./index.ts'),
  latency: () => import('./latency.ts'),
  limits: () => import('./limits.ts'),
  localnet: () => import('./localnet.ts'),
  subscribers: () => import('./subscribers.ts'),
  'webhook-chaos': () => import('./webhook-chaos.ts'),
};

const resultsFile = new URL('results.json', import.meta.url);

const program = new Command('npm run bench')
  .description(
    'Measures the speed of a part and its limit in the same run. Results of full runs are saved in bench/results.json.',
  )
  .showHelpAfterError();

for (const [name, load] of Object.entries(benchmarks)) {
  program
    .command(name)
    .option('--scale <factor>', 'share of the full size', Number, 1)
    .option('--delay <ms>', 'round trip to the node that is followed (index)', Number, 0)
    .action(async (options: Options) => {
      const { run } = await load();
      const result = await run(options);
      print(result);
      if (options.scale === 1 && options.delay === 0) await save(result);
    });
}
await program.parseAsync();

function print({ name, unit, value, limit, limitName, ratio, aim, details }: Result): void {
  console.log(`${name}: ${value} ${unit}`);
  console.log(`limit: ${limit} ${unit} (${limitName})`);
  console.log(`ratio: ${ratio.toFixed(2)} (goal ${aim})`);
  for (const [detail, figure] of Object.entries(details)) console.log(`  ${detail}: ${figure}`);
}

async function save(result: Result): Promise<void> {
  const known = JSON.parse(await readFile(resultsFile, 'utf8').catch(() => '{}'));
  const cores = cpus();
  const machine = { node: process.version, cores: cores.length, processor: cores[0]?.model ?? 'unknown' };
  known[result.name] = { date: new Date().toISOString(), ...machine, ...result };
  await writeFile(resultsFile, `${JSON.stringify(known, null, 2)}\n`);
}
