import assert from 'node:assert/strict';
import { bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import { TransactionDataBuilder } from '@mysten/sui/transactions';
import { normalizeSuiAddress } from '@mysten/sui/utils';
import { casesOf, NotApplicable, type Subject } from '../case.ts';
import {
  digestOf,
  fieldsOf,
  isDigest,
  isId,
  missingDigest,
  missingId,
  refused,
  refusedField,
} from '../expect.ts';

const clock = normalizeSuiAddress('0x6');
const all = { paths: ['*'] };

const object = async ({ client }: Subject, request: Partial<GrpcTypes.GetObjectRequest>) =>
  (await client.ledgerService.getObject(request)).response.object!;
const transaction = async ({ client, picked: { digest } }: Subject, paths?: string[]) => {
  const { response } = await client.ledgerService.getTransaction({
    digest,
    ...(paths && { readMask: { paths } }),
  });
  return response.transaction!;
};
const bySequence = (sequenceNumber: bigint) => ({ oneofKind: 'sequenceNumber', sequenceNumber }) as const;
const checkpoint = async ({ client }: Subject, sequence: bigint, paths?: string[]) => {
  const { response } = await client.ledgerService.getCheckpoint({
    checkpointId: bySequence(sequence),
    ...(paths && { readMask: { paths } }),
  });
  return response.checkpoint!;
};

const info = casesOf('GetServiceInfo', {
  async 'names the chain by a digest, and says what it serves'({ client }) {
    const { response } = await client.ledgerService.getServiceInfo({});
    isDigest(response.chainId);
    assert.ok(response.server && response.chain !== undefined);
    assert.ok(response.epoch !== undefined && response.timestamp);
    assert.ok(response.lowestAvailableCheckpoint! <= response.checkpointHeight!);
    assert.ok(response.lowestAvailableCheckpointObjects! <= response.checkpointHeight!);
  },
  async 'says the same in headers'({ client }) {
    const call = client.ledgerService.getServiceInfo({});
    const headers = await call.headers;
    const { response } = await call;
    assert.equal(headers['x-sui-chain-id'], response.chainId);
    assert.equal(headers['x-sui-chain'], response.chain);
    assert.equal(headers['x-sui-epoch'], String(response.epoch));
    const lowest = headers['x-sui-lowest-available-checkpoint'];
    assert.ok(BigInt(String(lowest)) <= response.lowestAvailableCheckpoint!);
    const height = BigInt(String(headers['x-sui-checkpoint-height']));
    assert.ok(height - response.checkpointHeight! <= 1n && response.checkpointHeight! - height <= 1n);
    assert.ok(Number(headers['x-sui-timestamp-ms']) > 0);
    assert.ok(Date.parse(String(headers['x-sui-timestamp'])) > 0);
  },
  async 'brings its headers with a refusal too'({ client, picked }) {
    const call = client.ledgerService.getObject({ objectId: missingId });
    await refused('NOT_FOUND', call);
    const headers = await call.headers.catch(() => undefined);
    if (!headers) throw new NotApplicable('this transport keeps no headers of a refusal');
    assert.equal(headers['x-sui-chain-id'], picked.chainId);
  },
});

const objects = casesOf('GetObject', {
  async 'answers id, version and digest without a mask'(subject) {
    const found = await object(subject, { objectId: clock });
    assert.deepEqual(fieldsOf(found), ['digest', 'objectId', 'version']);
    assert.equal(found.objectId, clock);
    isDigest(found.digest);
  },
  async 'answers everything for *'(subject) {
    const found = await object(subject, { objectId: clock, readMask: all });
    const expected = [
      'bcs',
      'contents',
      'json',
      'objectType',
      'owner',
      'previousTransaction',
      'storageRebate',
    ];
    assert.deepEqual(
      expected.filter((field) => !fieldsOf(found).includes(field)),
      [],
    );
    assert.equal(found.objectType, `${normalizeSuiAddress('0x2')}::clock::Clock`);
    assert.equal(found.owner!.kind, GrpcTypes.Owner_OwnerKind.SHARED);
    assert.ok(found.owner!.version! >= 1n);
  },
  async 'leaves out what a nested mask does not name'(subject) {
    const found = await object(subject, { objectId: clock, readMask: { paths: ['owner.kind'] } });
    assert.deepEqual(fieldsOf(found), ['owner']);
    assert.deepEqual(fieldsOf(found.owner), ['kind']);
  },
  async 'takes short ids'(subject) {
    assert.equal((await object(subject, { objectId: '0x6' })).objectId, clock);
  },
  async 'answers the version that was asked for'(subject) {
    const { version } = await object(subject, { objectId: '0x2' });
    assert.equal((await object(subject, { objectId: '0x2', version: version! })).version, version);
  },
  async 'has BCS whose hash is the digest, and which the SDK parses'(subject) {
    const found = await object(subject, {
      objectId: clock,
      readMask: { paths: ['bcs', 'digest', 'contents'] },
    });
    assert.equal(digestOf('Object', found.bcs!.value!), found.digest);
    const parsed = bcs.Object.parse(Uint8Array.from(found.bcs!.value!));
    assert.deepEqual(Buffer.from(parsed.data.Move!.contents), Buffer.from(found.contents!.value!));
  },
  async 'renders the same value as JSON and as BCS'(subject) {
    const found = await object(subject, { objectId: clock, readMask: { paths: ['json', 'contents'] } });
    const timestamp = Buffer.from(found.contents!.value!).readBigUInt64LE(32);
    const fields = found.json!.kind.oneofKind === 'structValue' && found.json!.kind.structValue.fields;
    assert.ok(fields);
    assert.deepEqual(fields.timestamp_ms?.kind, { oneofKind: 'stringValue', stringValue: String(timestamp) });
    assert.deepEqual(fields.id?.kind, { oneofKind: 'stringValue', stringValue: clock });
  },
  async 'knows packages'(subject) {
    const paths = ['object_type', 'owner', 'package.modules.name'];
    const found = await object(subject, { objectId: '0x2', readMask: { paths } });
    assert.equal(found.objectType, 'package');
    assert.equal(found.owner!.kind, GrpcTypes.Owner_OwnerKind.IMMUTABLE);
    assert.ok(found.package!.modules.some(({ name }) => name === 'coin'));
    assert.ok(found.package!.modules.every(({ contents }) => contents === undefined));
  },
  'refuses a field that does not exist': ({ client }) =>
    refusedField(
      'read_mask',
      client.ledgerService.getObject({ objectId: clock, readMask: { paths: ['nope'] } }),
    ),
  'refuses a path into a field that has none': ({ client }) =>
    refusedField(
      'read_mask',
      client.ledgerService.getObject({ objectId: clock, readMask: { paths: ['version.nope'] } }),
    ),
  'has no object of an unused id': ({ client }) =>
    refused('NOT_FOUND', client.ledgerService.getObject({ objectId: missingId })),
  'has no version that never was': ({ client }) =>
    refused('NOT_FOUND', client.ledgerService.getObject({ objectId: '0x2', version: 2n ** 40n })),
  'refuses what is not an id': ({ client }) =>
    refusedField('object_id', client.ledgerService.getObject({ objectId: '0xzz' })),
  'refuses no id': ({ client }) => refusedField('object_id', client.ledgerService.getObject({})),
});

const batches = casesOf('BatchGetObjects, BatchGetTransactions', {
  async 'keep the order, and tell what is missing beside what is there'({ client }) {
    const { response } = await client.ledgerService.batchGetObjects({
      requests: [{ objectId: '0x2' }, { objectId: missingId }, { objectId: '0x6' }],
    });
    assert.deepEqual(
      response.objects.map(({ result }) => result.oneofKind),
      ['object', 'error', 'object'],
    );
    const [first, second, third] = response.objects.map(({ result }) => result);
    assert.ok(
      first?.oneofKind === 'object' && third?.oneofKind === 'object' && second?.oneofKind === 'error',
    );
    assert.equal(first.object.objectId, normalizeSuiAddress('0x2'));
    assert.equal(third.object.objectId, clock);
    assert.equal(second.error.code, 5);
  },
  async 'answer nothing for nothing'({ client }) {
    const { response } = await client.ledgerService.batchGetObjects({ requests: [] });
    assert.deepEqual(response.objects, []);
  },
  'refuse a mask for all': ({ client }) =>
    refusedField(
      'read_mask',
      client.ledgerService.batchGetObjects({
        requests: [{ objectId: '0x2' }],
        readMask: { paths: ['nope'] },
      }),
    ),
  'refuse more than a thousand': ({ client }) =>
    refused(
      'INVALID_ARGUMENT',
      client.ledgerService.batchGetObjects({
        requests: Array.from({ length: 1_001 }, () => ({ objectId: '0x2' })),
      }),
    ),
  async 'of transactions do the same'({ client, picked: { digest } }) {
    const { response } = await client.ledgerService.batchGetTransactions({
      digests: [missingDigest, digest],
    });
    const [missing, found] = response.transactions.map(({ result }) => result);
    assert.equal(missing?.oneofKind, 'error');
    assert.ok(found?.oneofKind === 'transaction');
    assert.deepEqual(fieldsOf(found.transaction), ['digest']);
  },
});

const transactions = casesOf('GetTransaction', {
  async 'answers the digest without a mask'(subject) {
    assert.deepEqual(fieldsOf(await transaction(subject)), ['digest']);
  },
  async 'answers everything for *'(subject) {
    const found = await transaction(subject, ['*']);
    const expected = ['checkpoint', 'digest', 'effects', 'signatures', 'timestamp', 'transaction'];
    assert.deepEqual(
      expected.filter((field) => !fieldsOf(found).includes(field)),
      [],
    );
    assert.equal(found.checkpoint, subject.picked.checkpoint);
    assert.equal(found.transaction!.sender, subject.picked.sender);
  },
  async 'has BCS whose hash is the digest'(subject) {
    const found = await transaction(subject, ['transaction.bcs', 'transaction.digest']);
    const bytes = Uint8Array.from(found.transaction!.bcs!.value!);
    assert.equal(TransactionDataBuilder.getDigestFromBytes(bytes), subject.picked.digest);
    assert.equal(bcs.TransactionData.parse(bytes).V1!.sender, subject.picked.sender);
  },
  async 'has effects whose BCS the SDK parses, and whose hash is their digest'(subject) {
    const { effects } = await transaction(subject, ['effects']);
    assert.equal(digestOf('TransactionEffects', effects!.bcs!.value!), effects!.digest);
    const parsed = bcs.TransactionEffects.parse(Uint8Array.from(effects!.bcs!.value!)).V2!;
    assert.equal(parsed.transactionDigest, subject.picked.digest);
    assert.equal(BigInt(parsed.lamportVersion), effects!.lamportVersion);
    assert.equal(parsed.changedObjects.length, effects!.changedObjects.length);
    assert.equal(effects!.status!.success, true);
  },
  async 'has effects that name each object with its versions'(subject) {
    const { effects } = await transaction(subject, ['effects.changed_objects', 'effects.lamport_version']);
    for (const changed of effects!.changedObjects) {
      isId(changed.objectId);
      assert.ok(changed.objectType);
      const { OBJECT_WRITE } = GrpcTypes.ChangedObject_OutputObjectState;
      if (changed.outputState !== OBJECT_WRITE) continue;
      assert.equal(changed.outputVersion, effects!.lamportVersion);
      isDigest(changed.outputDigest);
    }
  },
  async 'has a gas object that it paid with'(subject) {
    const { effects } = await transaction(subject, ['effects.gas_object', 'effects.gas_used']);
    const { computationCost, storageCost } = effects!.gasUsed!;
    assert.ok(computationCost! > 0n && storageCost! >= 0n);
    if (effects!.gasObject) assert.match(effects!.gasObject.objectType!, /::coin::Coin</);
  },
  async 'has events without a place of their own, and their BCS'(subject) {
    const { events } = await transaction(subject, ['events']);
    if (!events) throw new NotApplicable('no transaction with events was found');
    assert.equal(digestOf('TransactionEvents', events.bcs!.value!), events.digest);
    for (const event of events.events) {
      assert.equal(event.checkpoint, undefined);
      assert.ok(event.eventType && event.packageId && event.module && event.sender);
      assert.equal(event.contents!.name, event.eventType);
    }
  },
  async 'has signatures that verify'(subject) {
    const found = await transaction(subject, ['signatures', 'transaction.bcs']);
    assert.ok(found.signatures.length >= 1);
    for (const signature of found.signatures) {
      assert.equal(signature.bcs!.name, 'UserSignatureBytes');
      assert.ok(signature.bcs!.value!.length >= 97);
    }
  },
  async 'has the time of its checkpoint'(subject) {
    const found = await transaction(subject, ['timestamp']);
    const { summary } = await checkpoint(subject, subject.picked.checkpoint, ['summary.timestamp']);
    assert.deepEqual(found.timestamp, summary!.timestamp);
  },
  async 'has the balance changes of its gas'(subject) {
    const { balanceChanges } = await transaction(subject, ['balance_changes']);
    assert.ok(balanceChanges.length > 0);
    for (const { address, coinType, amount } of balanceChanges) {
      isId(address);
      assert.match(coinType!, /^0x[0-9a-f]{64}::/);
      assert.notEqual(BigInt(amount!), 0n);
    }
  },
  'has no transaction of an unused digest': ({ client }) =>
    refused('NOT_FOUND', client.ledgerService.getTransaction({ digest: missingDigest })),
  'refuses what is not a digest': ({ client }) =>
    refusedField('digest', client.ledgerService.getTransaction({ digest: 'not0a0digest' })),
  'refuses no digest': ({ client }) => refusedField('digest', client.ledgerService.getTransaction({})),
  'refuses a field that does not exist': ({ client, picked: { digest } }) =>
    refusedField(
      'read_mask',
      client.ledgerService.getTransaction({ digest, readMask: { paths: ['effects.nope'] } }),
    ),
});

const checkpoints = casesOf('GetCheckpoint', {
  async 'answers number and digest of the newest without an id and a mask'({ client }) {
    const { response } = await client.ledgerService.getCheckpoint({ checkpointId: { oneofKind: undefined } });
    assert.deepEqual(fieldsOf(response.checkpoint), ['digest', 'sequenceNumber']);
    const { response: later } = await client.ledgerService.getServiceInfo({});
    assert.ok(later.checkpointHeight! >= response.checkpoint!.sequenceNumber!);
  },
  async 'has the objects of its transactions once, beside the transactions'({ client, picked }) {
    const { response } = await client.ledgerService.getCheckpoint({
      checkpointId: { oneofKind: 'sequenceNumber', sequenceNumber: picked.checkpoint },
      readMask: { paths: ['*'] },
    });
    const { transactions, objects } = response.checkpoint!;
    assert.ok(objects!.objects.length > 0);
    assert.ok(transactions.every((transaction) => transaction.objects === undefined));
  },
  async 'finds the same by number and by digest'(subject) {
    const found = await checkpoint(subject, subject.picked.checkpoint);
    const { response } = await subject.client.ledgerService.getCheckpoint({
      checkpointId: { oneofKind: 'digest', digest: found.digest! },
    });
    assert.deepEqual(response.checkpoint, found);
  },
  async 'is linked to the one before'(subject) {
    const { checkpoint: sequence } = subject.picked;
    const { summary } = await checkpoint(subject, sequence, ['summary']);
    const before = await checkpoint(subject, sequence - 1n, ['digest', 'summary']);
    assert.equal(summary!.previousDigest, before.digest);
    assert.ok(summary!.totalNetworkTransactions! >= before.summary!.totalNetworkTransactions!);
  },
  async 'has BCS of summary and contents whose hashes are their digests'(subject) {
    const found = await checkpoint(subject, subject.picked.checkpoint, ['digest', 'summary', 'contents']);
    assert.equal(digestOf('CheckpointSummary', found.summary!.bcs!.value!), found.digest);
    assert.equal(digestOf('CheckpointContents', found.contents!.bcs!.value!), found.contents!.digest);
    assert.equal(found.summary!.contentDigest, found.contents!.digest);
  },
  async 'lists the same transactions in contents and in full'(subject) {
    const paths = ['contents', 'transactions.digest', 'transactions.effects.digest'];
    const found = await checkpoint(subject, subject.picked.checkpoint, paths);
    assert.deepEqual(
      found.contents!.transactions.map((each) => [each.transaction, each.effects]),
      found.transactions.map(({ digest, effects }) => [digest, effects!.digest]),
    );
    assert.ok(found.transactions.some(({ digest }) => digest === subject.picked.digest));
  },
  async 'has the objects that its transactions touched'(subject) {
    const paths = ['objects.objects.object_id', 'objects.objects.version'];
    const found = await checkpoint(subject, subject.picked.checkpoint, paths);
    const ids = found.objects!.objects.map(({ objectId }) => objectId);
    assert.ok(ids.includes(subject.picked.objectId));
    assert.deepEqual(fieldsOf(found.objects!.objects[0]), ['objectId', 'version']);
  },
  'has no checkpoint that is still to come': ({ client }) =>
    refused('NOT_FOUND', client.ledgerService.getCheckpoint({ checkpointId: bySequence(2n ** 50n) })),
  'has no checkpoint of an unused digest': ({ client }) =>
    refused(
      'NOT_FOUND',
      client.ledgerService.getCheckpoint({ checkpointId: { oneofKind: 'digest', digest: missingDigest } }),
    ),
  'refuses what is not a digest': ({ client }) =>
    refusedField(
      'digest',
      client.ledgerService.getCheckpoint({ checkpointId: { oneofKind: 'digest', digest: 'not0a0digest' } }),
    ),
});

const epochs = casesOf('GetEpoch', {
  async 'answers the number alone without a mask'({ client }) {
    const { response } = await client.ledgerService.getEpoch({});
    assert.deepEqual(fieldsOf(response.epoch), ['epoch']);
  },
  async 'has a gas price, a start and the protocol'({ client }) {
    const paths = ['reference_gas_price', 'start', 'protocol_config', 'first_checkpoint'];
    const { response } = await client.ledgerService.getEpoch({ readMask: { paths } });
    const { referenceGasPrice, start, protocolConfig } = response.epoch!;
    assert.ok(referenceGasPrice! > 0n && start && protocolConfig!.protocolVersion! > 0n);
    assert.ok(Number(protocolConfig!.attributes.max_tx_size_bytes) > 0);
  },
  async 'has validators, each with what is staked with it, and all of the voting power'({ client }) {
    const paths = ['system_state.version', 'system_state.validators', 'system_state.parameters'];
    const { response } = await client.ledgerService.getEpoch({ readMask: { paths } });
    const { version, validators, parameters } = response.epoch!.systemState!;
    assert.ok(version! >= 2n && parameters!.epochDurationMs! > 0n);
    const { activeValidators, totalStake } = validators!;
    const sum = (of: (each: (typeof activeValidators)[number]) => bigint) =>
      activeValidators.reduce((total, each) => total + of(each), 0n);
    assert.equal(
      sum((each) => each.votingPower!),
      10_000n,
    );
    assert.equal(
      sum((each) => each.stakingPool!.suiBalance!),
      totalStake,
    );
  },
  'has no epoch that is still to come': ({ client }) =>
    refused('NOT_FOUND', client.ledgerService.getEpoch({ epoch: 2n ** 40n })),
  'refuses a field that does not exist': ({ client }) =>
    refusedField('read_mask', client.ledgerService.getEpoch({ readMask: { paths: ['nope'] } })),
});

export const ledgerCases = [...info, ...objects, ...batches, ...transactions, ...checkpoints, ...epochs];
