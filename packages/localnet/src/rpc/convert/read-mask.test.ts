import { GrpcTypes } from '@mysten/sui/grpc';
import { expect, test } from 'vitest';
import { GrpcStatusCode } from '../server/status.ts';
import { ReadMask } from './read-mask.ts';

const { ExecutedTransaction } = GrpcTypes;

const transaction = ExecutedTransaction.create({
  digest: 'd',
  checkpoint: 4n,
  effects: GrpcTypes.TransactionEffects.create({
    epoch: 1n,
    status: GrpcTypes.ExecutionStatus.create({ success: true }),
    changedObjects: [GrpcTypes.ChangedObject.create({ objectId: '0x1', objectType: 'package' })],
  }),
  transaction: GrpcTypes.Transaction.create({
    sender: '0x2',
    kind: {
      data: {
        oneofKind: 'programmableTransaction',
        programmableTransaction: { inputs: [], commands: [] },
      },
    },
  }),
});

const mask = (...paths: string[]) => ReadMask.parse(ExecutedTransaction, { paths }, 'digest');

test('without a mask, the default fields come and no others', () => {
  const trimmed = ReadMask.parse(ExecutedTransaction, undefined, 'digest').apply(transaction);
  expect(trimmed).toEqual({ digest: 'd', signatures: [], balanceChanges: [] });
});

test('a star brings everything', () => {
  expect(mask('digest', '*').apply(transaction)).toEqual(transaction);
});

test('a path into a message brings that part of it alone, and a shorter one the whole', () => {
  expect(mask('effects.status').apply(transaction).effects).toMatchObject({ status: { success: true } });
  expect(mask('effects.status').apply(transaction).effects?.epoch).toBeUndefined();
  expect(mask('effects.status', 'effects').apply(transaction).effects).toEqual(transaction.effects);
});

test('a path through a list applies to each of its items', () => {
  const { effects } = mask('effects.changed_objects.object_type').apply(transaction);
  expect(effects?.changedObjects).toEqual([{ objectType: 'package' }]);
});

test('a path into a choice brings the chosen branch', () => {
  const { transaction: trimmed } = mask('transaction.kind.programmable_transaction.commands').apply(
    transaction,
  );
  expect(trimmed?.kind?.data).toEqual({
    oneofKind: 'programmableTransaction',
    programmableTransaction: { inputs: [], commands: [] },
  });
  expect(trimmed?.sender).toBeUndefined();
});

test('what was trimmed still encodes', () => {
  const trimmed = mask('effects.status', 'transaction.sender').apply(transaction);
  expect(ExecutedTransaction.fromBinary(ExecutedTransaction.toBinary(trimmed)).transaction?.sender).toBe(
    '0x2',
  );
});

test('`has` tells what is wanted at, under and above a path', () => {
  const read = mask('effects.status');
  expect(read.has('effects')).toBe(true);
  expect(read.has('effects.status.success')).toBe(true);
  expect(read.has('effects.epoch')).toBe(false);
  expect(read.has('events')).toBe(false);
});

test.each(['nothing', 'effects.nothing', 'digest.x', 'camelCase', '', 'effects.', 'events.events.json.a'])(
  'the unknown path %j is refused',
  (path) => {
    expect(() => mask(path)).toThrow(/invalid read_mask/);
  },
);

test('a mask of very many paths is refused', () => {
  expect(() => mask(...Array.from({ length: 1000 }, () => 'digest'))).toThrow(/more than/);
});

test('the display of objects is refused by name, and left out where everything is wanted', () => {
  expect(() => ReadMask.parse(GrpcTypes.Object, { paths: ['object_id', 'display'] }, '*')).toThrow(
    expect.objectContaining({
      code: GrpcStatusCode.UNIMPLEMENTED,
      message: expect.stringContaining('display'),
    }),
  );
  expect(() =>
    ReadMask.parse(GrpcTypes.ListOwnedObjectsResponse, { paths: ['objects.display.output'] }, '*'),
  ).toThrow(/display/);
  expect(ReadMask.parse(GrpcTypes.Object, undefined, '*').has('json')).toBe(true);
});
