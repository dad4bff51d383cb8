import assert from 'node:assert/strict';
import { GrpcTypes } from '@mysten/sui/grpc';
import { casesOf, NotApplicable, required, type Subject } from '../case.ts';
import { collect, fieldsOf, refused, refusedField } from '../expect.ts';

const { QueryEndReason, Ordering } = GrpcTypes;

type Predicate = GrpcTypes.TransactionLiteral['predicate'];
type EventPredicate = GrpcTypes.EventLiteral['predicate'];

const term = (...predicates: Predicate[]) => ({
  literals: predicates.map((predicate) => ({ negated: false, predicate })),
});
const eventTerm = (...predicates: EventPredicate[]) => ({
  literals: predicates.map((predicate) => ({ negated: false, predicate })),
});
const bySender = (address: string) => ({ oneofKind: 'sender', sender: { address } }) as const;
const byType = (eventType: string) => ({ oneofKind: 'eventType', eventType: { eventType } }) as const;
const byModule = (module: string) => ({ oneofKind: 'emitModule', emitModule: { module } }) as const;
const byCall = (name: string) => ({ oneofKind: 'moveCall', moveCall: { function: name } }) as const;

const checkpointsOf = (frames: GrpcTypes.ListCheckpointsResponse[]) =>
  frames.flatMap(({ checkpoint }) => checkpoint?.sequenceNumber ?? []);
const endOf = (frames: { end?: GrpcTypes.QueryEnd }[]) => {
  assert.equal(frames.filter(({ end }) => end).length, 1, 'one frame says why the stream ends');
  return frames.at(-1)!.end!.reason;
};

/** The transactions of the picked checkpoint that a filter finds. */
async function found({ client, picked: { checkpoint } }: Subject, ...terms: GrpcTypes.TransactionTerm[]) {
  const frames = await collect(
    client.ledgerService.listTransactions({
      startCheckpoint: checkpoint,
      endCheckpoint: checkpoint + 1n,
      options: { limit: 500 },
      filter: { terms },
    }),
  );
  return frames.flatMap(({ transaction }) => transaction?.digest ?? []);
}

async function finds(subject: Subject, ...terms: GrpcTypes.TransactionTerm[]) {
  const digests = await found(subject, ...terms);
  assert.ok(digests.includes(subject.picked.digest), `${subject.picked.digest} is among ${digests}`);
}

const range = ({ picked: { checkpoint } }: Subject) => ({
  startCheckpoint: checkpoint - 1n,
  endCheckpoint: checkpoint + 1n,
});

