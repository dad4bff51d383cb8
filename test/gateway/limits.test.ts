import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redisDatabase } from '../support/database.ts';

const processes = 16;
const perMinute = 200;
/** Far fewer requests than the slowest machine can send within the minute. */
const [rounds, together] = [4, 5];

const closing = new AsyncDisposableStack();
afterAll(() => closing.disposeAsync());
let urls: string[];

beforeAll(async () => {
  const args = [await redisDatabase(), String(perMinute)];
  const children = Array.from({ length: processes }, () => start(args));
  urls = await Promise.all(children.map(async (child) => String((await once(child, 'message'))[0])));
});

function start(args: string[]): ChildProcess {
  const child = fork(join(import.meta.dirname, '../support/counting-process.ts'), args);
  closing.defer(async () => {
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  });
  return child;
}

test('sixteen gateways that share a store let through exactly what one address may ask, and never one more', async () => {
  const passed: number[] = [];
  let refused = 0;
  await Promise.all(
    urls.map(async (url) => {
      for (let round = 0; round < rounds; round++) {
        const answers = await Promise.all(
          Array.from({ length: together }, () => fetch(`${url}/api/adaptors`)),
        );
        for (const answer of answers) {
          await answer.arrayBuffer();
          if (answer.status === 200) passed.push(Number(answer.headers.get('x-ratelimit-remaining')));
          else if (answer.status === 429) refused += 1;
        }
      }
    }),
  );
  // Each request that passed has a different number of remaining requests, down to zero.
  expect(passed.sort((a, b) => a - b)).toEqual(Array.from({ length: perMinute }, (_, left) => left));
  expect(refused).toBe(processes * rounds * together - perMinute);
});
