import { testSources } from '@adaptor-marketplace/move-toolchain/test-package';
import { toHex } from '@mysten/sui/utils';
import { TransactionContext } from '../runtime/transaction-context.ts';
import { FACTS, interpret, type Outcome } from './interpret.ts';
import { type Case, caseName, packageFiles, type Suite } from './suite.ts';

/** A function of which the Move VM makes something else. */
interface Difference {
  suite: Suite;
  case: Case;
  /** What our interpreter made of it. */
  ours: Outcome;
  /** What the Move VM's test runner said. */
  said: string;
}

/** Runs suites in both machines; answers where they differ. Options as for `interpret`. */
export async function compare(
  suites: readonly Suite[],
  options: { uncached?: boolean } = {},
): Promise<Difference[]> {
  return judge(suites, await interpret(suites, options));
}

/** Runs suites in the Move VM, as one unit test a function that passes when the outcome is the expected one. */
export async function judge(suites: readonly Suite[], expected: Outcome[][]): Promise<Difference[]> {
  const tests = expected.map((outcomes) => outcomes.map((outcome, i) => unitTest(outcome, i)));
  const run = await testSources(packageFiles(suites, tests));
  const passed = new Set(run.tests.filter((test) => test.passed).map((test) => test.name));
  return suites.flatMap((suite, k) =>
    expected[k]!.flatMap((ours, i) => {
      if (passed.has(`demo::${suite.name}::test_${i}`)) return [];
      return [{ suite, case: suite.cases[i]!, ours, said: reportOf(run.output, suite.name, `test_${i}`) }];
    }),
  );
}

function unitTest(outcome: Outcome, i: number): string {
  const call = `${caseName(i)}(${context()})`;
  const name = `test_${i}`;
  switch (outcome.kind) {
    case 'value':
      return `#[test] fun ${name}() { assert!(std::bcs::to_bytes(&${call}) == x"${toHex(outcome.bytes)}", 0) }`;
    case 'other':
      // Nothing to expect: the test is there to fail and to say what the Move VM did.
      return `#[test] fun ${name}() { std::debug::print(&std::bcs::to_bytes(&${call})); abort 0 }`;
    default: {
      const attribute = {
        abort: () => `abort_code = ${abortCode(outcome)}`,
        vector: () => `vector_error, minor_status = ${'code' in outcome ? outcome.code : 0}`,
        arithmetic: () => 'arithmetic_error',
      }[outcome.kind]();
      const expectation = `expected_failure(${attribute}, location = ${outcome.location})`;
      return `#[test, ${expectation}] fun ${name}() { std::unit_test::destroy(${call}); }`;
    }
  }
}

function abortCode(outcome: Outcome): string {
  if (outcome.kind !== 'abort') return '0';
  const { code, location, constant } = outcome;
  return constant === undefined ? String(code) : `${location}::${constant}`;
}

function context(): string {
  const { sender, sponsor, epoch, epochTimestampMs, referenceGasPrice, gasPrice, gasBudget } = FACTS;
  const digest = `x"${toHex(new TransactionContext(FACTS).digest)}"`;
  const gas = `${referenceGasPrice}, ${gasPrice}, ${gasBudget}, option::some(@${sponsor})`;
  return `&mut sui::tx_context::create(@${sender}, ${digest}, ${epoch}, ${epochTimestampMs}, 0, ${gas})`;
}

/** The part of the runner's output that speaks of one test. */
function reportOf(output: string, module: string, name: string): string {
  const section = output.indexOf(`Failures in demo::${module}:`);
  const at = output.indexOf(`┌── ${name} `, section);
  if (section < 0 || at < 0) return `no report on ${module}::${name}`;
  const end = output.indexOf('└──', at);
  return output.slice(at, end < 0 ? at + 2_000 : end);
}

/** Differences as text for people. */
export function describeDifferences(differences: Difference[]): string {
  return differences
    .map(({ suite, case: { returns, body }, ours, said }) => {
      const told = { ...ours, ...('bytes' in ours ? { bytes: toHex(ours.bytes) } : {}) };
      const words = JSON.stringify(told, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
      return `${suite.name}: ${returns}: ${body}\n  interpreter: ${words}\n  Move VM: ${said}`;
    })
    .join('\n');
}
