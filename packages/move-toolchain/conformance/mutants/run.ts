import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMutant, judgeMutants, listMutants, type Outcome, readSubjects } from './mutants.ts';

/**
 * Judges the verifier by source with one token changed:
 * `npx node packages/move-toolchain/conformance/mutants/run.ts --seed 1 --mutants 1000 --from 0 [folder with packages]...`. The packages of
 * this repository are taken if no folder is named. Prints each mutant that is accepted though its bytecode differs, and exits
 * with 1 if there is one. A seed gives one order: `--from` continues it.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    mutants: { type: 'string', default: '1000' },
    from: { type: 'string', default: '0' },
  },
});
const [seed, count, from] = [Number(values.seed), Number(values.mutants), Number(values.from)];
const own = join(import.meta.dirname, '../../../../move');
const subjects = await readSubjects(positionals.length > 0 ? positionals : [own]);
const all = listMutants(subjects, seed);
const chosen = all.slice(from, from + count);
const counts: Record<Outcome, number> = { found: 0, equal: 0, 'not compiled': 0, accepted: 0 };
const kinds: Record<string, number> = {};
await judgeMutants(chosen, (mutant, outcome) => {
  counts[outcome]++;
  if (outcome === 'found') kinds[mutant.kind] = (kinds[mutant.kind] ?? 0) + 1;
  if (outcome === 'accepted') process.stdout.write(`accepted: ${describeMutant(mutant)}\n`);
});
const seconds = Math.round((process.cpuUsage().user + process.cpuUsage().system) / 1_000_000);
process.stdout.write(
  `${chosen.length} of ${all.length} mutants of ${subjects.length} packages, seed ${seed}, from ${from}: ${JSON.stringify(counts)}\n` +
    `found by kind: ${JSON.stringify(kinds)}\n${seconds} s of processor time; continue with --from ${from + chosen.length}\n`,
);
process.exitCode = counts.accepted === 0 ? 0 : 1;
