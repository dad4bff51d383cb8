import { afterAll, beforeAll, expect, test } from 'vitest';
import { writtenBlocks } from './document.ts';
import { startLocalSubject } from './local-network.ts';
import { type Result, runCases } from './run-cases.ts';
import { tablesOf } from './table.ts';

let local: Awaited<ReturnType<typeof startLocalSubject>>;
beforeAll(async () => {
  local = await startLocalSubject();
});
afterAll(() => local.close());

test('the local network answers what a full node answers, over every transport', async () => {
  const results: Result[] = [];
  for await (const result of runCases(local)) results.push(result);
  const failed = results
    .filter(({ outcome }) => outcome === 'fail')
    .map(({ transport, case: { about, name }, detail }) => `${transport}: ${about} ${name}: ${detail}`);
  expect(failed).toEqual([]);
  expect(results.filter(({ outcome }) => outcome === 'pass').length).toBeGreaterThan(300);
  const tables = await tablesOf(results, local);
  expect(tables, 'docs/localnet.md: `npm run conformance` writes its tables').toEqual(
    await writtenBlocks(tables),
  );
});

test('what does not hold is a failure with its difference, and what needs a key does not apply without one', async () => {
  local.misbehave({ failCalls: { code: 'INTERNAL', share: 1, seed: 1, methods: ['GetEpoch'] } });
  await local.act();
  const results: Result[] = [];
  for (const only of ['GetEpoch', 'executes the same bytes once']) {
    for await (const result of runCases({ url: local.url, only })) results.push(result);
  }
  const outcomes = results.map(({ case: { about }, outcome }) => `${about}: ${outcome}`);
  expect(new Set(outcomes)).toEqual(new Set(['GetEpoch: fail', 'ExecuteTransaction: not applicable']));
  expect(results[0]!.detail).toContain('INTERNAL');
});
