import { readdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { Command } from 'commander';

/** What a benchmark measured, beside a limit measured in the same run. */
export interface Result {
  name: string;
  unit: string;
  value: number;
  limit: number;
  /** What the limit is. */
  limitName: string;
  /** Of value to limit. */
  ratio: number;
  /** The least ratio that is good enough. */
  aim: number;
  details: Record<string, number | string>;
}

export interface Options {
  /** Share of the full size, for a quick look. */
  scale: number;
}

/** `bench/<name>.ts` */
interface Benchmark {
  run(options: Options): Promise<Result>;
}

const here = new URL('.', import.meta.url);
const resultsFile = new URL('results.json', here);

const program = new Command('npm run bench')
  .description('Measures, beside limits measured in the same run. Full runs are kept in bench/results.json.')
  .showHelpAfterError();

for (const name of await benchmarkNames()) {
  program
    .command(name)
    .option('--scale <factor>', 'share of the full size, where the benchmark has one', Number, 1)
    .action(async (options: Options) => {
      const benchmark: Benchmark = await import(new URL(`${name}.ts`, here).href);
      const result = await benchmark.run(options);
      print(result);
      if (options.scale === 1) await keep(result);
    });
}
await program.parseAsync();

async function benchmarkNames(): Promise<string[]> {
  const files = await readdir(here);
  return files.flatMap((file) => (file.endsWith('.ts') && file !== 'run.ts' ? [file.slice(0, -3)] : []));
}

function print({ name, unit, value, limit, limitName, ratio, aim, details }: Result): void {
  console.log(`${name}: ${value} ${unit}`);
  console.log(`limit: ${limit} ${unit} (${limitName})`);
  console.log(`ratio: ${ratio.toFixed(2)} (aim ${aim})`);
  for (const [detail, figure] of Object.entries(details)) console.log(`  ${detail}: ${figure}`);
}

async function keep(result: Result): Promise<void> {
  const known = JSON.parse(await readFile(resultsFile, 'utf8').catch(() => '{}'));
  const cores = cpus();
  const machine = { node: process.version, cores: cores.length, processor: cores[0]?.model ?? 'unknown' };
  known[result.name] = { date: new Date().toISOString(), ...machine, ...result };
  await writeFile(resultsFile, `${JSON.stringify(known, null, 2)}\n`);
}
