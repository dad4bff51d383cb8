import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { GrpcTypes, SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Localnet } from '../start.ts';
import { startTestLocalnet } from '../testing/start.ts';
import { describeEachTransport } from './testing/each-transport.ts';
import { compileTestPackage } from './testing/package.ts';

const { QueryEndReason } = GrpcTypes;

let localnet: Localnet;

beforeAll(async () => {
  localnet = await startTestLocalnet();
});
afterAll(() => localnet.close());

type EventFrame = GrpcTypes.SubscribeEventsResponse;

describeEachTransport('a subscription', (transport) => {
  let client: SuiGrpcClient;
  let disconnect: () => void;
  let key: Ed25519Keypair;
  let packageId: string;
  let open = new AbortController();

  beforeAll(async () => {
    ({ client, close: disconnect } = transport.connect(localnet.rpcUrl));
    key = Ed25519Keypair.generate();
    await requestSuiFromFaucetV2({ host: localnet.faucetUrl, recipient: key.toSuiAddress() });
    const { modules, dependencies } = await compileTestPackage();
    const published = await execute((transaction) => {
      const cap = transaction.publish({ modules: modules.map((each) => [...each]), dependencies });
      transaction.transferObjects([cap], key.toSuiAddress());
    });
    const changed = published.effects!.changedObjects;
    packageId = changed.find(({ outputState }) => outputState === 'PackageWrite')!.objectId;
  });
  afterAll(() => disconnect());
  afterEach(() => {
    open.abort();
    open = new AbortController();
  });

  async function execute(build: (transaction: Transaction) => void) {
    const transaction = new Transaction();
    build(transaction);
    const include = { effects: true } as const;
    const result = await client.signAndExecuteTransaction({ transaction, signer: key, include });
    return result.Transaction!;
  }

  /** One transaction with these events, checkpointed. */
  const emit = async (...counts: number[]) => {
    const { digest } = await execute((transaction) => {
      for (const count of counts) {
        transaction.moveCall({
          target: `${packageId}::demo::emit`,
          typeArguments: ['0x2::sui::SUI'],
          arguments: [transaction.pure.u64(count)],
        });
      }
    });
    localnet.ledger.createCheckpoint();
    return digest;
  };

  const filter = () => ({
    terms: [
      {
        literals: [
          {
            negated: false,
            predicate: {
              oneofKind: 'eventType' as const,
              eventType: { eventType: `${packageId}::demo::Generic` },
            },
          },
        ],
      },
    ],
  });
  const readMask = {
    paths: ['checkpoint', 'transaction_digest', 'transaction_index', 'event_index', 'json'],
  };

  /** The stream as an iterator; it has begun when its headers are there. */
  async function begin<Frame>(call: {
    headers: Promise<unknown>;
    responses: AsyncIterable<Frame>;
  }): Promise<AsyncIterator<Frame>> {
    await call.headers;
    return call.responses[Symbol.asyncIterator]();
  }
  const next = async <Frame>(frames: AsyncIterator<Frame>) => (await frames.next()).value as Frame;

  const subscribeEvents = () =>
    begin(client.subscriptionService.subscribeEvents({ filter: filter(), readMask }, { abort: open.signal }));

  test('with a filter begins with a cursor that names no checkpoint, and lists go on from it', async () => {
    const frames = await subscribeEvents();
    const digest = await emit(1, 2);
    const start = await next(frames);
    expect(start.event).toBeUndefined();
    expect(start.watermark!.checkpoint).toBeUndefined();
    const { responses } = client.ledgerService.listEvents({
      filter: filter(),
      readMask,
      options: { after: start.watermark!.cursor!, ordering: 0 },
    });
    const listed: string[] = [];
    for await (const frame of responses) if (frame.event) listed.push(nameOf(frame));
    expect(listed).toEqual([`${digest}:0`, `${digest}:1`]);
  });

  test('has whole checkpoints, and no match covers its own', async () => {
    const height = localnet.ledger.highestCheckpoint;
    const frames = await subscribeEvents();
    const digest = await emit(1, 2);
    await next(frames);
    const events = [await next(frames), await next(frames)];
    expect(events.map(({ event }) => event)).toMatchObject([
      { transactionDigest: digest, eventIndex: 0, checkpoint: height + 1n },
      { transactionDigest: digest, eventIndex: 1, checkpoint: height + 1n },
    ]);
    expect(events[0]!.event!.transactionIndex).toBe(
      BigInt(localnet.ledger.getTransaction(digest)!.transactionIndex!),
    );
    await emit(3);
    localnet.ledger.createCheckpoint();
    await emit(4);
    const later = [await next(frames), await next(frames)];
    const covered = [...events, ...later].map(({ watermark }) => watermark!.checkpoint);
    expect(covered).toEqual([undefined, undefined, height + 1n, height + 3n]);
  });

  test('leaves out what does not match, and covers the 25th quiet checkpoint', async () => {
    const frames = await subscribeEvents();
    await execute((transaction) => {
      transaction.transferObjects([transaction.splitCoins(transaction.gas, [1])], key.toSuiAddress());
    });
    for (let made = 0; made < 25; made++) localnet.ledger.createCheckpoint();
    await next(frames);
    const progress = await next(frames);
    expect(progress.event).toBeUndefined();
    expect(progress.watermark!.checkpoint).toBe(localnet.ledger.highestCheckpoint);
  });

  test('to checkpoints brings every one of them, in order', async () => {
    const call = client.subscriptionService.subscribeCheckpoints({}, { abort: open.signal });
    const frames = await begin(call);
    const height = localnet.ledger.highestCheckpoint;
    for (let made = 0; made < 3; made++) localnet.ledger.createCheckpoint();
    const seen = [await next(frames), await next(frames), await next(frames)];
    expect(seen.map(({ cursor }) => cursor)).toEqual([height + 1n, height + 2n, height + 3n]);
    expect(seen.map(({ checkpoint }) => checkpoint?.sequenceNumber)).toEqual(
      seen.map(({ cursor }) => cursor),
    );
  });

  test('to transactions brings a whole transaction with its time and all its events', async () => {
    const paths = ['digest', 'checkpoint', 'timestamp', 'transaction_index', 'effects.status', 'events'];
    const call = client.subscriptionService.subscribeTransactions(
      { filter: filter(), readMask: { paths } },
      { abort: open.signal },
    );
    const frames = await begin(call);
    const digest = await emit(1, 2, 3);
    await next(frames);
    const { transaction } = await next(frames);
    expect(transaction).toMatchObject({ digest, effects: { status: { success: true } } });
    expect(transaction!.events!.events).toHaveLength(3);
    expect(transaction!.timestamp!.seconds).toBeGreaterThan(0n);
  });

  test('taken over from history with the documented recipe leaves no gap and no repetition', async () => {
    const before = [await emit(1), await emit(2, 3), await emit(4)];
    const frames = await subscribeEvents();
    const during = [await emit(5, 6), await emit(7)];
    // The first live frame that names a checkpoint: history is read through it.
    await next(frames);
    const boundary = (await next(frames)).event!.checkpoint!;

    const history: string[] = [];
    let after: Uint8Array | undefined;
    for (let reason: GrpcTypes.QueryEndReason | undefined; reason !== QueryEndReason.CHECKPOINT_BOUND; ) {
      const { responses } = client.ledgerService.listEvents({
        filter: filter(),
        readMask,
        startCheckpoint: 0n,
        endCheckpoint: boundary + 1n,
        options: { limit: 2, ...(after && { after }) },
      });
      for await (const frame of responses) {
        if (frame.event) history.push(nameOf(frame));
        after = frame.watermark!.cursor!;
        reason = frame.end?.reason;
      }
    }
    const live: string[] = [];
    const later = await emit(8);
    while (live.length < 2) {
      const frame = await next(frames);
      if (frame.event && frame.event.checkpoint! > boundary) live.push(nameOf(frame));
    }
    const expected = [
      ...[`${before[0]}:0`, `${before[1]}:0`, `${before[1]}:1`, `${before[2]}:0`],
      ...[`${during[0]}:0`, `${during[0]}:1`, `${during[1]}:0`, `${later}:0`],
    ];
    expect([...history, ...live].slice(-expected.length)).toEqual(expected);
    expect(new Set([...history, ...live]).size).toBe(history.length + live.length);
  });

  test('with a filter that is none is refused', async () => {
    const call = client.subscriptionService.subscribeEvents({ filter: { terms: [] } });
    await expect(call.responses[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  test('lists end at the tip and cover it; unfiltered checkpoints come both ways', async () => {
    const height = localnet.ledger.highestCheckpoint;
    const list = async (ordering: GrpcTypes.Ordering) => {
      const { responses } = client.ledgerService.listCheckpoints({
        startCheckpoint: height - 2n,
        options: { ordering },
      });
      const frames: GrpcTypes.ListCheckpointsResponse[] = [];
      for await (const frame of responses) frames.push(frame);
      return frames;
    };
    const up = await list(GrpcTypes.Ordering.ASCENDING);
    const sequences = up.flatMap(({ checkpoint }) => checkpoint?.sequenceNumber ?? []);
    expect(sequences).toEqual([height - 2n, height - 1n, height]);
    expect(up.at(-1)).toMatchObject({
      end: { reason: QueryEndReason.LEDGER_TIP },
      watermark: { checkpoint: height },
    });
    const down = await list(GrpcTypes.Ordering.DESCENDING);
    expect(down.flatMap(({ checkpoint }) => checkpoint?.sequenceNumber ?? [])).toEqual(
      sequences.toReversed(),
    );
    expect(down.at(-1)).toMatchObject({
      end: { reason: QueryEndReason.CHECKPOINT_BOUND },
      watermark: { checkpoint: height - 2n },
    });
  });
});

test('history that was pruned is OUT_OF_RANGE when it is asked for by name', async () => {
  const network = await startTestLocalnet();
  try {
    for (let made = 0; made < 5; made++) network.ledger.createCheckpoint();
    network.ledger.prune(3n);
    const client = new SuiGrpcClient({ network: 'localnet', baseUrl: network.rpcUrl });
    const { response } = await client.ledgerService.getServiceInfo({});
    expect(response.lowestAvailableCheckpoint).toBe(3n);
    const named = client.ledgerService.listEvents({ startCheckpoint: 1n });
    await expect(named.responses[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'OUT_OF_RANGE',
    });
    const { responses } = client.ledgerService.listCheckpoints({});
    const sequences: unknown[] = [];
    for await (const { checkpoint } of responses) if (checkpoint) sequences.push(checkpoint.sequenceNumber);
    expect(sequences).toEqual([3n, 4n, 5n]);
  } finally {
    await network.close();
  }
});

const nameOf = ({ event }: Pick<EventFrame, 'event'>) => `${event!.transactionDigest}:${event!.eventIndex}`;
