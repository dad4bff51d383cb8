import { type FunctionDefJson, instructionParts, type ModuleJson } from '@adaptor-marketplace/move-bytecode';
import { compileFramework, compileSources } from '@adaptor-marketplace/move-toolchain';
import { expect, test } from 'vitest';
import { instructionNames } from '../code/compile.ts';
import { deserializeModule } from '../loader/bytecode.ts';
import { SCENARIO_MEMBERS, SCENARIOS } from './cases/scenarios.ts';
import { KNOWN_SUITE } from './cases/signatures.ts';
import { scenarioFiles } from './scenario.ts';
import { packageFiles } from './suite.ts';
import { PACKAGES } from './suites.ts';

/** What code that is called, directly or not, is made of. */
interface Reached {
  instructions: Set<string>;
  natives: Set<string>;
}

/** Follows calls from every function of `roots` through `all`. */
function reach(roots: ModuleJson[], all: ModuleJson[]): Reached {
  const modules = new Map(all.map((module) => [nameOf(module, module.self_module_handle_idx), module]));
  const reached: Reached = { instructions: new Set(), natives: new Set() };
  const seen = new Set<FunctionDefJson>();
  const waiting = roots.flatMap((module) =>
    module.function_defs.map((definition) => ({ module, definition })),
  );
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { module, definition } = next;
    if (seen.has(definition)) continue;
    seen.add(definition);
    if (!definition.code) {
      reached.natives.add(handleName(module, definition.function));
      continue;
    }
    for (const instruction of definition.code.code) {
      const [name, operand] = instructionParts(instruction);
      reached.instructions.add(name);
      if (name !== 'Call' && name !== 'CallGeneric') continue;
      const index = Number(operand);
      const handle = name === 'Call' ? index : module.function_instantiations[index]!.handle;
      const callee = modules.get(nameOf(module, module.function_handles[handle]!.module))!;
      const called = handleName(module, handle);
      const found = callee.function_defs.find((each) => handleName(callee, each.function) === called);
      waiting.push({ module: callee, definition: found! });
    }
  }
  return reached;
}

function nameOf(module: ModuleJson, handle: number): string {
  const { address, name } = module.module_handles[handle]!;
  return `${BigInt(`0x${module.address_identifiers[address]}`)}::${module.identifiers[name]}`;
}

function handleName(module: ModuleJson, handle: number): string {
  const { module: owner, name } = module.function_handles[handle]!;
  return `${nameOf(module, owner)}::${module.identifiers[name]}`;
}

/** Instructions that the compiler never writes; `not-emitted.test.ts` runs them. */
const NOT_EMITTED = ['And', 'Or', 'Nop', 'BrTrue'];

/**
 * Natives that no code can call: instructions stand for those of `vector`, and one is private and unused; and those
 * whose result depends on what a ledger holds, which the Move VM's unit tests lack.
 */
const isUncallable = (name: string) =>
  name.startsWith('1::vector::') ||
  name.startsWith('2::funds_accumulator::') ||
  name.startsWith('2::config::') ||
  name === '2::tx_context::derive_id';

test('every instruction and every native is in a function that is compared', async () => {
  const { stdlib, sui } = await compileFramework();
  const framework = [...stdlib.values(), ...sui.values()].map((bytes) => deserializeModule(bytes));
  const packages = [
    packageFiles([...PACKAGES.flat(), KNOWN_SUITE]),
    scenarioFiles(SCENARIO_MEMBERS, SCENARIOS),
  ];
  const reached: Reached = { instructions: new Set(), natives: new Set() };
  for (const files of packages) {
    const { modules } = await compileSources(files);
    const roots = modules.map((bytes) => deserializeModule(bytes));
    const { instructions, natives } = reach(roots, [...roots, ...framework]);
    for (const each of instructions) reached.instructions.add(each);
    for (const each of natives) reached.natives.add(each);
  }
  const declared = framework.flatMap((module) =>
    module.function_defs.filter(({ code }) => !code).map((each) => handleName(module, each.function)),
  );
  expect({
    instructions: instructionNames.filter((each) => !reached.instructions.has(each)),
    natives: declared.filter((each) => !reached.natives.has(each)),
  }).toEqual({ instructions: NOT_EMITTED, natives: declared.filter(isUncallable) });
});
