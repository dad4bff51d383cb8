import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { readAttempts, registryEvents } from '../../../test/support/registry-events.ts';
import { addServiceEvents } from '../../../test/support/service-events.ts';
import { isBefore, type Position } from '../registry-events.ts';
import { storeAttempts } from './attempts.ts';
import { changeFilter, listStretchesAfter, readBacklogs, readPositions } from './positions.ts';
import { addSubscription } from './subscriptions.ts';

const names = ['Registered', 'Updated', 'Quarantined', 'QuarantineLifted'] as const;
const subscription = 'wh_1';

type Step =
  | { kind: 'event'; name: (typeof names)[number] }
  | { kind: 'filter'; events: string[] }
  | { kind: 'read'; worker: number }
  | { kind: 'store'; worker: number; share: number; log: 'both' | 'registry' | 'service' };

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
    // A worker that is killed may have stored its answers of one log, and not those of the other.
    log: fc.constantFrom('both' as const, 'registry' as const, 'service' as const),
  }),
);

type Positions = Awaited<ReturnType<typeof readPositions>>;

/**
 * Workers read the positions, attempt their matching events, and store them at any later time, in any order, even after
 * another worker has taken over and after the filter was changed. The two logs of the network advance independently.
 */
test('every event of both logs that was asked for is stored, in whatever order workers store and filters change, and once where no filter changed', async () => {
  const db = await createTestDatabase();
  const { addEvents, follow } = registryEvents(db);
  await follow();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      for (const table of ['subscriptions', 'positions', 'retries', 'log'])
        await db.pool.query(`delete from webhook_${table}`);
      await addSubscription(db.pool, 'key_1', {
        subscription,
        events: names,
        wallet: null,
        serviceType: null,
        publisher: null,
      });
      let filter: readonly string[] = names;
      const expected: string[] = [];
      const events: { stream: string; position: Position; name: string }[] = [];
      const workers = new Map<number, Positions>();

      const store = async (one: Positions[number], share: number) => {
        const { stream } = one;
        const asked = listStretchesAfter(one.position, one.segments).flatMap(
          ({ after, until, events: asks }) =>
            events.filter(
              (event) =>
                event.stream === stream &&
                asks.includes(event.name) &&
                isBefore(after, event.position) &&
                !(until && isBefore(until, event.position)),
            ),
        );
        const done = asked.slice(0, Math.ceil(asked.length * share));
        const last = done.at(-1);
        if (!last) return;
        const { position: after, changes } = one;
        const passed = { subscription, stream, after, upTo: last.position, changes };
        const ended = done.map(({ position, name }) => ({
          subscription,
          of: { stream, position, event: name },
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
      const storeAll = async (positions: Positions, share: number, log: string) => {
        for (const one of positions)
          if (log === 'both' || one.stream.endsWith('.service') === (log === 'service'))
            await store(one, share);
      };
      const read = () => readPositions(db.pool, [subscription]);
      const add = async (name: (typeof names)[number]): Promise<[stream: string, position: Position]> => {
        if (name === 'Quarantined' || name === 'QuarantineLifted') {
          const [id] = await addServiceEvents(db, 1, name);
          return ['testnet.service', [Number(id!.slice('svc_'.length)), 0, 0]];
        }
        const [id] = await addEvents(1, name);
        const { rows } = await db.pool.query(
          `select json_build_array(checkpoint, tx_index, event_index) as position from events
            where tx_digest || ':' || event_index = $1`,
          [id],
        );
        return ['testnet', rows[0].position];
      };

      for (const one of steps) {
        if (one.kind === 'event') {
          const [stream, position] = await add(one.name);
          events.push({ stream, position, name: one.name });
          if (filter.includes(one.name)) expected.push(`${stream} ${position}`);
        } else if (one.kind === 'filter') {
          const client = await db.pool.connect();
          if (await changeFilter(client, { subscription, events: one.events })) filter = one.events;
          client.release();
        } else if (one.kind === 'read') workers.set(one.worker, await read());
        else if (workers.has(one.worker)) await storeAll(workers.get(one.worker)!, one.share, one.log);
      }
      const before = await readBacklogs(db.pool, [subscription], 1_000);
      const left = before.reduce((sum, { events: count }) => sum + count, 0);
      await storeAll(await read(), 1, 'both');
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
