import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { readAttempts, registryEvents } from '../../../test/support/registry-events.ts';
import { isBefore, type Position } from '../registry-events.ts';
import { storeAttempts } from './attempts.ts';
import { changeFilter, readBacklogs, readPositions, stretchesAfter } from './positions.ts';
import { addSubscription } from './subscriptions.ts';

const names = ['Registered', 'Updated'] as const;
const subscription = 'wh_1';

type Step =
  | { kind: 'event'; name: (typeof names)[number] }
  | { kind: 'filter'; events: string[] }
  | { kind: 'read'; worker: number }
  | { kind: 'store'; worker: number; share: number };

const worker = fc.integer({ min: 0, max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('event' as const), name: fc.constantFrom(...names) }),
  },
  fc.record({ kind: fc.constant('filter' as const), events: fc.subarray([...names]) }),
  fc.record({ kind: fc.constant('read' as const), worker }),
  fc.record({
    kind: fc.constant('store' as const),
    worker,
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
);

/**
 * Workers read a position, attempt its matching events, and store it at any later time, in any order, even after
 * another worker has taken over and after the filter was changed.
 */
test('every event that was asked for is stored, in whatever order workers store and filters change, and once where no filter changed', async () => {
  const db = await createTestDatabase();
  const { addEvents, follow } = registryEvents(db);
  await follow();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      for (const table of ['subscriptions', 'positions', 'retries', 'log'])
        await db.pool.query(`delete from webhook_${table}`);
      await addSubscription(db.pool, 'key_1', { subscription, events: names, wallet: null });
      let filter: readonly string[] = names;
      const expected: string[] = [];
      const events: { position: Position; name: string }[] = [];
      const workers = new Map<number, Awaited<ReturnType<typeof readPositions>>[number]>();

      const store = async (one: Awaited<ReturnType<typeof readPositions>>[number], share: number) => {
        const asked = stretchesAfter(one.position, one.segments).flatMap(({ after, until, events: asks }) =>
          events.filter(
            ({ position, name }) =>
              asks.includes(name) && isBefore(after, position) && !(until && isBefore(until, position)),
          ),
        );
        const done = asked.slice(0, Math.ceil(asked.length * share));
        const last = done.at(-1);
        if (!last) return;
        const passed = {
          subscription,
          stream: 'testnet',
          after: one.position,
          upTo: last.position,
          changes: one.changes,
        };
        const ended = done.map(({ position, name }) => ({
          subscription,
          of: { stream: 'testnet', position, event: name },
          startedAtMs: 0,
          durationMs: 1,
          outcome: 'delivered' as const,
          status: 200,
          error: undefined,
          response: undefined,
          retryMs: undefined,
          holdMs: undefined,
        }));
        await storeAttempts(db.pool, [passed], ended, 1);
      };
      const read = async () => (await readPositions(db.pool, [subscription]))[0]!;

      for (const one of steps) {
        if (one.kind === 'event') {
          const [id] = await addEvents(1, one.name);
          const { rows } = await db.pool.query(
            `select json_build_array(checkpoint, tx_index, event_index) as position from events
              where tx_digest || ':' || event_index = $1`,
            [id],
          );
          events.push({ position: rows[0].position, name: one.name });
          if (filter.includes(one.name)) expected.push(String(rows[0].position));
        } else if (one.kind === 'filter') {
          const client = await db.pool.connect();
          if (await changeFilter(client, { subscription, events: one.events })) filter = one.events;
          client.release();
        } else if (one.kind === 'read') workers.set(one.worker, await read());
        else if (workers.has(one.worker)) await store(workers.get(one.worker)!, one.share);
      }
      const before = await readBacklogs(db.pool, [subscription], 1_000);
      const left = before.reduce((sum, { events: count }) => sum + count, 0);
      await store(await read(), 1);
      const stored = await readAttempts(db, subscription);
      // What was sent by a filter that had just been changed is stored too, and may be sent once more by the new one.
      expect(new Set(stored)).toEqual(new Set([...stored, ...expected]));
      expect(left).toBeLessThanOrEqual(stored.length);
      if (steps.every(({ kind }) => kind !== 'filter'))
        expect(stored.toSorted()).toEqual(expected.toSorted());
      expect(await readBacklogs(db.pool, [subscription], 1_000)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
