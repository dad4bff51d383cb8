import { registerHooks } from 'node:module';
import { mutants } from './mutants.ts';

/**
 * `node mutate.ts <mutant> <seed> <functions> <executions>`: compares executions of generated functions with
 * certificates of an analysis without one of its rules, until one is outside. The mutant `-1` is the analysis itself.
 * Prints JSON.
 */
const [index, seed, functions, executions] = process.argv.slice(2).map(Number) as [
  number,
  number,
  number,
  number,
];
const mutant = mutants[index];

let isApplied = mutant === undefined;
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!mutant || !url.endsWith(`/packages/adaptor/src/certify/${mutant.file}`)) return loaded;
    const text = Buffer.from(loaded.source as Uint8Array).toString();
    if (text.split(mutant.find).length !== 2)
      throw new Error(`${mutant.file} does not contain the rule once: ${mutant.name}`);
    isApplied = true;
    return { ...loaded, source: text.replace(mutant.find, () => mutant.replace) };
  },
});

// Imported after the hook, which changes what they load.
const { GeneratedPrograms } = await import('./programs.ts');
const { Random } = await import('./random.ts');
const { Statistics } = await import('./statistics.ts');

const random = new Random(seed);
const statistics = new Statistics();
const programs = await GeneratedPrograms.compile(functions, random);
const part = 200;
for (let done = 0; done < executions && statistics.violations.size === 0; done += part) {
  programs.run(part, statistics, random);
}
const [violation] = statistics.violations.values();
const { executions: ran, unread } = statistics;
console.log(JSON.stringify({ isApplied, executions: ran, unread, violation }));
