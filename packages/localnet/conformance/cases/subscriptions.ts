import assert from 'node:assert/strict';
import type { GrpcTypes, SuiGrpcClient } from '@mysten/sui/grpc';
import { casesOf } from '../case.ts';
import { collect, errorOf, fieldsOf, refused, refusedField } from '../expect.ts';

/** The first frames of a stream, which is cancelled then. */
async function take<Frame>(
  count: number,
  open: (abort: AbortSignal) => { responses: AsyncIterable<Frame> },
): Promise<Frame[]> {
  const abort = new AbortController();
  const frames: Frame[] = [];
  try {
    for await (const frame of open(abort.signal).responses) {
      frames.push(frame);
      if (frames.length === count) break;
    }
  } finally {
    abort.abort();
  }
  return frames;
}

const nobody: GrpcTypes.EventFilter = {
  terms: [
    {
      literals: [
        { negated: false, predicate: { oneofKind: 'sender', sender: { address: `0x${'ab'.repeat(32)}` } } },
      ],
    },
  ],
};
const height = async (client: SuiGrpcClient) =>
  (await client.ledgerService.getServiceInfo({})).response.checkpointHeight!;

export const subscriptionCases = casesOf('SubscriptionService', {
  async 'brings every checkpoint from the tip on, in order and without gaps'({ client }) {
    const before = await height(client);
    const frames = await take(4, (abort) => client.subscriptionService.subscribeCheckpoints({}, { abort }));
    const cursors = frames.map(({ cursor }) => cursor!);
    assert.ok(cursors[0]! >= before);
    assert.deepEqual(
      cursors,
      cursors.map((_, index) => cursors[0]! + BigInt(index)),
    );
    assert.deepEqual(
      frames.map(({ checkpoint }) => checkpoint!.sequenceNumber),
      cursors,
    );
    assert.deepEqual(fieldsOf(frames[0]!.checkpoint), ['digest', 'sequenceNumber']);
  },
  async 'brings checkpoints as a mask wants them, and as they are read later'({ client }) {
    const readMask = { paths: ['sequence_number', 'digest', 'summary.timestamp'] };
    const [frame] = await take(1, (abort) =>
      client.subscriptionService.subscribeCheckpoints({ readMask }, { abort }),
    );
    const { response } = await client.ledgerService.getCheckpoint({
      checkpointId: { oneofKind: 'sequenceNumber', sequenceNumber: frame!.cursor! },
      readMask,
    });
    assert.deepEqual(frame!.checkpoint, response.checkpoint);
  },
  async 'says first where a filtered stream of events begins'({ client }) {
    const before = await height(client);
    const [frame] = await take(1, (abort) =>
      client.subscriptionService.subscribeEvents({ filter: nobody }, { abort }),
    );
    assert.equal(frame!.event, undefined);
    assert.ok(frame!.watermark!.checkpoint! >= before - 1n);
    assert.ok(frame!.watermark!.cursor!.length > 0);
  },
  async 'says first where a filtered stream of transactions begins'({ client }) {
    const before = await height(client);
    const [frame] = await take(1, (abort) =>
      client.subscriptionService.subscribeTransactions({ filter: nobody }, { abort }),
    );
    assert.equal(frame!.transaction, undefined);
    assert.ok(frame!.watermark!.checkpoint! >= before - 1n);
  },
  async 'reports its progress though nothing matches'({ client }) {
    const frames = await take(2, (abort) =>
      client.subscriptionService.subscribeEvents({ filter: nobody }, { abort }),
    );
    const [start, progress] = frames.map(({ watermark }) => watermark!.checkpoint!);
    assert.ok(progress! > start! && progress! - start! <= 60n);
  },
  async 'ends with the deadline of the call'({ client }) {
    const call = client.subscriptionService.subscribeEvents({ filter: nobody }, { timeout: 150 });
    assert.equal((await errorOf(collect(call)))?.code, 'DEADLINE_EXCEEDED');
  },
  async 'ends when it is cancelled'({ client }) {
    const abort = new AbortController();
    const { responses } = client.subscriptionService.subscribeEvents(
      { filter: nobody },
      { abort: abort.signal },
    );
    const drained = (async () => {
      for await (const _frame of responses) abort.abort();
    })();
    assert.equal((await errorOf(drained))?.code, 'CANCELLED');
  },
  'refuses a filter without terms': ({ client }) =>
    refused(
      'INVALID_ARGUMENT',
      take(1, (abort) => client.subscriptionService.subscribeEvents({ filter: { terms: [] } }, { abort })),
    ),
  'refuses a field that does not exist': ({ client }) =>
    refusedField(
      'read_mask',
      take(1, (abort) =>
        client.subscriptionService.subscribeTransactions({ readMask: { paths: ['nope'] } }, { abort }),
      ),
    ),
});