const checkpoints = casesOf('ListCheckpoints', {
  async 'brings a range in order, excluding its end, with a watermark on every frame'(subject) {
    const frames = await collect(subject.client.ledgerService.listCheckpoints(range(subject)));
    const { checkpoint } = subject.picked;
    assert.deepEqual(checkpointsOf(frames), [checkpoint - 1n, checkpoint]);
    assert.equal(endOf(frames), QueryEndReason.CHECKPOINT_BOUND);
    assert.ok(frames.every(({ watermark }) => watermark!.cursor!.length > 0));
    assert.equal(frames.at(-1)!.watermark!.checkpoint, checkpoint);
  },
  async 'brings it the other way round'(subject) {
    const frames = await collect(
      subject.client.ledgerService.listCheckpoints({
        ...range(subject),
        options: { ordering: Ordering.DESCENDING },
      }),
    );
    const { checkpoint } = subject.picked;
    assert.deepEqual(checkpointsOf(frames), [checkpoint, checkpoint - 1n]);
  },
  async 'stops at the item limit with the last item, and goes on from its cursor'(subject) {
    const { client } = subject;
    const first = await collect(
      client.ledgerService.listCheckpoints({ ...range(subject), options: { limit: 1, ordering: 0 } }),
    );
    assert.equal(endOf(first), QueryEndReason.ITEM_LIMIT);
    assert.ok(first.at(-1)!.checkpoint);
    const after = first.at(-1)!.watermark!.cursor!;
    const rest = await collect(
      client.ledgerService.listCheckpoints({ ...range(subject), options: { after, ordering: 0 } }),
    );
    assert.deepEqual(checkpointsOf([...first, ...rest]), [
      subject.picked.checkpoint - 1n,
      subject.picked.checkpoint,
    ]);
  },
  async 'stops before a cursor'(subject) {
    const { client } = subject;
    const all = await collect(client.ledgerService.listCheckpoints(range(subject)));
    const before = all.find(({ checkpoint }) => checkpoint?.sequenceNumber === subject.picked.checkpoint)!;
    const frames = await collect(
      client.ledgerService.listCheckpoints({
        ...range(subject),
        options: { before: before.watermark!.cursor!, ordering: 0 },
      }),
    );
    assert.deepEqual(checkpointsOf(frames), [subject.picked.checkpoint - 1n]);
    assert.equal(endOf(frames), QueryEndReason.CURSOR_BOUND);
  },
  async 'ends at the tip where no end is given'({ client, picked: { checkpoint } }) {
    const frames = await collect(
      client.ledgerService.listCheckpoints({
        startCheckpoint: checkpoint,
        filter: { terms: [term(bySender(`0x${'ab'.repeat(32)}`))] },
      }),
    );
    assert.deepEqual(checkpointsOf(frames), []);
    assert.equal(endOf(frames), QueryEndReason.LEDGER_TIP);
  },
  async 'takes no more than its largest page for any limit'(subject) {
    const frames = await collect(
      subject.client.ledgerService.listCheckpoints({
        ...range(subject),
        options: { limit: 1_000_000, ordering: 0 },
      }),
    );
    assert.equal(checkpointsOf(frames).length, 2);
  },
  async 'filters checkpoints by their transactions'(subject) {
    const frames = await collect(
      subject.client.ledgerService.listCheckpoints({
        ...range(subject),
        filter: { terms: [term(bySender(subject.picked.sender))] },
      }),
    );
    assert.ok(checkpointsOf(frames).includes(subject.picked.checkpoint));
  },
  async 'answers number and digest without a mask'(subject) {
    const [frame] = await collect(subject.client.ledgerService.listCheckpoints(range(subject)));
    assert.deepEqual(fieldsOf(frame!.checkpoint), ['digest', 'sequenceNumber']);
  },
  async 'refuses what was pruned when it is asked for by number'({ client }) {
    const { response } = await client.ledgerService.getServiceInfo({});
    if (!response.lowestAvailableCheckpoint) throw new NotApplicable('nothing is pruned');
    await refused('OUT_OF_RANGE', collect(client.ledgerService.listCheckpoints({ startCheckpoint: 0n })));
  },
});

