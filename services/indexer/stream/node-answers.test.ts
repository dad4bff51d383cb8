import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { serveGrpc } from '@adaptor-marketplace/localnet/rpc/server/serve';
import { bindService, type CallContext } from '@adaptor-marketplace/localnet/rpc/server/service';
import { GrpcError, GrpcStatusCode } from '@adaptor-marketplace/localnet/rpc/server/status';
import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import type { IMessageType } from '@protobuf-ts/runtime';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasListIndex, openFilteredReader } from './filtered-reader.ts';
import { type FollowOptions, follow } from './follow.ts';
import type { Frame } from './frames.ts';
import { openNode } from './node.ts';

// Frames have the field values that a full node's sources and their tests give: `subscription_service.rs`,
// `query_options.rs`, `query_end.rs`, `watermark.rs` and `ledger_read.rs` of sui-rpc-api, of July 2026.

const { QueryEndReason } = GrpcTypes;
type Listed = GrpcTypes.ListTransactionsResponse;
type Live = GrpcTypes.SubscribeTransactionsResponse;

const cursor = (text: string) => Buffer.from(text);

/** A match. Its watermark names the checkpoint before its own at the latest, and none in the first checkpoint. */
const match = (checkpoint: number, index: number, covered?: number): Live => ({
  transaction: GrpcTypes.ExecutedTransaction.create({
    digest: `${checkpoint}:${index}`,
    checkpoint: BigInt(checkpoint),
    transactionIndex: BigInt(index),
  }),
  watermark: progress(`item ${checkpoint}:${index}`, covered).watermark,
});

const progress = (at: string, covered?: number): Live => ({
  watermark: GrpcTypes.Watermark.create({
    cursor: cursor(at),
    checkpoint: covered === undefined ? undefined : BigInt(covered),
  }),
});

const ended = (frame: Live, reason: number): Listed => ({ ...frame, end: { reason } });

/** The message with a field of a newer API, which this client does not know: number 2,000, three bytes. */
function withNewField<T extends object>(type: IMessageType<T>, message: T): T {
  const field = Buffer.from([0x82, 0x7d, 3, 1, 2, 3]);
  return type.fromBinary(Buffer.concat([type.toBinary(message), field]));
}

interface Script {
  tip: number;
  live?: Live[];
  /** The list that answers each request: frames, or an error. */
  pages?: (Listed[] | GrpcError)[];
  subscribeError?: GrpcError;
}

/** A node that answers by the script, behind the real client. */
async function startNode({ tip, live = [], pages = [], subscribeError }: Script) {
  const requests: GrpcTypes.ListTransactionsRequest[] = [];
  const calls = { info: 0 };
  const server = await serveGrpc({
    host: '127.0.0.1',
    port: 0,
    services: [
      bindService<SuiGrpcClient['ledgerService']>(GrpcTypes.LedgerService, {
        // A node leaves out what it does not know: timestamp and lowest checkpoint here.
        getServiceInfo: async () => {
          calls.info += 1;
          return { chainId: 'chain', checkpointHeight: BigInt(tip) };
        },
        async *listTransactions(request: GrpcTypes.ListTransactionsRequest) {
          requests.push(request);
          const page = pages.shift();
          if (page === undefined) throw new Error('a list that the script does not have');
          if (page instanceof GrpcError) throw page;
          yield* page;
        },
      }),
      bindService<SuiGrpcClient['subscriptionService']>(GrpcTypes.SubscriptionService, {
        async *subscribeTransactions(_request: unknown, { signal }: CallContext) {
          if (subscribeError) throw subscribeError;
          yield* live;
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        },
      }),
    ],
  });
  const client = createChainClient({ url: server.url });
  onTestFinished(() => {
    client.close();
    return server.close();
  });
  const node = openNode(server.url, client);
  return { node, requests, calls };
}

type Node = Awaited<ReturnType<typeof startNode>>['node'];

/** Follows until `last` is covered. Returns the digests and the covered checkpoints, in order. */
async function readUntil(
  last: number,
  node: Node,
  resume = { checkpoint: 0, cursor: null as Buffer | null },
  openArchive?: FollowOptions['openArchive'],
) {
  const stop = new AbortController();
  const reader = openFilteredReader(node, ['0x1::registry'], { idleMs: 60_000, pauseMs: 1 });
  const frames: Frame[] = [];
  const chunks = follow({
    network: 'testnet',
    main: { node, reader },
    openArchive,
    resume: { ...resume, cursorProvider: resume.cursor && node.url },
    requireCovers: async () => undefined,
    signal: stop.signal,
  });
  for await (const chunk of chunks) {
    frames.push(...chunk.frames);
    if (frames.some(({ covered = -1 }) => covered >= last)) break;
  }
  stop.abort();
  return {
    digests: frames.flatMap(({ transaction }) => transaction?.digest ?? []),
    covered: frames.flatMap(({ covered }) => covered ?? []),
  };
}

