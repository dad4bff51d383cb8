import {
  compileForTests,
  type MoveTestRun,
  type TestBytecode,
  testPackage,
} from '@adaptor-marketplace/move-toolchain/test-package';
import { TestChain } from '../../src/execution/testing/chain.ts';
import { cleverError } from '../../src/rpc/convert/clever-error.ts';
import { linkModule } from '../../src/vm/code/linkage.ts';
import { VmError } from '../../src/vm/errors.ts';
import { deserializeModule } from '../../src/vm/loader/bytecode.ts';
import type { LoadedPackage } from '../../src/vm/loader/package.ts';
import { Machine } from '../../src/vm/runtime/machine.ts';
import { TestSession } from './scenario.ts';
import { findTestNative } from './test-natives.ts';

/** What the unit tests of a package did in both machines. */
export interface Comparison {
  /** Tests with the same outcome in both. */
  equal: number;
  different: { test: string; moveVm: string; interpreter: string }[];
  /** Tests that cannot be compared, with the reason. */
  notCompared: { test: string; reason: string }[];
}

/**
 * Runs each unit test of the package in `dir` in the Move VM and in our interpreter, whatever it expects. An outcome is
 * that the test passed, or how it failed: the abort code or the kind of error, and the module.
 * @throws MoveCompileError when it does not compile.
 * @param natives the native functions of our interpreter
 */
export async function comparePackage(dir: string, natives = findTestNative): Promise<Comparison> {
  const bytecode = await compileForTests(dir);
  const run = await testPackage(dir, { expectations: false });
  const own = install(bytecode);
  const comparison: Comparison = {
    equal: 0,
    different: [],
    notCompared: run.notRun.map((test) => ({ test, reason: 'it expects to run out of gas' })),
  };
  for (const { name: test, passed } of run.tests) {
    const [, module, name] = test.split('::');
    const interpreter = interpret(own, module!, name!, natives);
    if (interpreter === undefined) {
      comparison.notCompared.push({ test, reason: 'the test runner makes up its arguments' });
      continue;
    }
    const moveVm = passed ? PASSED : reported(run, test, bytecode.names);
    if (moveVm === interpreter) comparison.equal += 1;
    else comparison.different.push({ test, moveVm, interpreter });
  }
  return comparison;
}

const PASSED = 'passes';

/** Puts a package and what it uses on a new chain, where unit tests have them. */
function install({ packages, own }: TestBytecode): LoadedPackage {
  const chain = new TestChain();
  const placed: string[] = [];
  for (const [id, modules] of packages) {
    const named = modules.map((bytes) => {
      const json = deserializeModule(bytes);
      return [json.identifiers[json.module_handles[json.self_module_handle_idx]!.name]!, bytes] as const;
    });
    chain.addPackage(id, new Map(named), placed);
    placed.push(id);
  }
  return chain.packages.load(own, (id) => chain.objects.get(id));
}

/** Undefined for a function that takes arguments. */
function interpret(
  own: LoadedPackage,
  moduleName: string,
  name: string,
  natives: typeof findTestNative,
): string | undefined {
  const module = own.module(moduleName)!;
  const test = linkModule(own, module, natives).function(module.function(name)!);
  if (test.fn.parameters.length > 0) return undefined;
  const session = new TestSession();
  session.running = { packageId: own.id, module: moduleName };
  try {
    new Machine(session.meter, session).run(test, [], []);
    return PASSED;
  } catch (error) {
    if (!(error instanceof VmError) || error.location === undefined) throw error;
    const { packageId, module: place } = error.location;
    return `${kindOf(error, own.resolve(packageId))} in ${packageId}::${place}`;
  }
}

function kindOf(error: VmError, where: LoadedPackage): string {
  const { kind, code, message, location } = error;
  if (kind === 'abort') {
    const clever = cleverError(code, where.module(location!.module)!.json);
    if (clever === undefined) return `aborts with code ${code}`;
    return clever.constantName === undefined ? 'aborts' : `aborts with ${clever.constantName}`;
  }
  if (kind === 'vector') return `vector error ${code}`;
  if (kind === 'arithmetic') return 'arithmetic error';
  return kind === 'limit' ? 'limit' : `${kind}: ${message}`;
}

/** The outcome of a failed test by the runner's report on it. */
function reported({ output }: MoveTestRun, test: string, names: ReadonlyMap<string, string>): string {
  const [, module, name] = test.split('::');
  const section = output.search(new RegExp(`^Failures in \\S+::${module}:`, 'm'));
  const at = output.indexOf(`┌── ${name} ──`, section);
  const end = output.indexOf('└──', at);
  const text = section < 0 || at < 0 ? '' : output.slice(at, end < 0 ? undefined : end);
  const found = /Test was not expected to error, but it (.*?) ?originating in the module (\S+)::(\w+) /.exec(
    text,
  );
  if (found === null) return `no known outcome: ${text.trim()}`;
  const [, what, address, place] = found;
  const id = names.get(address!) ?? (address!.startsWith('0x') ? padded(address!) : address);
  return `${kindReported(what!)} in ${id}::${place}`;
}

const padded = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;

function kindReported(what: string): string {
  const constant = /^aborted with error constant '(\w+)'/.exec(what)?.[1];
  if (constant !== undefined) return `aborts with ${constant}`;
  const code = /^aborted with code (\d+)/.exec(what)?.[1];
  if (code !== undefined) return `aborts with code ${code}`;
  if (what === 'aborted') return 'aborts';
  const vector = /^gave a vector operation error with sub-status (\d+)/.exec(what)?.[1];
  if (vector !== undefined) return `vector error ${vector}`;
  if (/^gave an arithmetic error/.test(what)) return 'arithmetic error';
  // The interpreter has one kind of error for all limits of the machine.
  if (
    /^gave an? (CALL_STACK_OVERFLOW|EXECUTION_STACK_OVERFLOW|VM_MAX_VALUE_DEPTH_REACHED|MEMORY_LIMIT_EXCEEDED)/.test(
      what,
    )
  )
    return 'limit';
  return what;
}
