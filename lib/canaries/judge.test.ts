import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CanaryRun, type CanaryState, judgedRuns, judgeEntry, judgeRuns } from './judge.ts';

const run = (...failures: (string | null)[]): CanaryRun => ({
  at: 0,
  checkpoint: 1,
  version: 1,
  outcomes: failures.map((failure) => ({
    amount: '1',
    failure,
    gas: '1',
    coinIn: null,
    coinOut: null,
    taken: '0',
    brought: '0',
  })),
});
const worked = run(null, null, null);
const failed = run('EPaused', 'EPaused', 'EPaused');
const largeFailed = run(null, null, 'ETooMuch');

test.each([
  ['an op that works', [worked, worked, worked], 'up'],
  ['one failure among three runs', [worked, failed, worked], 'up'],
  ['the first failure', [worked, worked, failed], 'up'],
  ['two failures of all sizes', [worked, failed, failed], 'down'],
  ['two failures around a success', [failed, worked, failed], 'down'],
  ['two failures of one size', [worked, largeFailed, largeFailed], 'degraded'],
  ['failures of one size and of all', [largeFailed, failed, largeFailed], 'degraded'],
  ['failures before the last three runs', [failed, failed, worked, worked, failed], 'up'],
  ['one run', [worked], 'up'],
  ['sizes that became more', [run('EPaused'), run('EPaused'), worked], 'degraded'],
] as const)('the state after %s', (_, runs, state) => {
  expect(judgeRuns(runs, true)).toBe(state);
});

test('an op that never worked is not down: a new wallet may lack what it needs', () => {
  expect(judgeRuns([failed, failed, failed], false)).toBe('unproven');
  expect(judgeRuns([], true)).toBe('unproven');
});

const ranks = { up: 0, degraded: 1, down: 2, unproven: 3 };
const anyRuns = fc.integer({ min: 1, max: 3 }).chain((sizes) =>
  fc.array(
    fc
      .array(fc.option(fc.constant('EPaused')), { minLength: sizes, maxLength: sizes })
      .map((failures) => run(...failures)),
    { minLength: 1, maxLength: 6 },
  ),
);

test('a call that works instead of failing never makes a state worse, and only the last three runs count', () => {
  fc.assert(
    fc.property(anyRuns, fc.nat(), fc.nat(), (runs, at, size) => {
      const state = judgeRuns(runs, true);
      expect(judgeRuns(runs.slice(-judgedRuns), true)).toBe(state);
      const fixed = structuredClone(runs);
      const { outcomes } = fixed[at % fixed.length]!;
      outcomes[size % outcomes.length]!.failure = null;
      expect(ranks[judgeRuns(fixed, true)]).toBeLessThanOrEqual(ranks[state]);
    }),
  );
});

test('one failed run changes nothing, and two runs that agree are the state', () => {
  fc.assert(
    fc.property(anyRuns, (runs) => {
      const sizes = runs[0]!.outcomes.length;
      const all = (failure: string | null) => run(...Array<string | null>(sizes).fill(failure));
      expect(judgeRuns([...runs, all(null), all(null)], true)).toBe('up');
      expect(judgeRuns([...runs, all('EPaused'), all('EPaused')], true)).toBe('down');
      expect(judgeRuns([all(null), all(null), all('EPaused')], true)).toBe('up');
    }),
  );
});

test.each<[string, CanaryState[], CanaryState | null]>([
  ['no ops', [], null],
  ['ops that never worked', ['unproven', 'unproven'], 'unproven'],
  ['ops that work, and one that never did', ['up', 'unproven', 'up'], 'up'],
  ['an op that fails among those that work', ['up', 'down'], 'degraded'],
  ['an op that fails for some amounts', ['degraded'], 'degraded'],
  ['ops that fail, and one that never worked', ['down', 'unproven', 'down'], 'down'],
])('the state of an entry with %s', (_, states, state) => {
  expect(judgeEntry(states)).toBe(state);
});
