import fc from 'fast-check';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import { confirmAdaptor } from './operator.ts';
import { confirmUpdate, readHeldUpdates } from './updates.ts';

const [network, serviceType, publisher, owner] = ['testnet', 'service', 'publisher', 'owner'];
const [walletId, otherWallet] = ['wallet', 'other'];
const confirmedAt = new Date();

const db = useTestDatabase();
beforeAll(async () => {
  const { wallet } = walletRows(db);
  for (const id of [walletId, otherWallet]) await wallet(owner, { walletId: id });
});
beforeEach(clear);

async function clear(): Promise<void> {
  await db.pool.query('truncate claim_changes, agent_updates, agent_adaptors');
}

type Kind = 'first' | 'equal' | 'wider' | 'pending';

/** Stores the kinds of the versions that the catalog showed, from version 1 on. `skipped` ones were never shown. */
async function store(kinds: readonly (Kind | 'skipped')[], of = publisher): Promise<void> {
  for (const [at, kind] of kinds.entries()) {
    if (kind === 'skipped') continue;
    const state = kind === 'first' || kind === 'pending' ? kind : 'computed';
    await db.pool.query(
      `insert into claim_changes (network, service_type, publisher, version, state, widens) values ($1, $2, $3, $4, $5, $6)`,
      [network, serviceType, of, at + 1, state, state === 'computed' ? kind === 'wider' : null],
    );
  }
}

const confirmForWallet = (wallet: string, version: number, of = publisher) =>
  confirmUpdate(db.pool, {
    network,
    walletId: wallet,
    serviceType,
    publisher: of,
    version,
    owner,
    confirmedAt,
  });
const confirmForAll = (version: number, of = publisher) =>
  confirmAdaptor(db.pool, {
    network,
    serviceType,
    publisher: of,
    version,
    packageId: 'package',
    manifestHash: 'hash',
    confirmedAt,
  });

const readHeld = async (version: number, wallet = walletId) => {
  const [held] = await readHeldUpdates(db.pool, { network, walletId: wallet }, [
    { serviceType, publisher, version },
  ]);
  return held?.version;
};

test('a listing that never changed holds no run, and neither does one that was not compared before this service knew it', async () => {
  await store(['first']);
  expect(await readHeld(1)).toBeUndefined();
  await clear();
  expect(await readHeld(7)).toBeUndefined();
});

test('an update that may do more holds runs, also after equal ones, until it is confirmed', async () => {
  await store(['first', 'wider', 'equal', 'equal']);
  expect(await readHeld(4)).toBe(2);
  await confirmForWallet(walletId, 4);
  expect(await readHeld(4)).toBeUndefined();
  // The other wallet is still held.
  expect(await readHeld(4, otherWallet)).toBe(2);
  await confirmForAll(3);
  expect(await readHeld(4, otherWallet)).toBeUndefined();
});

test('an update that is not compared yet holds runs', async () => {
  await store(['first', 'pending']);
  expect(await readHeld(2)).toBe(2);
});

test('a confirmation is for one publisher, and a later one of an earlier version takes nothing back', async () => {
  await store(['first', 'wider', 'wider']);
  await confirmForWallet(walletId, 3, 'another');
  await confirmForAll(3, 'another');
  expect(await readHeld(3)).toBe(2);
  await confirmForWallet(walletId, 3);
  await confirmForWallet(walletId, 2);
  expect(await readHeld(3)).toBeUndefined();
});

test('a confirmation ends when the wallet is sold, and its new owner confirms again', async () => {
  const sellTo = (buyer: string) =>
    db.pool.query('update wallets set owner = $2 where wallet_id = $1', [walletId, buyer]);
  onTestFinished(async () => void (await sellTo(owner)));
  await store(['first', 'wider']);
  await confirmForWallet(walletId, 2);
  await sellTo('buyer');
  expect(await readHeld(2)).toBe(2);
  const confirmation = { network, walletId, serviceType, publisher, version: 2, owner: 'buyer', confirmedAt };
  await confirmUpdate(db.pool, confirmation);
  expect(await readHeld(2)).toBeUndefined();
});

test('listings are answered in their order, each by its own updates', async () => {
  await store(['first', 'wider']);
  await store(['first', 'equal', 'pending'], 'another');
  const held = await readHeldUpdates(db.pool, { network, walletId }, [
    { serviceType, publisher: 'another', version: 3 },
    { serviceType: 'unknown', publisher, version: 1 },
    { serviceType, publisher, version: 2 },
  ]);
  expect(held.map((update) => update?.version)).toEqual([3, undefined, 2]);
  expect(await readHeldUpdates(db.pool, { network, walletId }, [])).toEqual([]);
});

test('whatever was shown and confirmed, the first unconfirmed update holds', async () => {
  const version = fc.integer({ min: 1, max: 8 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('equal', 'wider', 'pending', 'skipped' as const), { maxLength: 7 }),
      fc.array(version, { maxLength: 3 }),
      fc.option(version, { nil: undefined }),
      version,
      async (later, byOwner, byOperator, shown) => {
        await clear();
        const kinds = ['first', ...later] as const;
        await store(kinds);
        for (const one of byOwner) await confirmForWallet(walletId, one);
        if (byOperator !== undefined) await confirmForAll(byOperator);
        const confirmed = Math.max(0, ...byOwner, byOperator ?? 0);
        const expected = kinds.findIndex(
          (kind, at) => at + 1 > confirmed && at + 1 <= shown && (kind === 'wider' || kind === 'pending'),
        );
        expect(await readHeld(shown)).toBe(expected < 0 ? undefined : expected + 1);
      },
    ),
    { numRuns: 60 },
  );
});