const transactions = casesOf('ListTransactions', {
  async 'brings the transactions of a checkpoint with their places'({ client, picked }) {
    const frames = await collect(
      client.ledgerService.listTransactions({
        startCheckpoint: picked.checkpoint,
        endCheckpoint: picked.checkpoint + 1n,
        readMask: { paths: ['digest', 'checkpoint', 'transaction_index'] },
        options: { limit: 500, ordering: 0 },
      }),
    );
    const items = frames.flatMap(({ transaction }) => transaction ?? []);
    assert.ok(items.every(({ checkpoint }) => checkpoint === picked.checkpoint));
    assert.deepEqual(
      items.map(({ transactionIndex }) => transactionIndex),
      items.map((_, index) => BigInt(index)),
    );
    assert.ok(items.some(({ digest }) => digest === picked.digest));
  },
  async 'answers the digest without a mask'({ client, picked: { checkpoint } }) {
    const [frame] = await collect(client.ledgerService.listTransactions({ startCheckpoint: checkpoint }));
    assert.deepEqual(fieldsOf(frame!.transaction), ['digest']);
  },
  'finds by sender': (subject) => finds(subject, term(bySender(subject.picked.sender))),
  'finds by affected address': (subject) =>
    finds(
      subject,
      term({ oneofKind: 'affectedAddress', affectedAddress: { address: subject.picked.sender } }),
    ),
  'finds by affected object': (subject) =>
    finds(
      subject,
      term({ oneofKind: 'affectedObject', affectedObject: { objectId: subject.picked.objectId } }),
    ),
  'finds by called package': (subject) => finds(subject, term(byCall(subject.picked.call.package))),
  'finds by called module': (subject) => {
    const { call } = subject.picked;
    return finds(subject, term(byCall(`${call.package}::${call.module}`)));
  },
  'finds by called function': (subject) => {
    const { call } = subject.picked;
    return finds(subject, term(byCall(`${call.package}::${call.module}::${call.function}`)));
  },
  async 'finds by event type'(subject) {
    const event = required(subject.picked.event, 'no event was found');
    await finds(subject, term(byType(event.type)));
  },
  async 'finds by emitting module'(subject) {
    const event = required(subject.picked.event, 'no event was found');
    await finds(subject, term(byModule(`${event.packageId}::${event.module}`)));
  },
  async 'tells written packages from other transactions'(subject) {
    const digests = await found(subject, term({ oneofKind: 'packageWrite', packageWrite: {} }));
    const { response } = await subject.client.ledgerService.getTransaction({
      digest: subject.picked.digest,
      readMask: { paths: ['effects.changed_objects'] },
    });
    const wrote = response.transaction!.effects!.changedObjects.some(
      ({ outputState }) => outputState === GrpcTypes.ChangedObject_OutputObjectState.PACKAGE_WRITE,
    );
    assert.equal(digests.includes(subject.picked.digest), wrote);
  },
  async 'needs all literals of a term'(subject) {
    const { sender, call } = subject.picked;
    await finds(subject, term(bySender(sender), byCall(call.package)));
    const digests = await found(subject, term(bySender(sender), byCall(`0x${'ab'.repeat(32)}`)));
    assert.deepEqual(digests, []);
  },
  'needs one term of several': (subject) =>
    finds(subject, term(bySender(`0x${'ab'.repeat(32)}`)), term(bySender(subject.picked.sender))),
  async 'turns a negated literal round'(subject) {
    const literals = [{ negated: true, predicate: bySender(subject.picked.sender) }];
    assert.ok(!(await found(subject, { literals })).includes(subject.picked.digest));
  },
  'refuses a filter without terms': ({ client }) =>
    refused('INVALID_ARGUMENT', collect(client.ledgerService.listTransactions({ filter: { terms: [] } }))),
  'refuses a term without literals': ({ client }) =>
    refused(
      'INVALID_ARGUMENT',
      collect(client.ledgerService.listTransactions({ filter: { terms: [{ literals: [] }] } })),
    ),
  'refuses a literal without a predicate': ({ client }) =>
    refused(
      'INVALID_ARGUMENT',
      collect(client.ledgerService.listTransactions({ filter: { terms: [term({ oneofKind: undefined })] } })),
    ),
  'refuses more than ten literals': ({ client }) => {
    const terms = Array.from({ length: 11 }, () => term(bySender('0x5')));
    return refused('INVALID_ARGUMENT', collect(client.ledgerService.listTransactions({ filter: { terms } })));
  },
  'refuses an address that is none': ({ client }) =>
    refused(
      'INVALID_ARGUMENT',
      collect(client.ledgerService.listTransactions({ filter: { terms: [term(bySender('me'))] } })),
    ),
  async 'ends with CURSOR_BOUND where a cursor leaves nothing of the range'({ client, picked }) {
    const range = { startCheckpoint: picked.checkpoint, endCheckpoint: picked.checkpoint + 1n };
    const all = await collect(
      client.ledgerService.listTransactions({ ...range, options: { limit: 500, ordering: 0 } }),
    );
    const { watermark } = all.findLast(({ transaction }) => transaction)!;
    const rest = await collect(
      client.ledgerService.listTransactions({
        ...range,
        options: { limit: 500, after: watermark!.cursor!, ordering: 0 },
      }),
    );
    assert.equal(rest.length, 1);
    assert.equal(endOf(rest), QueryEndReason.CURSOR_BOUND);
    assert.equal(rest[0]!.watermark!.checkpoint, undefined);
  },
  async 'never covers the checkpoint of an item'({ client, picked }) {
    const frames = await collect(
      client.ledgerService.listTransactions({
        startCheckpoint: picked.checkpoint - 1n,
        endCheckpoint: picked.checkpoint + 1n,
        readMask: { paths: ['checkpoint'] },
        options: { limit: 500, ordering: 0 },
      }),
    );
    for (const { transaction, watermark } of frames) {
      if (transaction) assert.ok((watermark!.checkpoint ?? -1n) < transaction.checkpoint!);
    }
    assert.equal(frames.at(-1)!.watermark!.checkpoint, picked.checkpoint);
  },
  'refuses a range that ends before it starts': ({ client }) =>
    refusedField(
      'end_checkpoint',
      collect(client.ledgerService.listTransactions({ startCheckpoint: 2n, endCheckpoint: 1n })),
    ),
  'refuses an unknown ordering': ({ client }) =>
    refusedField(
      'options.ordering',
      collect(client.ledgerService.listTransactions({ options: { ordering: 7 as GrpcTypes.Ordering } })),
    ),
  'refuses a cursor that it did not make': ({ client }) =>
    refused(
      'INVALID_ARGUMENT',
      collect(
        client.ledgerService.listTransactions({
          options: { after: Uint8Array.from([1, 2, 3]), ordering: Ordering.ASCENDING },
        }),
      ),
    ),
  'refuses a field that does not exist': ({ client }) =>
    refusedField(
      'read_mask',
      collect(client.ledgerService.listTransactions({ readMask: { paths: ['nope'] } })),
    ),
});

