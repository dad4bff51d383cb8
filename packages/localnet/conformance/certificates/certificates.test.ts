import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Certificate, RestClaim } from '@adaptor-marketplace/adaptor/certify';
import { expect, test } from 'vitest';
import type { Execution } from '../../src/vm/provenance/trace.ts';
import { checkExecution } from './check.ts';
import { mutants } from './mutants/list.ts';
import { GeneratedPrograms } from './programs.ts';
import { Random } from './random.ts';
import { Statistics } from './statistics.ts';

/** The same functions in every run. */
const FIXED_SEED = 20_260_101;
/** Seed of a loop whose body always aborts, after it read and wrote a stored field. */
const ABORTING_LOOP_SEED = 1_985_855_932;
const FUNCTIONS = 40;
const EXECUTIONS = 4_000;

/** Keeps executions with their certificates. */
class Recorder extends Statistics {
  readonly all: { execution: Execution; certificate: Certificate }[] = [];

  override add(execution: Execution, certificate: Certificate): void {
    super.add(execution, certificate);
    this.all.push({ execution, certificate });
  }
}

test('no execution of a generated function does what its certificate does not say', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.info(`seed of the generated functions that no run had before: ${seed}`);
  for (const each of [FIXED_SEED, ABORTING_LOOP_SEED, seed]) {
    const random = new Random(each);
    const statistics = new Statistics();
    const programs = await GeneratedPrograms.compile(FUNCTIONS, random);
    programs.run(EXECUTIONS, statistics, random);
    expect(statistics.violations, statistics.describe()).toEqual(new Map());
    expect(statistics.unread, statistics.describe()).toBe(0);
    expect(statistics.executions).toBeGreaterThan(EXECUTIONS / 2);
  }
});

test('each kind of claim is missed by some execution when certificates leave it out', async () => {
  const random = new Random(FIXED_SEED);
  const recorder = new Recorder();
  const programs = await GeneratedPrograms.compile(FUNCTIONS, random);
  programs.run(EXECUTIONS / 4, recorder, random);
  const kinds: RestClaim['kind'][] = ['takes', 'goesTo', 'comesBack', 'touches', 'gate', 'steers'];
  for (const kind of kinds) {
    const missing = recorder.all.flatMap(({ execution, certificate }) => {
      const claims = certificate.claims.filter((claim) => claim.kind !== kind || 'rest' in claim);
      return checkExecution(execution, { ...certificate, claims });
    });
    expect(
      missing.some((violation) => violation.missing.startsWith(`${kind}:`)),
      kind,
    ).toBe(true);
  }
});

test('each mutant takes a rule of its own out of the analysis, as it is written now', async () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  expect(new Set(mutants.map(({ file, find, replace }) => `${file} ${find} ${replace}`)).size).toBe(
    mutants.length,
  );
  const analysis = join(import.meta.dirname, '../../../adaptor/src/certify');
  for (const { name, file, find } of mutants) {
    const text = await readFile(join(analysis, file), 'utf8');
    expect(text.split(find).length - 1, name).toBe(1);
  }
});