describe('the answers of a full node', () => {
  test('to a stream that starts with a cursor alone, and to history up to it, are read once each', async () => {
    const { node } = await startNode({
      tip: 9,
      live: [progress('before 10'), match(10, 0), match(10, 4), match(12, 1, 11), progress('before 38', 37)],
      pages: [
        // Two matches of one checkpoint fill the page, then a scan ends inside checkpoint 6.
        [match(3, 0, 2), ended(match(3, 5, 2), QueryEndReason.ITEM_LIMIT)],
        [ended(progress('inside 6', 5), QueryEndReason.SCAN_LIMIT)],
        [match(8, 2, 7), ended(progress('before 10', 9), QueryEndReason.CHECKPOINT_BOUND)],
        [match(10, 0), match(10, 4), ended(progress('before 11', 10), QueryEndReason.CHECKPOINT_BOUND)],
      ],
    });
    const { digests, covered } = await readUntil(37, node);
    expect(digests).toEqual(['3:0', '3:5', '8:2', '10:0', '10:4', '12:1']);
    expect(covered).toEqual(covered.toSorted((a, b) => a - b));
  });

  test('to a cursor at the end of the range end with CURSOR_BOUND, whose watermark proves nothing', async () => {
    const { node, requests } = await startNode({
      tip: 9,
      live: [progress('before 10'), progress('before 38', 37)],
      pages: [
        [ended(progress('item 9:1'), QueryEndReason.CURSOR_BOUND)],
        [ended(progress('before 10', 9), QueryEndReason.CHECKPOINT_BOUND)],
        [ended(progress('before 38', 37), QueryEndReason.CHECKPOINT_BOUND)],
      ],
    });
    const { digests } = await readUntil(37, node, { checkpoint: 8, cursor: cursor('item 9:1') });
    expect(digests).toEqual([]);
    expect(
      requests.map(({ options, startCheckpoint }) => [Boolean(options?.after), startCheckpoint]),
    ).toEqual([[true, undefined], [false, 9n], expect.anything()]);
  });

  test('with fields and reasons of a newer API are read by what is known of them', async () => {
    const { ListTransactionsResponse, SubscribeTransactionsResponse } = GrpcTypes;
    const { node, requests } = await startNode({
      tip: 2,
      live: [progress('before 3'), match(3, 0), progress('before 38', 37)].map((frame) =>
        withNewField(SubscribeTransactionsResponse, frame),
      ),
      pages: [
        [withNewField(ListTransactionsResponse, ended(match(1, 0), 99))],
        [ended(progress('before 3', 2), QueryEndReason.CHECKPOINT_BOUND)],
        [match(3, 0), ended(progress('before 4', 3), QueryEndReason.CHECKPOINT_BOUND)],
      ],
    });
    expect((await readUntil(37, node)).digests).toEqual(['1:0', '3:0']);
    expect(Buffer.from(requests[1]!.options!.after!).toString()).toBe('item 1:0');
  });

  test('with a reason of a newer API and a cursor that stands still are requested again after a pause', async () => {
    const standing = () => [ended(progress('inside 3', 2), 99)];
    const pages = [standing(), standing(), standing()];
    const { node, requests } = await startNode({ tip: 5, pages });
    const reader = openFilteredReader(node, ['0x1::registry'], { idleMs: 60_000, pauseMs: 3_600_000 });
    const stop = new AbortController();
    const answered = Promise.withResolvers<void>();
    const sink = { push: () => requests.length === 2 && answered.resolve(), ready: async () => undefined };
    const reading = reader.sendHistory({ from: 0, to: 6 }, sink, stop.signal);
    await answered.promise;
    // A request without a pause would reach the node before these.
    for (let call = 0; call < 5; call++) await node.info(stop.signal);
    expect(requests).toHaveLength(2);
    stop.abort();
    await expect(reading).rejects.toThrow('aborted');
  });

  test('that end without a reason are broken lists', async () => {
    const { node } = await startNode({ tip: 5, live: [progress('before 6')], pages: [[match(2, 0)]] });
    await expect(readUntil(5, node)).rejects.toThrow('the node ended a list without saying why');
  });
});

