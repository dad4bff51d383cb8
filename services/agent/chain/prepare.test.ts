import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type WalletEventName, type WalletEvents, walletEvents } from '../../../lib/chain/events/wallet.ts';
import { budgetFor, computeCharged, flowsBeyond, walletFlows, withBudget } from './prepare.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const [agent, stranger, coin] = [id('a'), id('b'), id('c')];
const payment = [{ coinId: coin, version: 1, digest: '1'.repeat(32), balance: 0n }];
const own = { sender: agent, payer: agent, payment };

/** Returns a transaction as a node completes it from a checked kind, and that kind. */
async function completed(change: (tx: Transaction) => void = () => undefined) {
  const tx = new Transaction();
  tx.moveCall({ target: `${id('d')}::lend::deposit` });
  const kind = Buffer.from(await tx.build({ onlyTransactionKind: true })).toString('base64');
  tx.setSender(agent);
  tx.setGasBudget(1_000_000_000);
  tx.setGasPrice(1_000);
  tx.setGasPayment([{ objectId: coin, version: 1, digest: '1'.repeat(32) }]);
  change(tx);
  return [await tx.build(), kind] as const;
}

test('what is signed is what was checked, with the leased coin, the node’s price, and our budget, for good', async () => {
  const [bytes, kind] = await completed((tx) => tx.setExpiration({ Epoch: 5 }));
  const signed = withBudget(bytes, kind, own, 5_000_000n);
  const { V1 } = bcs.TransactionData.parse(signed);
  expect(bcs.TransactionKind.serialize(V1!.kind).toBase64()).toBe(kind);
  expect(V1).toMatchObject({
    sender: agent,
    gasData: { owner: agent, budget: '5000000', price: '1000', payment: [{ objectId: coin, version: '1' }] },
    expiration: { $kind: 'None' },
  });
});

test('another address may pay, where that is who was asked to', async () => {
  const [bytes, kind] = await completed((tx) => tx.setGasOwner(stranger));
  const { gasData } = bcs.TransactionData.parse(withBudget(bytes, kind, { ...own, payer: stranger }, 1n)).V1!;
  expect(gasData.owner).toBe(stranger);
});

test.each<[string, (tx: Transaction) => void]>([
  ['another call', (tx) => void tx.moveCall({ target: `${id('d')}::lend::rob` })],
  ['another sender', (tx) => tx.setSender(stranger)],
  ['a sponsor', (tx) => tx.setGasOwner(stranger)],
  ['another coin', (tx) => tx.setGasPayment([{ objectId: id('e'), version: 1, digest: '1'.repeat(32) }])],
  [
    'another version of the coin',
    (tx) => tx.setGasPayment([{ objectId: coin, version: 2, digest: '1'.repeat(32) }]),
  ],
  [
    'a second coin',
    (tx) =>
      tx.setGasPayment([coin, id('e')].map((objectId) => ({ objectId, version: 1, digest: '1'.repeat(32) }))),
  ],
])('%s is not signed', async (_what, change) => {
  const [bytes, kind] = await completed(change);
  expect(() => withBudget(bytes, kind, own, 1n)).toThrow(
    expect.objectContaining({ code: 'unexpected_transaction' }),
  );
});

test('what no coin pays is not signed', async () => {
  const [bytes, kind] = await completed();
  const data = bcs.TransactionData.parse(bytes).V1!;
  const unpaid = { V1: { ...data, gasData: { ...data.gasData, payment: [] } } };
  const unpaidBytes = bcs.TransactionData.serialize(unpaid).toBytes();
  expect(() => withBudget(unpaidBytes, kind, own, 1n)).toThrow(
    expect.objectContaining({ code: 'unexpected_transaction' }),
  );
});

test('a budget is a quarter more than was used before the rebate, rounded up, and two million MIST', () => {
  const used = (computation: number, storage: number, rebate: number) => ({
    computationCost: String(computation),
    storageCost: String(storage),
    storageRebate: String(rebate),
  });
  expect(budgetFor(used(1_000_000, 3_000_001, 2_900_000))).toBe(7_000_002n);
  expect(budgetFor(used(0, 1, 0))).toBe(2_000_002n);
  expect(computeCharged(used(1_000_000, 3_000_000, 2_900_000))).toBe(1_100_000n);
  expect(computeCharged(used(1_000_000, 0, 2_900_000))).toBe(0n);
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 60n), fc.bigInt(0n, 2n ** 60n), (computation, storage) => {
      const gas = { computationCost: `${computation}`, storageCost: `${storage}`, storageRebate: '0' };
      const fixed = budgetFor(gas) - 2_000_000n;
      expect(
        fixed * 4n >= (computation + storage) * 5n && (fixed - 1n) * 4n < (computation + storage) * 5n,
      ).toBe(true);
    }),
  );
});

