import { registerHooks } from 'node:module';
import { mutants } from './mutants/list.ts';
import type { Mutant } from './mutants/mutant.ts';

/**
 * `node mutate.ts <mutant> hostile`, or `node mutate.ts <mutant> <seed> <functions> <executions>`: certifies the hostile
 * adaptors, or compares executions of generated functions with certificates, with an analysis without one of its rules,
 * until that shows. The mutant `-1` is the analysis itself. Prints JSON.
 */
const [index, suite, ...sizes] = process.argv.slice(2);
const mutant = mutants[Number(index)];
if (mutant) applyMutant(mutant);
// Both import the analysis after the hook, which changes what they load.
const run = suite === 'hostile' ? judgeHostile() : runExecutions();
console.log(JSON.stringify(await run.catch((error: Error) => ({ found: `a crash: ${error.message}` }))));

function applyMutant({ name, file, find, replace }: Mutant): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/packages/adaptor/src/certify/${file}`)) return loaded;
      const text = Buffer.from(loaded.source as Uint8Array).toString();
      if (text.split(find).length !== 2) {
        console.error(`${file} does not contain the rule once: ${name}`);
        process.exit(1);
      }
      return { ...loaded, source: text.replace(find, () => replace) };
    },
  });
}

async function judgeHostile() {
  const { hostileAdaptors } = await import('../../../adaptor/src/certify/testing/hostile/list.ts');
  const { HostileSuite } = await import('../../../adaptor/src/certify/testing/hostile/suite.ts');
  const compiled = await HostileSuite.compile();
  const failing = hostileAdaptors.find((adaptor) => compiled.judge(adaptor).length > 0);
  return { found: failing && `the hostile adaptor ${failing.name}` };
}

async function runExecutions() {
  const { GeneratedPrograms } = await import('./programs.ts');
  const { Random } = await import('./random.ts');
  const { Statistics } = await import('./statistics.ts');
  const [seed, functions, executions] = [suite, ...sizes].map(Number) as [number, number, number];
  const random = new Random(seed);
  const statistics = new Statistics();
  const programs = await GeneratedPrograms.compile(functions, random);
  const part = 200;
  for (let done = 0; done < executions && statistics.violations.size === 0; done += part) {
    programs.run(part, statistics, random);
  }
  const [violation] = statistics.violations.values();
  const unread = statistics.unread > 0 ? 'code that is not read' : undefined;
  return { found: violation?.missing ?? unread };
}