describe('the errors of a full node', () => {
  const refuse = (code: GrpcStatusCode, message: string) => new GrpcError(code, message);
  const tick = [progress('before 6')];

  test('for pruned history stop the source and name the setting', async () => {
    const pruned = refuse(GrpcStatusCode.OUT_OF_RANGE, 'requested data below earliest available 4');
    const { node } = await startNode({ tip: 5, live: tick, pages: [pruned] });
    await expect(readUntil(5, node)).rejects.toMatchObject({
      code: 'pruned_cursor',
      message: expect.stringContaining('SUI_TESTNET_ARCHIVE_URL'),
    });
  });

  test('for history that it pruned after it said what it keeps do not stop a source that has an archive', async () => {
    const pruned = refuse(GrpcStatusCode.OUT_OF_RANGE, 'requested data below earliest available 4');
    const { node } = await startNode({ tip: 5, live: tick, pages: [pruned] });
    const openArchive = () => Promise.reject(new Error('the archive is not needed yet'));
    await expect(readUntil(5, node, undefined, openArchive)).rejects.toMatchObject({ code: 'OUT_OF_RANGE' });
  });

  test.each([
    [GrpcStatusCode.UNAVAILABLE, 'UNAVAILABLE', 'rpc index is empty'],
    [GrpcStatusCode.RESOURCE_EXHAUSTED, 'RESOURCE_EXHAUSTED', 'too many requests'],
    [GrpcStatusCode.DEADLINE_EXCEEDED, 'DEADLINE_EXCEEDED', 'request exceeded its deadline'],
  ])('of a list keep their code: %i %s %s', async (code, name, message) => {
    const { node } = await startNode({ tip: 5, live: tick, pages: [refuse(code, message)] });
    await expect(readUntil(5, node)).rejects.toMatchObject({ code: name, message });
  });

  test('of a subscription that the node does not serve keep their code', async () => {
    const subscribeError = refuse(GrpcStatusCode.UNAVAILABLE, 'subscription service is unavailable');
    const pages = [[ended(progress('before 6', 5), QueryEndReason.CHECKPOINT_BOUND)]];
    const { node } = await startNode({ tip: 5, pages, subscribeError });
    await expect(readUntil(6, node)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'subscription service is unavailable',
    });
  });

  test('tell a node without list indexes from one whose index is still empty', async () => {
    const pages = ['rpc indexes are disabled', 'rpc index is empty'].map((message) =>
      refuse(GrpcStatusCode.UNAVAILABLE, message),
    );
    const { node } = await startNode({ tip: 5, pages });
    const has = () => hasListIndex(node, 5, ['0x1::registry'], new AbortController().signal);
    expect(await has()).toBe(false);
    await expect(has()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

test('the node says once how far it is before its history is read', async () => {
  const pages = [[ended(progress('before 6', 5), QueryEndReason.CHECKPOINT_BOUND)]];
  const { node, calls } = await startNode({ tip: 5, pages });
  await readUntil(5, node);
  expect(calls.info).toBe(1);
});

test('history shows written packages too, if no node lists their versions', async () => {
  const page = () => [ended(progress('before 6', 5), QueryEndReason.CHECKPOINT_BOUND)];
  const { node, requests } = await startNode({ tip: 5, pages: [page(), page()] });
  const sink = { push: () => undefined, ready: async () => undefined };
  for (const showsWrites of [false, true]) {
    const reader = openFilteredReader(node, ['0x1::registry'], { idleMs: 60_000, showsWrites });
    await reader.sendHistory({ from: 0, to: 6 }, sink, new AbortController().signal);
  }
  const show = ({ filter, readMask }: GrpcTypes.ListTransactionsRequest) => [
    ...filter!.terms.map(({ literals }) => literals[0]!.predicate.oneofKind),
    readMask!.paths.at(-1),
  ];
  expect(requests.map(show)).toEqual([
    ['eventType', 'events.events.contents'],
    ['eventType', 'packageWrite', 'effects.changed_objects'],
  ]);
});

test('a service info without timestamp and lowest checkpoint is one of a node that keeps everything', async () => {
  const { node } = await startNode({ tip: 7 });
  expect(await node.info(new AbortController().signal)).toEqual({
    chainId: 'chain',
    tip: 7,
    tipAt: new Date(0),
    lowestAvailable: 0,
  });
});
