import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { useTestDatabase } from '../../test/support/database.ts';
import { address } from '../../test/support/read-model.ts';
import { walletRows } from '../../test/support/wallet-rows.ts';
import { versionList } from './history.ts';
import { type AnyList, type KeyedList, type Paging, readPages } from './lists.ts';
import type { ListPage } from './page.ts';
import type { Queryable } from './queryable.ts';
import { walletAllowlistList } from './wallets/allowlists.ts';
import { capList } from './wallets/caps.ts';
import { bareDelegateList, delegateList, setDelegateExpiry } from './wallets/delegates.ts';
import { grantList } from './wallets/grants.ts';
import { ownedWalletList } from './wallets/wallets.ts';

// The limit on prepared combinations is that of a process. A module of its own leaves it to the other test files.
const own = './nested-lists.ts?own';
const { prepareNestedList, readPageWithNested }: typeof import('./nested-lists.ts') = await import(own);

type WalletList = KeyedList<Paging & { network: string; walletId: string }, never, unknown>;
const lists = [grantList, bareDelegateList, delegateList, capList, walletAllowlistList] as WalletList[];

const network = 'testnet';
const owner = address(0x101);
const most = '18446744073709551615';
const coin = (n: number) => `${address(n)}::c::C<${address(2)}::sui::SUI, vector<"\\">>`;

const db = useTestDatabase();
beforeAll(async () => {
  const rows = walletRows(db);
  const writer = await db.pool.connect();
  for (let n = 0; n < 7; n++) {
    const walletId = await rows.wallet(owner, { createdAt: new Date(n) });
    for (let item = 0; item < n; item++) {
      await rows.grant(walletId, coin(item), coin(n), item === 1 ? most : `${n}`);
      const delegate = address(0xd0 + item);
      await rows.delegate(walletId, delegate, item < 3 ? { addedAt: new Date(77) } : {});
      // JSON has no times; some lie beyond the years that JavaScript reads in the form of JSON.
      const expiresAtMs = item % 3 === 0 ? null : item % 3 === 1 ? 253_402_300_800_123 : 1_234_567;
      await setDelegateExpiry(writer, network, [{ walletId, delegate, expiresAtMs }]);
      await rows.allowance(walletId, delegate, 'coin', coin(item), most);
      const scoped = { kind: 'scoped' as const, coin: coin(1), budget: most, remaining: '9007199254740993' };
      await rows.cap(walletId, item % 2 === 0 ? { revokedAt: new Date(item) } : { ...scoped, depth: item });
      await rows.allowlist(walletId, [], item % 2 === 0 ? { retiredAt: new Date(item) } : {});
    }
  }
  writer.release();
  await rows.wallet(address(0x102));
});

const shown = ({ items, cursors, hasMore }: ListPage<unknown>) => ({ items, cursors, hasMore });

async function readCursors<Key extends Paging>(list: AnyList<Key, unknown>, key: Omit<Key, keyof Paging>) {
  const [page] = await readPages(db.pool, list, [{ ...key, first: 100 } as Key]);
  return page!.cursors;
}

test('a list below a page has the items, cursors and end that it has when it is read by itself', async () => {
  const walletCursors = await readCursors(ownedWalletList, { network, owner });
  const { rows } = await db.pool.query<{ id: string }>(
    `select wallet_id as id from wallets where owner = $1 order by created_checkpoint desc limit 1`,
    [owner],
  );
  const cursors = await Promise.all(
    lists.map((list) => readCursors(list, { network, walletId: rows[0]!.id } as never)),
  );
  const buildPagingArbitrary = (known: readonly string[]) =>
    fc.record({
      first: fc.nat({ max: 8 }),
      backward: fc.boolean(),
      after: fc.option(fc.constantFrom(...known), { nil: undefined, freq: 2 }),
      before: fc.option(fc.constantFrom(...known), { nil: undefined, freq: 2 }),
    });
  const asked = fc.record({
    owner: fc.constantFrom(owner, owner, owner, address(0x102), address(0x103)),
    wallets: buildPagingArbitrary(walletCursors),
    nested: fc
      .subarray([0, 1, 2, 3, 4], { minLength: 1 })
      .chain((chosen) =>
        fc.tuple(...chosen.map((at) => buildPagingArbitrary(cursors[at]!).map((paging) => ({ at, paging })))),
      ),
  });
  await fc.assert(
    fc.asyncProperty(asked, async ({ owner, wallets, nested }) => {
      const key = { network, owner, ...wallets };
      const parts = nested.map(({ at, paging }) =>
        prepareNestedList(lists[at] as AnyList<never, unknown>, paging),
      );
      const read = await readPageWithNested(db.pool, ownedWalletList, key, parts);
      const [alone] = await readPages(db.pool, ownedWalletList, [key]);
      expect(shown(read.page)).toEqual(shown(alone!));
      expect(read.nested).toHaveLength(alone!.items.length);
      for (const [item, { walletId }] of alone!.items.entries()) {
        const pages = read.nested[item]!;
        for (const [n, { at, paging }] of nested.entries()) {
          const [page] = await readPages(db.pool, lists[at]!, [{ network, walletId, ...paging }]);
          expect(shown(pages[n]!)).toEqual(shown(page!));
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('however many combinations of lists are asked for, few are prepared on a connection', async () => {
  const names = new Set<string | undefined>();
  const seeing = {
    query(statement: { name?: string; text: string; values: unknown[] }) {
      names.add(statement.name);
      return db.pool.query(statement);
    },
  } as unknown as Queryable;
  for (let combination = 1; combination < 3 ** lists.length; combination++) {
    const parts = lists.flatMap((list, at) => {
      const digit = Math.trunc(combination / 3 ** at) % 3;
      return digit === 0
        ? []
        : [prepareNestedList(list as AnyList<never, unknown>, { first: 1, backward: digit === 2 })];
    });
    const { page } = await readPageWithNested(seeing, ownedWalletList, { network, owner, first: 2 }, parts);
    expect(page.items).toHaveLength(2);
  }
  const prepared = [...names].filter((name) => name !== undefined);
  expect(prepared.length).toBeLessThanOrEqual(64);
  for (const name of prepared) expect(name.length).toBeLessThan(64);
  expect(names).toContain(undefined);
});

test('a list whose rows JSON cannot have is refused', () => {
  expect(() => prepareNestedList(versionList as AnyList<never, unknown>, { first: 1 })).toThrow(
    'cannot be read as JSON',
  );
});
