import { expect, test } from 'vitest';
import { makeRepeatedId, matchCall, runsMax } from './repeated-calls.ts';

const minutes = 60_000;
const [digest, noon] = ['d'.repeat(32), Date.parse('2026-03-14T12:00:00Z')];
const run = (id: string, requestId: string, state: 'done' | 'failed', startedMs: number) => ({
  id,
  requestId,
  state,
  startedMs,
});
const others = (count: number) =>
  Array.from({ length: count }, (_, nth) => run(String(nth), 'other', 'done', noon));

test.each([
  ['nothing', []],
  ['other calls', others(runsMax - 1)],
  ['a failure', [run('7', `mcp-${digest}-first`, 'failed', noon - minutes)]],
  ['the same call of an hour ago', [run('7', `mcp-${digest}-first`, 'done', noon - 60 * minutes)]],
])('a call after %s has the same requestId whenever it is sent again', (_, runs) => {
  const ids = Array.from({ length: 30 }, (_, nth) => matchCall(runs, digest, noon + nth * minutes));
  expect(new Set(ids.map((one) => JSON.stringify(one))).size).toBe(1);
});

test('a call within ten minutes of the same one is a repetition, unless that failed', () => {
  const done = run('7', `mcp-${digest}-first`, 'done', noon);
  expect(matchCall([done], digest, noon + 9 * minutes)).toEqual({ earlier: done });
  expect(matchCall([done], digest, noon + 11 * minutes)).toEqual({ requestId: `mcp-${digest}-7` });
  const failed = { ...done, state: 'failed' as const };
  expect(matchCall([failed], digest, noon)).toEqual({ requestId: `mcp-${digest}-7` });
});

test('a call within ten minutes of one that asked to be repeated is a repetition too', () => {
  const first = run('7', `mcp-${digest}-first`, 'done', noon - 11 * minutes);
  const repeated = run('8', makeRepeatedId(digest), 'done', noon);
  expect(matchCall([repeated, first], digest, noon + minutes)).toEqual({ earlier: repeated });
});

test('a call whose earlier runs may be out of sight does not get their requestId', () => {
  const first = matchCall([], digest, noon);
  expect(matchCall(others(runsMax), digest, noon)).not.toEqual(first);
});
