import type { AgentRunStep } from '@adaptor-marketplace/sdk';
import { expect, test } from 'vitest';
import { followRun, type StreamedRun } from './follow-run.ts';

const step = (name: AgentRunStep['step']): AgentRunStep => ({ step: name, status: 'done' });
const running = { state: 'running', steps: [step('validate')] } as unknown as StreamedRun;
const lines = (...steps: AgentRunStep[]) => steps.map((one) => `${JSON.stringify(one)}\n`).join('');

/** Follows a run whose stream the caller writes. It is running at the first read, and done at the next. */
function follow() {
  const following = new AbortController();
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
  const shown: string[][] = [];
  let reads = 0;
  const ended = followRun(
    {
      async read() {
        reads += 1;
        return reads === 1 ? running : { ...running, state: 'done' };
      },
      stream: async () => readable,
      show: ({ steps }) => void shown.push(steps.map(({ step: name }) => name)),
    },
    following.signal,
  );
  return { following, writer: writable.getWriter(), shown, ended };
}

const bytes = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

test('a run is shown step by step until it ends', async () => {
  const { writer, shown, ended } = follow();
  const text = lines(step('draft'), step('simulate'));
  await writer.write(bytes(text.slice(0, -20)));
  await writer.write(bytes(text.slice(-20)));
  await writer.close();
  await ended;
  expect(shown).toEqual([
    ['validate'],
    ['validate', 'draft'],
    ['validate', 'draft', 'simulate'],
    ['validate'],
  ]);
});

test('a page that follows its run again, for another account, shows nothing of the first stream', async () => {
  const { following, writer, shown, ended } = follow();
  await writer.write(bytes(''));
  following.abort();
  await writer.write(bytes(lines(step('draft'))));
  await writer.close();
  await ended;
  expect(shown).toEqual([['validate']]);
});
