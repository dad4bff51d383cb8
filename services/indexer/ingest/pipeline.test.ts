import { Registry } from '@prometheus-io/client';
import { expect, onTestFinished, test } from 'vitest';
import { bindSource } from '../../../db/queries/sources.ts';
import { openTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { settingsFor } from '../../../test/support/frames/packages.ts';
import { createIndexerMetrics } from '../reporting/metrics.ts';
import type { ChainEvent, EventData, Source } from '../sources/source.ts';
import { walletSource } from '../sources/wallet.ts';
import { Batcher, type PipelineOptions, writeBatches } from './pipeline.ts';

const event = (checkpoint: number) => ({ checkpoint, data: null }) as ChainEvent<EventData>;
const progress = (covered: number) => ({ covered, cursor: undefined, provider: 'node', live: false });

test('events go to the writer at once, all that have come while it was busy', async () => {
  const batcher = new Batcher(10, 60_000);
  const first = batcher.take();
  batcher.add([event(1)], progress(0));
  expect((await first)?.events).toHaveLength(1);
  batcher.add([event(2)], progress(1));
  batcher.add([event(3)], progress(2));
  expect(await batcher.take()).toMatchObject({ events: [event(2), event(3)], covered: 2 });
});

test('mere progress waits for its time, and then moves the cursor', async () => {
  const batcher = new Batcher(10, 5);
  batcher.add([], progress(7));
  expect(await batcher.take()).toMatchObject({ events: [], covered: 7 });
});

test('progress that completes the checkpoint of an event goes to the writer at once', async () => {
  const batcher = new Batcher(10, 60_000);
  batcher.add([event(5)], progress(4));
  await batcher.take();
  batcher.add([], progress(5));
  expect(await batcher.take()).toMatchObject({ events: [], covered: 5 });
});

test('the decoder stops at a full batch until the writer takes it', async () => {
  const batcher = new Batcher(2, 60_000);
  batcher.add([event(1), event(2)], progress(0));
  let room = false;
  const waiting = batcher.waitForRoom().then(() => {
    room = true;
  });
  await Promise.resolve();
  expect(room).toBe(false);
  await batcher.take();
  await waiting;
});

test('the end of history is reported once, and no later frame takes it back', async () => {
  const batcher = new Batcher(10, 5);
  batcher.add([], { ...progress(1), live: true });
  batcher.add([event(2)], progress(1));
  expect(await batcher.take()).toMatchObject({ live: true });
  batcher.add([], { ...progress(2), live: true });
  expect(await batcher.take()).toMatchObject({ live: false });
});

test('what was decoded before a failure is stored, and then the failure ends the writer', async () => {
  const batcher = new Batcher(10, 60_000);
  batcher.add([event(1)], progress(0));
  batcher.end(new Error('aborted'));
  expect((await batcher.take())?.events).toHaveLength(1);
  await expect(batcher.take()).rejects.toThrow('aborted');
});

test('what history left to settle wakes the workers when it is settled, also without a live event', async () => {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  const client = await db.pool.connect();
  onTestFinished(() => client.release());
  await client.query(
    `insert into sources (network, name, chain_id, filter) values ('testnet', 'wallet', '', '')`,
  );
  const identity = { network: 'testnet', name: 'wallet', chainId: 'chain' } as const;
  const state = await bindSource(client, identity, { filter: 'filter', first: 0 });
  const called: string[] = [];
  const run: PipelineOptions<EventData> & { chainId: string } = {
    settings: settingsFor('http://127.0.0.1:1'),
    source: walletSource as Source<EventData>,
    metrics: createIndexerMetrics(new Registry()),
    progress: { moved: () => undefined } as unknown as PipelineOptions<EventData>['progress'],
    onCommitted: () => called.push('committed'),
    onCaughtUp: () => called.push('caught up'),
    chainId: 'chain',
  };
  const stored: ChainEvent<EventData> = {
    checkpoint: 1,
    txIndex: 0,
    eventIndex: 0,
    txDigest: 'd',
    sender: '0x1',
    timestampMs: 1_000,
    type: '0x1::wallet::Other',
    name: 'Other',
    contents: new Uint8Array(),
    decodeError: null,
    data: null,
  };
  const batcher = new Batcher<EventData>(10, 1);
  const writing = writeBatches(
    run,
    client,
    state,
    batcher,
    () => undefined,
    () => undefined,
  );
  batcher.add([stored], progress(1));
  await batcher.waitForRoom();
  await eventually(async () => expect((await db.pool.query('select from events')).rowCount).toBe(1));
  expect(called).toEqual([]);
  batcher.add([], { ...progress(2), live: true });
  await eventually(() => expect(called).toEqual(['caught up', 'committed']));
  batcher.add([], progress(3));
  await eventually(async () =>
    expect((await db.pool.query('select checkpoint from sources')).rows).toEqual([{ checkpoint: 3 }]),
  );
  batcher.end();
  await writing;
  expect(called).toEqual(['caught up', 'committed']);
});
