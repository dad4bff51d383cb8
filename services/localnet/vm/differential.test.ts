import { toBase58, toHex } from '@mysten/sui/utils';
import { expect, it } from 'vitest';
import { testSources } from '../../../lib/move/testing.ts';
import { TestChain } from '../execution/testing/chain.ts';
import { serializeValue } from './bcs.ts';
import { VmError } from './errors.ts';
import { Machine } from './machine.ts';
import { Meter } from './meter.ts';
import { Session } from './runtime/session.ts';
import { TransactionContext } from './runtime/transaction-context.ts';
import { type Case, integerCases, integerFunctions, LANGUAGE, LANGUAGE_CASES } from './testing/cases.ts';

const cases: Case[] = [...LANGUAGE_CASES, ...integerCases(3)];

const MANIFEST = '[package]\nname = "demo"\nedition = "2024"\n[addresses]\ndemo = "0x0"\n';

const FACTS = {
  transactionDigest: '11111111111111111111111111111111',
  sender: `0x${'5'.padStart(64, '0')}`,
  sponsor: undefined,
  epoch: 0n,
  epochTimestampMs: 0n,
  referenceGasPrice: 0n,
  gasPrice: 0n,
  gasBudget: 0n,
};

function source(tests: string[]): string {
  const functions = cases.map(
    ({ type, expression }, i) => `public fun case_${i}(): ${type} { ${expression} }`,
  );
  return ['module demo::cases {', integerFunctions(), LANGUAGE, ...functions, ...tests, '}'].join('\n');
}

/** What the interpreter makes of a case, as a unit test that only passes when the Move VM makes the same of it. */
function expectation(run: () => Uint8Array, i: number, self: string): string {
  try {
    return `#[test] fun test_${i}() { assert!(std::bcs::to_bytes(&case_${i}()) == x"${toHex(run())}", 0) }`;
  } catch (error) {
    if (!(error instanceof VmError) || error.location === undefined) throw error;
    const { packageId, module } = error.location;
    const location = `${packageId === self ? 'demo' : packageId}::${module}`;
    const failure = {
      abort: `abort_code = ${error.code}`,
      arithmetic: 'arithmetic_error',
      vector: `vector_error, minor_status = ${error.code}`,
    }[error.kind as 'abort' | 'arithmetic' | 'vector'];
    if (failure === undefined) throw error;
    return `#[test, expected_failure(${failure}, location = ${location})] fun test_${i}() { case_${i}(); }`;
  }
}

it('gives the results, aborts and abort codes of the real Move VM', { timeout: 60_000 }, async () => {
  const chain = await TestChain.open();
  const packageId = await chain.publish({ cases: source([]) });
  const owner = chain.packages.load(packageId, (id) => chain.objects.get(id));
  const module = owner.module('cases')!;
  const linked = owner.context.link(module);
  const tests = cases.map((_, i) => {
    const fn = module.function(`case_${i}`)!;
    const meter = new Meter(1_000_000);
    const machine = new Machine(meter, new Session(FACTS, () => undefined, meter));
    return expectation(
      () => {
        const [value] = machine.run(linked.function(fn), [], []);
        return serializeValue(fn.returns[0]!, value!);
      },
      i,
      packageId,
    );
  });
  const run = await testSources({ 'Move.toml': MANIFEST, 'sources/cases.move': source(tests) });
  const wrong = run.tests.filter((test) => !test.passed);
  const details = wrong.map(({ name }) => cases[Number(name.split('_').at(-1))]?.expression);
  const output = run.output.replaceAll(/^\[ PASS.*\n/gm, '');
  expect(details, output).toEqual([]);
  expect(run.passed).toBe(cases.length);
});

it('derives new ids as the real Move VM', async () => {
  const digest = Uint8Array.from({ length: 32 }, (_, i) => i * 7);
  const context = new TransactionContext({ ...FACTS, transactionDigest: toBase58(digest) });
  const ids = Array.from({ length: 3 }, () => context.freshId());
  const test = `#[test_only] module demo::ids {
    #[test] fun fresh_ids() {
      let mut ctx = sui::tx_context::new(@0x5, x"${toHex(digest)}", 0, 0, 0);
      let expected = vector[${ids.map((id) => `@${id}`).join(', ')}];
      expected.do!(|id| assert!(ctx.fresh_object_address() == id, 0));
    }
  }`;
  const run = await testSources({ 'Move.toml': MANIFEST, 'sources/ids.move': test });
  expect(run, run.output).toMatchObject({ passed: 1, failed: 0 });
});