const events = casesOf('ListEvents', {
  async 'brings events with their places and without a time'(subject) {
    const { client, picked } = subject;
    const event = required(picked.event, 'no event was found');
    const frames = await collect(
      client.ledgerService.listEvents({
        startCheckpoint: picked.checkpoint,
        endCheckpoint: picked.checkpoint + 1n,
        filter: { terms: [eventTerm(byType(event.type))] },
        readMask: { paths: ['*'] },
      }),
    );
    const own = frames.flatMap((frame) =>
      frame.event?.transactionDigest === picked.digest ? [frame.event] : [],
    );
    assert.ok(own.length > 0);
    for (const each of own) {
      assert.equal(each.checkpoint, picked.checkpoint);
      assert.equal(each.eventType, event.type);
      assert.ok(each.transactionIndex !== undefined && each.eventIndex !== undefined);
      assert.ok(each.contents?.value && each.json);
    }
    assert.equal(endOf(frames), QueryEndReason.CHECKPOINT_BOUND);
  },
  async 'answers the type without a mask'({ client, picked }) {
    required(picked.event, 'no event was found');
    const frames = await collect(client.ledgerService.listEvents({ startCheckpoint: picked.checkpoint }));
    assert.deepEqual(fieldsOf(frames.find(({ event }) => event)!.event), ['eventType']);
  },
  async 'finds by the address, the module and the bare name of a type, by sender and by emitter'({
    client,
    picked,
  }) {
    const event = required(picked.event, 'no event was found');
    const [address, module, name] = event.type.split('<')[0]!.split('::');
    const predicates: EventPredicate[] = [
      byType(address!),
      byType(`${address}::${module}`),
      byType(`${address}::${module}::${name}`),
      bySender(picked.sender),
      byModule(event.packageId),
      byModule(`${event.packageId}::${event.module}`),
    ];
    for (const predicate of predicates) {
      const frames = await collect(
        client.ledgerService.listEvents({
          startCheckpoint: picked.checkpoint,
          endCheckpoint: picked.checkpoint + 1n,
          filter: { terms: [eventTerm(predicate)] },
          readMask: { paths: ['transaction_digest'] },
          options: { limit: 1000, ordering: Ordering.ASCENDING },
        }),
      );
      const digests = frames.map((frame) => frame.event?.transactionDigest);
      assert.ok(digests.includes(picked.digest), JSON.stringify(predicate));
    }
  },
  'refuses a type that is none': ({ client }) =>
    refused(
      'INVALID_ARGUMENT',
      collect(client.ledgerService.listEvents({ filter: { terms: [eventTerm(byType('0x2::a::B<'))] } })),
    ),
});

export const listCases = [...checkpoints, ...transactions, ...events];
