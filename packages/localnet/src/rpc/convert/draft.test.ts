import { bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import { Transaction } from '@mysten/sui/transactions';
import { expect, test } from 'vitest';
import { draftOf } from './draft.ts';
import { ReadMask } from './read-mask.ts';
import { transactionMessage } from './transaction.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const digest = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi';

/** One command of every kind, and an input of every kind. */
async function everything(): Promise<Uint8Array> {
  const transaction = new Transaction();
  const owned = transaction.objectRef({ objectId: id('11'), version: '3', digest });
  const receiving = transaction.receivingRef({ objectId: id('12'), version: '4', digest });
  const shared = transaction.sharedObjectRef({
    objectId: id('13'),
    initialSharedVersion: '2',
    mutable: true,
  });
  const [coin] = transaction.splitCoins(transaction.gas, [1, 2]);
  transaction.mergeCoins(owned, [coin!]);
  transaction.moveCall({
    target: `${id('b')}::m::f`,
    typeArguments: ['0x2::sui::SUI', 'vector<u8>'],
    arguments: [shared, receiving, transaction.pure.string('x')],
  });
  transaction.makeMoveVec({ type: 'u64', elements: [transaction.pure.u64(1)] });
  const cap = transaction.publish({ modules: [[1, 2, 3]], dependencies: ['0x1', '0x2'] });
  transaction.upgrade({ modules: [[4]], dependencies: ['0x1'], package: id('c'), ticket: cap });
  transaction.transferObjects([owned], id('d'));
  transaction.setSender(id('a'));
  transaction.setGasPayment([{ objectId: id('99'), version: '1', digest }]);
  transaction.setGasBudget(5);
  transaction.setGasPrice(6);
  transaction.setExpiration({ Epoch: 7 });
  return transaction.build();
}

test('a transaction reads the same as BCS and as the message that clients build from it', async () => {
  const bytes = await everything();
  const all = ReadMask.parse(GrpcTypes.Transaction, { paths: ['*'] }, '*');
  const source = { digest: 'digest', bcs: bytes, data: bcs.TransactionData.parse(bytes) };
  const { bcs: _bytes, ...withoutBytes } = transactionMessage(source, all);
  expect(draftOf({ bcs: { value: bytes } })).toMatchObject(draftOf(withoutBytes));
});

test('a transaction cut short is refused, whatever stands behind it in memory', async () => {
  const bytes = await everything();
  for (const missing of [1, 9, 40, 200]) {
    const value = bytes.subarray(0, bytes.length - missing);
    expect(() => draftOf({ bcs: { value } })).toThrow(/not BCS of TransactionData/);
  }
});

test('what a draft leaves open stays open', () => {
  const draft = draftOf({
    sender: '0xa',
    kind: {
      data: {
        oneofKind: 'programmableTransaction',
        programmableTransaction: { inputs: [{ objectId: '0x13' }], commands: [] },
      },
    },
  });
  expect(draft).toEqual({
    sender: id('a'),
    inputs: [{ kind: 'object', objectId: id('13') }],
    commands: [],
    gas: {},
  });
});

const { Input_InputKind: InputKind, TransactionExpiration_TransactionExpirationKind: ExpirationKind } =
  GrpcTypes;
const programmable = (
  programmableTransaction: Partial<GrpcTypes.ProgrammableTransaction>,
  rest: Partial<GrpcTypes.Transaction> = {},
): GrpcTypes.Transaction => ({
  sender: '0xa',
  kind: {
    data: {
      oneofKind: 'programmableTransaction',
      programmableTransaction: { inputs: [], commands: [], ...programmableTransaction },
    },
  },
  ...rest,
});

test.each<[string, GrpcTypes.Transaction | undefined, RegExp]>([
  ['nothing', undefined, /missing/],
  ['bytes that are none', { bcs: { value: new Uint8Array([9]) } }, /not BCS of TransactionData/],
  ['no kind', { sender: '0xa' }, /programmable/],
  [
    'a command without a kind',
    programmable({ commands: [{ command: { oneofKind: undefined } }] }),
    /command/,
  ],
  ['an input that is not an address', programmable({ inputs: [{ objectId: 'x' }] }), /input\.object_id/],
  ['a withdrawal of nothing', programmable({ inputs: [{ kind: InputKind.FUNDS_WITHDRAWAL }] }), /amount/],
  ['gas without an owner', programmable({}, { gasPayment: { objects: [] } }), /gas_payment\.owner/],
  [
    'gas without an id',
    programmable({}, { gasPayment: { owner: '0xa', objects: [{}] } }),
    /gas_payment\.objects/,
  ],
  ['proposers', programmable({}, { expiration: { kind: ExpirationKind.VALIDITY } }), /expiration/],
])('%s is refused', (_name, transaction, reason) => {
  expect(() => draftOf(transaction)).toThrow(reason);
});
