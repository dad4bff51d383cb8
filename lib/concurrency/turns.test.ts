import { describe, expect, test } from 'vitest';
import { createTurns, mapTexts } from './turns.ts';

/** Counts the turns of the event loop until it is stopped. */
function countTurns() {
  let [turns, stopped] = [0, false];
  const next = () => {
    turns += 1;
    if (!stopped) setImmediate(next);
  };
  setImmediate(next);
  return {
    now: () => turns,
    stop() {
      stopped = true;
    },
  };
}

describe('createTurns', () => {
  test('no two works that were started at once run in one turn, and a failed one does not stop the next', async () => {
    const turns = countTurns();
    const run = createTurns();
    const started = Array.from({ length: 20 }, (_, n) =>
      run(() => {
        if (n === 3) throw new Error('failed');
        return turns.now();
      }),
    );
    const ended = await Promise.allSettled(started);
    turns.stop();
    const ran = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(new Set(ran).size).toBe(19);
    expect(ended[3]).toMatchObject({ status: 'rejected' });
  });
});

describe('mapTexts', () => {
  test('large texts are worked on in turns of their own, small ones together, and all stay in order', async () => {
    const large = 'x'.repeat(200 * 1024);
    const map = async (texts: string[]) => {
      const turns = countTurns();
      const items = await mapTexts(texts, (_, at) => [at, turns.now()] as const);
      turns.stop();
      expect(items.map(([at]) => at)).toEqual(texts.map((_, at) => at));
      return new Set(items.map(([, turn]) => turn)).size;
    };
    expect(await map(Array(10).fill(large))).toBe(10);
    expect(await map(Array(500).fill('{}'))).toBe(1);
  });
});
