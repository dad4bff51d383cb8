import { expect, test } from 'vitest';
import { interpret, type Outcome } from './interpret.ts';
import { judge } from './judge.ts';
import { casesOf, type Suite } from './suite.ts';

const suite: Suite = {
  name: 'cases',
  members: `
    const EOwn: u64 = 5;
    fun fail(c: u64): u64 { abort c }
    fun add(a: u8, b: u8): u8 { a + b }
    fun at(v: vector<u8>, i: u64): u8 { v[i] }`,
  cases: casesOf({
    u64: ['7', 'fail(5)', 'std::string::utf8(x"ff").length()'],
    u8: ['add(1, 2)', 'add(255, 1)', 'at(b"a", 0)', 'at(b"a", 1)', 'vector<u8>[].pop_back()'],
  }),
};

/** Every wrong expectation that could be mistaken for the right one. */
function mistakes(outcome: Outcome, self: string): Outcome[] {
  const elsewhere = '0x0000000000000000000000000000000000000000000000000000000000000001::vector';
  switch (outcome.kind) {
    case 'value': {
      const bytes = outcome.bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte));
      return [
        { kind: 'value', bytes },
        { kind: 'abort', code: 0n, location: self },
        { kind: 'arithmetic', location: self },
      ];
    }
    case 'abort':
    case 'vector':
      return [
        { ...outcome, code: outcome.code + 1n },
        { ...outcome, location: elsewhere },
        { ...outcome, kind: outcome.kind === 'abort' ? 'vector' : 'abort' },
        { kind: 'arithmetic', location: outcome.location },
        { kind: 'value', bytes: new Uint8Array(8) },
      ];
    default:
      return [
        { kind: 'arithmetic', location: elsewhere },
        { kind: 'abort', code: 0n, location: self },
        { kind: 'value', bytes: new Uint8Array(1) },
        { kind: 'other', message: '' },
      ];
  }
}

test('a wrong result, abort, code or place is noticed', async () => {
  const [right] = await interpret([suite]);
  expect(await judge([suite], [right!])).toEqual([]);
  const self = `0x${'0'.repeat(64)}::cases`;
  const wrong = right!.flatMap((outcome, i) =>
    mistakes(outcome, self).map((mistake) => ({ case: suite.cases[i]!, mistake })),
  );
  const expected = wrong.map(({ mistake }) => mistake);
  const noticed = await judge([{ ...suite, cases: wrong.map((each) => each.case) }], [expected]);
  expect(noticed.map(({ ours }) => ours)).toEqual(expected);
});
