import type { InstructionJson, ModuleJson } from '@adaptor-marketplace/move-bytecode';
import { comparePackages } from '@adaptor-marketplace/move-bytecode/compare';
import {
  padCode,
  type Random,
  renameLocals,
  shufflePools,
} from '@adaptor-marketplace/move-bytecode/compare/testing/rearrange';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { deserialize, serialize } from '@mysten/move-bytecode-template';
import { toHex } from '@mysten/sui/utils';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Outcome, run } from './interpret.ts';
import { packageFiles, type Suite } from './suite.ts';
import { PACKAGES } from './suites.ts';

// Source counts as the code on chain if the comparison of bytecode finds both equal. The VM must then do the same.

interface Built {
  suites: readonly Suite[];
  modules: Uint8Array[];
  outcomes: string[];
}

let packages: Built[];

beforeAll(async () => {
  packages = [];
  for (const suites of PACKAGES) {
    const { modules } = await compileSources(packageFiles(suites));
    packages.push({ suites, modules, outcomes: (await run(suites, modules)).flat().map(describeOutcome) });
  }
});

/** The code of an abort with `#[error]` has indices of constants, which another order changes. */
const describeOutcome = (outcome: Outcome): string =>
  JSON.stringify(outcome, (name, value) => {
    if (value instanceof Uint8Array) return toHex(value);
    if (name === 'code' && 'constant' in outcome && outcome.constant !== undefined) return undefined;
    return typeof value === 'bigint' ? String(value) : value;
  });

function createRandom(seed: number): Random {
  let state = seed | 1;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const change = (bytes: Uint8Array, edit: (module: ModuleJson) => ModuleJson): Uint8Array =>
  serialize(edit(deserialize(bytes)));

describe('modules that are found equal run equally', () => {
  test.each([1, 2])(
    'in other pools, with other locals, jumps and forms of numbers: seed %i',
    async (seed) => {
      const random = createRandom(seed);
      for (const { suites, modules, outcomes } of packages) {
        const arranged = modules.map((bytes) =>
          change(bytes, (module) =>
            [padCode, renameLocals, shufflePools].reduce((one, step) => step(one, random), module),
          ),
        );
        expect(arranged.map(toHex)).not.toEqual(modules.map(toHex));
        const { verdict } = comparePackages(modules, arranged);
        expect(verdict).toMatch(/^same_(code|but_error_lines)$/);
        expect((await run(suites, arranged)).flat().map(describeOutcome)).toEqual(outcomes);
      }
    },
  );

  test('and of one other instruction each is found, most of which the results show', async () => {
    const counts = { changed: 0, shown: 0 };
    for (const { suites, modules, outcomes } of packages) {
      for (const [at, bytes] of modules.entries()) {
        const other = exchange(bytes, createRandom(11 + at));
        if (!other) continue;
        expect(comparePackages([bytes], [other]).verdict).toBe('differs');
        const results = await run(suites, modules.with(at, other));
        counts.changed += 1;
        counts.shown += Number(results.flat().some((one, nth) => describeOutcome(one) !== outcomes[nth]));
      }
    }
    expect(counts.changed).toBe(5);
    expect(counts.shown).toBeGreaterThan(2);
  });
});

/** Instructions of equal types, in pairs. */
const exchanged: ReadonlyMap<InstructionJson, InstructionJson> = new Map([
  ['Add', 'Sub'],
  ['Lt', 'Ge'],
  ['LdTrue', 'LdFalse'],
  ['And', 'Or'],
  ['Eq', 'Neq'],
]);

/** The same module with one instruction exchanged for another one of the same types. Undefined if it has none of them. */
function exchange(bytes: Uint8Array, random: Random): Uint8Array | undefined {
  const module: ModuleJson = deserialize(bytes);
  const places = module.function_defs.flatMap(({ code }) =>
    (code?.code ?? []).flatMap((instruction, at) =>
      exchanged.has(instruction) ? [{ code: code!.code, at }] : [],
    ),
  );
  if (places.length === 0) return undefined;
  const { code, at } = places[random(places.length)]!;
  code[at] = exchanged.get(code[at]!)!;
  return serialize(module);
}
