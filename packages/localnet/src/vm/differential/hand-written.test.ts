import { expect, test } from 'vitest';
import { SCENARIO_MEMBERS, SCENARIOS } from './cases/scenarios.ts';
import { KNOWN_ANSWERS, KNOWN_SUITE } from './cases/signatures.ts';
import { interpret, type Outcome } from './interpret.ts';
import { compare, describeDifferences } from './judge.ts';
import { compareScenarios } from './scenario.ts';
import { PACKAGES } from './suites.ts';

// Seconds of work for one core, which others may want too.

test('results, aborts, codes and places are those of the Move VM', async () => {
  for (const suites of PACKAGES) {
    const differences = await compare(suites);
    expect(differences, describeDifferences(differences)).toEqual([]);
  }
});

test('transactions do to objects what the Move VM says that they do', async () => {
  const { ran, failed, output } = await compareScenarios(SCENARIO_MEMBERS, SCENARIOS);
  expect(failed, output).toEqual([]);
  expect(ran).toBe(SCENARIOS.length);
});

/** A bool, hex of bytes, or the code of an abort. */
function answerOf(outcome: Outcome): boolean | string | number | undefined {
  if (outcome.kind === 'abort') return Number(outcome.code);
  if (outcome.kind !== 'value') return undefined;
  const [head, ...rest] = outcome.bytes;
  return outcome.bytes.length === 1 ? head === 1 : Buffer.from(rest).toString('hex');
}

test('signature natives give the published answers', async () => {
  const [outcomes] = await interpret([KNOWN_SUITE]);
  const given = KNOWN_ANSWERS.map(({ body }, i) => ({ body, answer: answerOf(outcomes![i]!) }));
  expect(given).toEqual(KNOWN_ANSWERS.map(({ body, answer }) => ({ body, answer })));
});

test('more than a thousand functions are compared', () => {
  const functions = PACKAGES.flat().flatMap(({ cases }) => cases).length;
  expect(functions).toBeGreaterThan(1_200);
});
