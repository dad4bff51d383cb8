import type { InstructionJson } from '@adaptor-marketplace/move-bytecode';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { serialize } from '@mysten/move-bytecode-template';
import { expect, test } from 'vitest';
import { deserializeModule } from '../loader/bytecode.ts';
import { run } from './interpret.ts';
import { casesOf, packageFiles, type Suite } from './suite.ts';

const BOOLS = [false, true];
const PAIRS = BOOLS.flatMap((a) => BOOLS.map((b) => [a, b] as const));

const suite: Suite = {
  name: 'cases',
  members: `
    fun and(a: bool, b: bool): bool { a == b }
    fun or(a: bool, b: bool): bool { a == b }
    fun branch(a: bool): bool { if (a) true else false }
    fun nothing(a: bool): bool { !a }`,
  cases: casesOf({
    bool: [
      ...PAIRS.map(([a, b]) => `and(${a}, ${b})`),
      ...PAIRS.map(([a, b]) => `or(${a}, ${b})`),
      ...BOOLS.map((a) => `branch(${a})`),
      ...BOOLS.map((a) => `nothing(${a})`),
    ],
  }),
};

/** What is put in the place of an instruction, by function. */
const REPLACED: Record<string, (instruction: InstructionJson) => InstructionJson> = {
  and: (each) => (each === 'Eq' ? 'And' : each),
  or: (each) => (each === 'Eq' ? 'Or' : each),
  branch: (each) => (typeof each === 'object' && 'BrFalse' in each ? { BrTrue: each.BrFalse } : each),
  nothing: (each) => (each === 'Not' ? 'Nop' : each),
};

test('instructions that the compiler never writes do what the bytecode format says', async () => {
  const { modules } = await compileSources(packageFiles([suite]));
  const json = deserializeModule(modules[0]!);
  let replaced = 0;
  for (const { function: handle, code } of json.function_defs) {
    const replace = REPLACED[json.identifiers[json.function_handles[handle]!.name]!];
    if (!code || replace === undefined) continue;
    const rewritten = code.code.map(replace);
    replaced += rewritten.filter((each, i) => each !== code.code[i]).length;
    code.code = rewritten;
  }
  expect(replaced).toBe(4);
  const [outcomes] = await run([suite], [serialize(json)]);
  const answers = outcomes!.map((outcome) => outcome.kind === 'value' && outcome.bytes[0] === 1);
  expect(answers).toEqual([
    ...PAIRS.map(([a, b]) => a && b),
    ...PAIRS.map(([a, b]) => a || b),
    ...BOOLS.map((a) => !a),
    ...BOOLS,
  ]);
});
