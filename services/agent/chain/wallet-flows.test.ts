import { describe, expect, test } from 'vitest';
import { type WalletEventName, type WalletEvents, walletEvents } from '../../../lib/chain/events/wallet.ts';
import { findExcess, readWalletFlows } from './wallet-flows.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;

const [first, later, walletId, another] = [id('a'), id('b'), id('1'), id('2')];
const SUI = `${id('2')}::sui::SUI`;

const told = <Name extends WalletEventName>(name: Name, fields: WalletEvents[Name], packageId = first) => ({
  eventType: `${packageId}::${name}`,
  bcs: walletEvents.encode(name, fields),
});
const read = (...events: ReturnType<typeof told>[]) =>
  readWalletFlows(events, new Set([first, later]), walletId);
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
    expect(findExcess(bounds, flows([[A, 10n]], [[B, 5n]]))).toBeUndefined();
    expect(findExcess(bounds, flows([[C, 4n]], [[B, 9n]]))).toBeUndefined();
  });

  test.each([
    ['more of a coin', flows([[A, 11n]], [[B, 5n]]), /takes 1 more of 0xa/],
    ['a coin that was not asked for', flows([[B, 1n]], [[B, 5n]]), /takes 1 more of 0xb/],
    ['less in return', flows([[A, 10n]], [[B, 4n]]), /brings less than 5/],
    ['nothing in return', flows([[A, 10n]]), /brings less than 5/],
    ['another owner', flows([[A, 10n]], [[B, 5n]], [], ['wallet::OwnerChanged']), /who may take what/],
    ['another wallet', flows([], [[B, 5n]], ['0x7']), /touches the wallet 0x7/],
  ])('%s is beyond them', (_what, seen, reason) => {
    expect(findExcess(bounds, seen)).toMatch(reason);
  });
});