const [first, later, walletId, another] = [id('a'), id('b'), id('1'), id('2')];
const SUI = `${id('2')}::sui::SUI`;

const told = <Name extends WalletEventName>(name: Name, fields: WalletEvents[Name], packageId = first) => ({
  eventType: `${packageId}::${name}`,
  bcs: walletEvents.encode(name, fields),
});
const read = (...events: ReturnType<typeof told>[]) => walletFlows(events, new Set([first, later]), walletId);
const withdrawn = (of: string, amount: string, packageId = first) =>
  told(
    'wallet::CoinWithdrawn',
    { walletId: of, service: null, coin: SUI, amount, allowanceLeft: null },
    packageId,
  );
const deposited = (of: string, amount: string) =>
  told('wallet::CoinDeposited', { walletId: of, service: null, coin: SUI, amount });
const created = (of: string) =>
  told('wallet::WalletCreated', { walletId: of, owner: id('9'), signerAddress: of });

test('what left the wallet and came into it is summed up, by events of every version of the package', () => {
  const flows = read(
    withdrawn(walletId, '5'),
    withdrawn(walletId, '2', later),
    deposited(walletId, '3'),
    // The event of another package that has the same name.
    withdrawn(walletId, '100', id('c')),
  );
  expect(flows).toEqual({
    paid: new Map([[SUI, 7n]]),
    received: new Map([[SUI, 3n]]),
    others: [],
    rights: [],
  });
});

test('what happens to another wallet does not count as a flow of this one, and is named', () => {
  const flows = read(withdrawn(another, '5'), deposited(another, '5'));
  expect(flows).toMatchObject({ paid: new Map(), received: new Map(), others: [another, another] });
});

test('a wallet that was made in the transaction, and a burned cap, are nothing that an adaptor did to anyone', () => {
  const burned = told('cap_auth::DelegateCapBurned', { walletId: another, capId: id('7') });
  expect(read(burned, created(id('3')), deposited(id('3'), '5')).others).toEqual([]);
  // A wallet that has an event before its creation event is not new.
  expect(read(deposited(id('3'), '5'), created(id('3'))).others).toEqual([id('3')]);
});

test('a change of who may take from the wallet is named, a use of what was granted is not', () => {
  const capId = id('7');
  const minted = (parent: string | null) =>
    told('sub_delegate::ScopedCapMinted', {
      walletId,
      capId,
      coin: SUI,
      budget: '5',
      depth: 0,
      maxDepth: 1,
      parent,
      policyVersion: 1,
      recipient: null,
    });
  expect(
    read(
      told('wallet::OwnerChanged', { walletId, previous: id('8'), owner: id('9') }),
      told('delegate::Added', { walletId, delegate: id('9') }),
      minted(null),
    ).rights,
  ).toEqual(['wallet::OwnerChanged', 'delegate::Added', 'sub_delegate::ScopedCapMinted']);
  const spent = { walletId, spender: id('9'), coin: SUI, amount: '1', remaining: '2' };
  expect(read(minted(id('6')), told('delegate::CoinAllowanceDebited', spent)).rights).toEqual([]);
});

describe('bounds', () => {
  const [A, B, C] = ['0xa::a::A', '0xb::b::B', '0xc::c::C'] as const;
  const flows = (
    paid: [string, bigint][],
    received: [string, bigint][] = [],
    others: string[] = [],
    rights: string[] = [],
  ) => ({
    paid: new Map(paid),
    received: new Map(received),
    others,
    rights,
  });
  const bounds = {
    takes: [
      { coinType: A, amount: '10' },
      { coinType: C, amount: '4' },
    ],
    brings: [{ coinType: B, amount: '5' }],
  };

  test('what takes at most and brings at least what was asked for keeps to its bounds', () => {
    expect(flowsBeyond(bounds, flows([[A, 10n]], [[B, 5n]]))).toBeUndefined();
    expect(flowsBeyond(bounds, flows([[C, 4n]], [[B, 9n]]))).toBeUndefined();
  });

  test.each([
    ['more of a coin', flows([[A, 11n]], [[B, 5n]]), /takes 1 more of 0xa/],
    ['a coin that was not asked for', flows([[B, 1n]], [[B, 5n]]), /takes 1 more of 0xb/],
    ['less in return', flows([[A, 10n]], [[B, 4n]]), /brings less than 5/],
    ['nothing in return', flows([[A, 10n]]), /brings less than 5/],
    ['another owner', flows([[A, 10n]], [[B, 5n]], [], ['wallet::OwnerChanged']), /who may take what/],
    ['another wallet', flows([], [[B, 5n]], ['0x7']), /touches the wallet 0x7/],
  ])('%s is beyond them', (_what, seen, reason) => {
    expect(flowsBeyond(bounds, seen)).toMatch(reason);
  });
});
