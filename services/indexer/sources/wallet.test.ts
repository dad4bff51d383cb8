import { normalizeStructTag } from '@mysten/sui/utils';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../db/client.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import { addCoins } from '../../../db/queries/coins.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { WalletEvents } from '../../../lib/chain/events/wallet.ts';
import { openTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { address } from '../../../test/support/read-model.ts';
import type { ChainEvent, DecodedEvent } from './source.ts';
import { walletSource } from './wallet.ts';

const [walletId, owner, recipient] = [1, 2, 3].map(address) as [string, string, string];
const sui = normalizeStructTag('0x2::sui::SUI');

const toEvent = (
  data: DecodedEvent<WalletEvents>,
  eventIndex: number,
): ChainEvent<DecodedEvent<WalletEvents>> => ({
  checkpoint: 1,
  txIndex: 0,
  eventIndex,
  txDigest: 'd',
  sender: owner,
  timestampMs: 1_000 + eventIndex,
  type: '',
  name: data.name,
  contents: new Uint8Array(),
  decodeError: null,
  data,
});

const spend = (
  coin: string,
  amount: string,
  more: { into?: boolean } = { into: false },
): DecodedEvent<WalletEvents> => ({
  name: 'policy::SpendConfirmed',
  fields: { walletId, coin, amount, recipient, policyVersion: 1, ...more },
});

test('what the policy of a wallet sends in SUI is a payment of its owner, and nothing else is', async () => {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  const events = [
    { name: 'wallet::WalletCreated' as const, fields: { walletId, owner, signerAddress: address(4) } },
    spend(sui, '5'),
    spend(sui, '7'),
    spend(sui, '100', { into: true }),
    // The earlier package: it may have returned the coin.
    spend(sui, '100000', {}),
    spend(`${address(9)}::coin::COIN`, '1000'),
    {
      name: 'intent::PaymentValidated' as const,
      fields: {
        walletId,
        service: `${address(8)}::a::A`,
        mode: 0,
        payer: owner,
        recipient,
        amount: '10000',
        coin: sui,
        sender: owner,
      },
    },
  ].map(toEvent);
  await inTransaction(db.pool, (client) => walletSource.append(client, 'testnet', events));
  const { rows } = await db.pool.query('select owner, recipient, paid from owner_payments');
  expect(rows).toEqual([{ owner, recipient, paid: '12' }]);
});

test('a payment counts for the owner at its moment, in whatever batches the events come', async () => {
  const heir = address(5);
  const events = [
    { name: 'wallet::WalletCreated' as const, fields: { walletId, owner, signerAddress: address(4) } },
    spend(sui, '5'),
    { name: 'wallet::OwnerChanged' as const, fields: { walletId, owner: heir, previous: owner } },
    spend(sui, '7'),
  ].map(toEvent);
  for (const batches of [[events], [events.slice(0, 2), events.slice(2)], events.map((event) => [event])]) {
    const db = await openTestDatabase();
    onTestFinished(() => db.close());
    for (const batch of batches) {
      await inTransaction(db.pool, (client) => walletSource.append(client, 'testnet', batch));
    }
    const { rows } = await db.pool.query('select owner, paid from owner_payments order by paid');
    expect(rows).toEqual([
      { owner, paid: '5' },
      { owner: heir, paid: '7' },
    ]);
  }
});

const service = `${address(8)}::a::A`;
const delegate = address(6);
const brought: DecodedEvent<WalletEvents> = {
  name: 'wallet::CoinDeposited',
  fields: { walletId, service, coin: sui, amount: '1' },
};
const debited = (spender: string): DecodedEvent<WalletEvents> => ({
  name: 'delegate::ServiceAllowanceDebited',
  fields: { walletId, spender, service, amount: '1', remaining: '0' },
});

const grant = (coin: string): DecodedEvent<WalletEvents> => ({
  name: 'wallet::ServiceGranted',
  fields: { walletId, service, coin, allowance: '1' },
});
const coin = (n: number) => `${address(n)}::coin::COIN`;

test('a grant that is topped up stays granted since its first time, and one that was revoked begins again', async () => {
  const key = { walletId, service, coin: sui };
  const pullGranted = { name: 'wallet::ServicePullGranted' as const, fields: { ...key, cap: '1' } };
  const revoked = { name: 'wallet::ServiceCoinRevoked' as const, fields: key };
  const events = [grant(sui), pullGranted, grant(sui), revoked, grant(sui), grant(sui)].map(toEvent);
  const read = async (db: Database) =>
    (await db.pool.query('select first_granted_at as first, granted_at as last from service_grants')).rows;
  const at = (nth: number) => new Date(events[nth]!.timestampMs);
  for (const batches of [[3], [1, 1, 1]]) {
    const db = await openTestDatabase();
    onTestFinished(() => db.close());
    const left = [...events];
    const append = async (count: number) => {
      const batch = left.splice(0, count);
      await inTransaction(db.pool, (client) => walletSource.append(client, 'testnet', batch));
    };
    for (const count of batches) await append(count);
    expect(await read(db)).toEqual([{ first: at(0), last: at(2) }]);
    for (const count of batches) await append(count);
    expect(await read(db)).toEqual([{ first: at(4), last: at(5) }]);
  }
});

test('the coins that services move and that grants name are stored, for a check', async () => {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  const revoked = { walletId, service, coin: coin(24) };
  const budget = { walletId, delegate, coin: coin(23), newAmount: '1' };
  const events: DecodedEvent<WalletEvents>[] = [
    brought,
    grant(coin(21)),
    { name: 'wallet::ServicePullGranted', fields: { walletId, service, coin: coin(22), cap: '1' } },
    { name: 'delegate::CoinAllowanceChanged', fields: budget },
    { name: 'wallet::ServiceCoinRevoked', fields: revoked },
    spend(coin(25), '1'),
  ];
  await inTransaction(db.pool, (client) => walletSource.append(client, 'testnet', events.map(toEvent)));
  const { rows } = await db.pool.query('select coin_type from coins');
  expect(new Set(rows.map((row) => row.coin_type))).toEqual(new Set([sui, coin(21), coin(22), coin(23)]));
});

test('a batch waits for a coin of another transaction before it locks the catalog', async () => {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  const created = {
    name: 'wallet::WalletCreated' as const,
    fields: { walletId, owner, signerAddress: owner },
  };
  const events = [created, grant(coin(21))].map(toEvent);
  const from = { checkpoint: 1, txIndex: 0 };
  let appending: Promise<unknown> | undefined;
  await inTransaction(db.pool, async (client) => {
    await addCoins(client, 'testnet', new Set([coin(21)]));
    appending = inTransaction(db.pool, async (other) => {
      await walletSource.append(other, 'testnet', events);
      await walletSource.settle!(other, 'testnet', from);
    });
    appending.catch(() => undefined);
    await eventually(async () => {
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      expect((await db.pool.query(waiting)).rowCount).toBe(1);
    });
    await lockCatalog(client, 'testnet');
  });
  await appending;
});

test.each<[string, string, DecodedEvent<WalletEvents>[], string | null]>([
  ['the owner, also with the coins of a service', owner, [brought], 'owner'],
  ['a delegate whose budget it debits', delegate, [debited(delegate), brought], 'delegate'],
  ['a delegate, also if the coin comes first', delegate, [brought, debited(delegate), brought], 'delegate'],
  ['neither, if a service puts a coin into the wallet', address(7), [brought], null],
  ['neither, if it takes on the account of a delegate', address(7), [debited(delegate), brought], null],
])('a use is signed by %s', async (_, sender, uses, signedBy) => {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  const created = {
    name: 'wallet::WalletCreated' as const,
    fields: { walletId, owner, signerAddress: address(4) },
  };
  const events = [
    toEvent(created, 0),
    ...uses.map((use, at) => ({ ...toEvent(use, at), checkpoint: 2, txDigest: 'use', sender })),
  ];
  await inTransaction(db.pool, (client) => walletSource.append(client, 'testnet', events));
  const { rows } = await db.pool.query('select owner, signed_by from service_actions');
  expect(rows).toEqual([{ owner, signed_by: signedBy }]);
});
