import { comparePackages } from '@adaptor-marketplace/move-bytecode/compare';
import type { PackageFiles } from '../../src/builder.ts';
import { listPackages, packageName, readDependencies, readPackage } from '../../src/sources.ts';
import { buildCopies, type Subject } from './build-copies.ts';
import { type Edit, listEdits } from './edits.ts';
import { readTokens } from './tokens.ts';

/** A package with one edit. */
export interface Mutant extends Edit {
  subject: Subject;
  path: string;
}

/** Verdict of a mutant, against the package that it was made of. */
export type Outcome = 'not compiled' | 'equal' | 'found' | 'accepted';

/** Reads the packages below some folders. */
export async function readSubjects(folders: readonly string[]): Promise<Subject[]> {
  const dirs = (await Promise.all(folders.map(listPackages))).flat();
  return Promise.all(
    dirs.map(async (dir) => {
      const files = await readPackage(dir);
      return { name: packageName(files), files, dependencies: await readDependencies(files, dir) };
    }),
  );
}

/** All mutants of some packages, in an order that the seed gives. */
export function listMutants(subjects: readonly Subject[], seed: number): Mutant[] {
  const all = subjects.flatMap((subject) =>
    Object.entries(subject.files)
      .filter(([path]) => path.endsWith('.move'))
      .flatMap(([path, text]) =>
        listEdits(text, readTokens(text)).map((edit): Mutant => ({ ...edit, subject, path })),
      ),
  );
  let state = seed >>> 0;
  for (let at = all.length - 1; at > 0; at--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (at + 1));
    [all[at], all[other]] = [all[other]!, all[at]!];
  }
  return all;
}

/** Copies that are compiled at once have about this many characters. */
const batchLength = 1_000_000;

/** Judges mutants, package by package. `onBatch` is called after each run of the compiler. */
export async function judgeMutants(
  mutants: readonly Mutant[],
  onOutcome: (mutant: Mutant, outcome: Outcome) => void,
): Promise<void> {
  for (const [subject, own] of Map.groupBy(mutants, (mutant) => mutant.subject)) {
    const length = Object.values(subject.files).reduce((sum, text) => sum + text.length, 0);
    const size = Math.max(1, Math.min(100, Math.floor(batchLength / length)));
    for (let from = 0; from < own.length; from += size) {
      const batch = own.slice(from, from + size);
      const [original, ...built] = await buildCopies(subject, [subject.files, ...batch.map(applyEdit)]);
      if (!original) throw new Error(`The package ${subject.name} does not compile.`);
      for (const [at, mutant] of batch.entries()) onOutcome(mutant, compare(original, built[at]));
    }
  }
}

function applyEdit({ subject, path, start, end, text }: Mutant): PackageFiles {
  const source = subject.files[path]!;
  return { ...subject.files, [path]: source.slice(0, start) + text + source.slice(end) };
}

function compare(original: readonly Uint8Array[], built: readonly Uint8Array[] | undefined): Outcome {
  if (!built) return 'not compiled';
  const { verdict } = comparePackages(original, built);
  if (verdict === 'exact') return 'equal';
  return verdict === 'differs' ? 'found' : 'accepted';
}

/** Writes the place and the text of an edit. */
export function describeMutant({ subject, path, kind, start, end, text }: Mutant): string {
  const source = subject.files[path]!;
  const line = source.slice(0, start).split('\n').length;
  return `${subject.name} ${path}:${line} ${kind}: ${source.slice(start, end)} -> ${text}`;
}
