import { describe, expect, test } from 'vitest';
import { Queue } from './gas-pool.ts';

describe('while a run waits for a coin', () => {
  /**
   * Serves the waiting callers by name and returns their order. `join` adds another caller when the named one is
   * served.
   */
  async function served(names: readonly string[], join: Record<string, string> = {}): Promise<string[]> {
    const queue = new Queue();
    const order: string[] = [];
    const served: Promise<void>[] = [];
    const take = (name: string, work = () => Promise.resolve()) => {
      const waiting = queue.enter(name.startsWith('planned')).then(async () => {
        order.push(name);
        if (join[name]) take(join[name]);
        await work();
        queue.leave();
      });
      served.push(waiting);
    };
    const first = Promise.withResolvers<void>();
    take('unplanned 0', () => first.promise);
    for (const name of names) take(name);
    first.resolve();
    for (let ended = 0; ended < served.length; ended += 1) await served[ended];
    return order.slice(1);
  }

  test('planned callers come before unplanned ones, each in the order of their calls', async () => {
    const order = await served(['unplanned 1', 'unplanned 2', 'planned 1', 'planned 2']);
    expect(order).toEqual(['planned 1', 'planned 2', 'unplanned 1', 'unplanned 2']);
  });

  test('every fifth coin goes to an unplanned caller, even while planned ones keep coming', async () => {
    const join = Object.fromEntries(
      Array.from({ length: 12 }, (_, nth) => [`planned ${nth + 1}`, `planned ${nth + 2}`]),
    );
    const order = await served(['unplanned 1', 'unplanned 2', 'planned 1'], join);
    const places = ['unplanned 1', 'unplanned 2'].map((name) => order.indexOf(name));
    expect([places, order.length]).toEqual([[4, 9], 15]);
  });
});
