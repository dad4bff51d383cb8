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

const term = (address: string) => ({
  literals: [{ negated: false, predicate: { oneofKind: 'sender' as const, sender: { address } } }],
});
const nobody: GrpcTypes.EventFilter = { terms: [term(`0x${'ab'.repeat(32)}`)] };
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
  async 'begins a filtered stream of events with a cursor that names no checkpoint'({ client }) {
    const [frame] = await take(1, (abort) =>
      client.subscriptionService.subscribeEvents({ filter: nobody }, { abort }),
    );
    assert.equal(frame!.event, undefined);
    assert.equal(frame!.watermark!.checkpoint, undefined);
    assert.ok(frame!.watermark!.cursor!.length > 0);
  },
  async 'begins a filtered stream of transactions with a cursor that names no checkpoint'({ client }) {
    const [frame] = await take(1, (abort) =>
      client.subscriptionService.subscribeTransactions({ filter: nobody }, { abort }),
    );
    assert.equal(frame!.transaction, undefined);
    assert.equal(frame!.watermark!.checkpoint, undefined);
    assert.ok(frame!.watermark!.cursor!.length > 0);
  },
  async 'begins a filtered stream of checkpoints with a cursor alone'({ client }) {
    const before = await height(client);
    const filter = { terms: [term(`0x${'ab'.repeat(32)}`)] };
    const [frame] = await take(1, (abort) =>
      client.subscriptionService.subscribeCheckpoints({ filter }, { abort }),
    );
    assert.equal(frame!.checkpoint, undefined);
    assert.ok(frame!.cursor! >= before - 1n);
  },
  async 'reports progress though nothing matches'({ client }) {
    const before = await height(client);
    const frames = await take(3, (abort) =>
      client.subscriptionService.subscribeEvents({ filter: nobody }, { abort }),
    );
    const [, first, second] = frames.map(({ watermark }) => watermark!.checkpoint!);
    assert.ok(first! > before && second! > first! && second! - first! <= 60n);
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
