import { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeStructTag } from '@mysten/sui/utils';
import { beforeEach, describe, expect, test } from 'vitest';
import { refreshListings } from '../../../db/queries/catalog/listings.ts';
import { type CheckQueue, readCurrentChecks } from '../../../db/queries/checks.ts';
import { lockManifests } from '../../../db/queries/manifests.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { settingsFor } from '../../../test/support/frames/packages.ts';
import { address, readModelBuilder, type SeededListing } from '../../../test/support/read-model.ts';
import { type Checked, compareOps, storeChecked } from './store-checked.ts';

const settings = settingsFor('http://127.0.0.1:1');
let seed: ReturnType<typeof readModelBuilder>;
const db = useTestDatabase();
beforeEach(async () => {
  await db.pool.query(
    'truncate listings, listing_versions, manifests, manifest_fetches, events, catalog_entries, catalog_state, certified_packages',
  );
  seed = readModelBuilder(db);
});

const op = {
  kind: 'pay',
  module: 'adaptor',
  entry: 'pay',
  call: { typeArgs: [], args: [{ role: 'amount' }] },
};
const manifest = { ops: [op] };

/** Returns the chain's answer: a package without the function that the op calls. `onRead` is called when it is compared. */
function answer({ serviceType: type, publisher }: SeededListing, onRead: () => void = () => {}): Checked {
  const pkg = GrpcTypes.Package.create({ modules: [{ name: 'adaptor' }] });
  const { modules } = pkg;
  Object.defineProperty(pkg, 'modules', {
    get() {
      onRead();
      return modules;
    },
  });
  return {
    table: 'listings',
    listing: { type, publisher, packageId: type.split('::')[0]!, attempts: 1 },
    witness: { check: { status: 'valid' }, warnings: [], pkg },
    publisher: { status: 'verified' },
    called: new Map(),
    fixed: { types: new Map(), isComplete: true },
  };
}

const misfit = expect.objectContaining({ code: 'function_mismatch', index: 0 });

test('the ops of a manifest that many listings name are compared once', async () => {
  const serviceType = `${address(1)}::adaptor::Witness`;
  const listings: SeededListing[] = [];
  for (let n = 0; n < 10; n++)
    listings.push(await seed.listing({ serviceType, manifest: { ...manifest, name: 'One' } }));
  const compared = new Set<number>();
  const found = await compareOps(
    db.pool,
    'testnet',
    listings.map((listing, n) => answer(listing, () => compared.add(n))),
  );
  expect([...found.values()].map(({ misfits }) => misfits)).toEqual(listings.map(() => [misfit]));
  expect(compared.size).toBe(1);
});

test('the ops of a manifest that does not belong to the listing are not compared', async () => {
  const listing = await seed.listing({ manifest, row: { manifestError: 'It is of another package.' } });
  let isCompared = false;
  const found = await compareOps(db.pool, 'testnet', [
    answer(listing, () => {
      isCompared = true;
    }),
  ]);
  expect([found.size, isCompared]).toEqual([0, false]);
});

test('other work comes between the comparisons of two listings', async () => {
  const order: string[] = [];
  const checked: Checked[] = [];
  for (const name of ['first', 'second']) {
    const listing = await seed.listing({ manifest: { ...manifest, name } });
    checked.push(
      answer(listing, () => {
        if (!order.includes(name)) setImmediate(() => order.push(`after ${name}`));
        if (!order.includes(name)) order.push(name);
      }),
    );
  }
  await compareOps(db.pool, 'testnet', checked);
  expect(order.slice(0, 3)).toEqual(['first', 'after first', 'second']);
});

test('the types of the objects that an op fixes settle its coins, and a conflict between them is a misfit', async () => {
  const { TYPE_PARAMETER, DATATYPE, U64 } = GrpcTypes.OpenSignatureBody_Type;
  const venue = address(7);
  const parameter = (typeParameter: number) => ({
    type: TYPE_PARAMETER,
    typeParameter,
    typeParameterInstantiation: [],
  });
  const vault = {
    reference: GrpcTypes.OpenSignature_Reference.MUTABLE,
    body: {
      type: DATATYPE,
      typeName: `${venue}::vault::Vault`,
      typeParameterInstantiation: [parameter(0), parameter(1)],
    },
  };
  const amount = { body: { type: U64, typeParameterInstantiation: [] } };
  const swap = GrpcTypes.FunctionDescriptor.create({
    name: 'swap',
    visibility: GrpcTypes.FunctionDescriptor_Visibility.PUBLIC,
    typeParameters: [{ constraints: [] }, { constraints: [] }],
    parameters: [vault, vault, amount],
  });
  const pkg = GrpcTypes.Package.create({ modules: [{ name: 'adaptor', functions: [swap] }] });
  const [one, same, other] = [address(11), address(12), address(13)];
  const [sui, share] = ['0x2::sui::SUI', '0x7::share::SHARE'].map(normalizeStructTag) as [string, string];
  const types = new Map([
    [one, `${venue}::vault::Vault<${sui}, ${share}>`],
    [same, `${venue}::vault::Vault<${sui}, ${share}>`],
    [other, `${venue}::vault::Vault<${share}, ${sui}>`],
  ]);
  const step = (typeArgs: string[], ids: string[]) => ({
    module: 'adaptor',
    entry: 'swap',
    typeArgs,
    args: [...ids.map((objectId) => ({ role: 'object', objectId })), { role: 'amount' }],
  });
  const both = ['coinIn', 'coinOut'];
  const swapOp = { kind: 'swap', module: 'adaptor', entry: 'swap' };
  const ops = [
    { ...swapOp, call: step(both, [one, same]) },
    { ...swapOp, call: step(both.toReversed(), [one, address(14)]) },
    { ...swapOp, calls: [step(both, [one, one]), step(both, [other, other])] },
    { ...swapOp, call: step(both, [address(14), address(15)]) },
  ];
  const listing = await seed.listing({ manifest: { ops } });
  const checked: Checked = { ...answer(listing), fixed: { types, isComplete: false } };
  checked.witness.pkg = pkg;
  const found = await compareOps(db.pool, 'testnet', [checked]);
  checked.readFor = [...found.values()][0]!.manifestHash;
  await inTransaction(db.pool, async (client) => {
    await lockManifests(client, 'testnet');
    await storeChecked(client, settings, [checked], found);
  });
  const { rows } = await db.pool.query(
    `select op_coins as coins, op_misfits as misfits, next_check_at is not null as "isDue", recheck_at <= now() as again
      from listings`,
  );
  expect(rows).toEqual([
    {
      coins: [
        expect.objectContaining({ index: 0, coinIn: sui, coinOut: share }),
        expect.objectContaining({ index: 1, coinIn: share, coinOut: sui }),
      ],
      misfits: [
        expect.objectContaining({ index: 2, detail: `Its objects are for ${sui} and for ${share}.` }),
      ],
      // Some objects were not shown: the node may be behind.
      isDue: true,
      again: false,
    },
  ]);
});

test('a listing whose manifest came while the chain was read is due again, for the objects of its ops', async () => {
  const objectId = address(11);
  const call = { typeArgs: [], args: [{ role: 'object', objectId }, { role: 'amount' }] };
  const listing = await seed.listing({ manifest: { ops: [{ ...op, call }] } });
  const checked = answer(listing);
  const { TYPE_PARAMETER, U64 } = GrpcTypes.OpenSignatureBody_Type;
  const [pool, amount] = [TYPE_PARAMETER, U64].map((type) => ({
    body: { type, typeParameter: 0, typeParameterInstantiation: [] },
  }));
  const pay = GrpcTypes.FunctionDescriptor.create({
    name: 'pay',
    visibility: GrpcTypes.FunctionDescriptor_Visibility.PUBLIC,
    parameters: [pool!, amount!],
  });
  checked.witness.pkg = GrpcTypes.Package.create({ modules: [{ name: 'adaptor', functions: [pay] }] });
  const store = async (readFor: string | undefined) => {
    const found = await compareOps(db.pool, 'testnet', [checked]);
    const { due } = await inTransaction(db.pool, async (client) => {
      await lockManifests(client, 'testnet');
      return await storeChecked(client, settings, [{ ...checked, readFor }], found);
    });
    return { due, hash: [...found.values()][0]!.manifestHash };
  };
  const { due, hash } = await store(undefined);
  expect([due, (await store(hash)).due]).toEqual([true, false]);
});

test('a listing whose manifest is another one than was compared is due for another check', async () => {
  const listing = await seed.listing({ manifest });
  const other = await seed.listing({ manifest: { ...manifest, name: 'Other' } });
  const checked = [answer(listing), answer(other)];
  const found = await compareOps(db.pool, 'testnet', checked);
  await db.pool.query(
    `update listings set manifest_hash = (select manifest_hash from listings where service_type = $2)
      where service_type = $1`,
    [listing.serviceType, other.serviceType],
  );
  const { due } = await inTransaction(db.pool, async (client) => {
    await lockManifests(client, 'testnet');
    return await storeChecked(client, settings, checked, found);
  });
  expect(due).toBe(true);
  const { rows } = await db.pool.query(
    'select op_misfits as misfits, recheck_at <= now() as due from listings order by registered_checkpoint',
  );
  expect(rows).toEqual([
    { misfits: [], due: true },
    { misfits: [misfit], due: false },
  ]);
});

test.each([
  [1, true],
  [2, true],
  [3, false],
])(
  'at attempt %i, a called package that the node does not show is asked for again soon: %s',
  async (attempts, isSoon) => {
    const listing = await seed.listing({ manifest });
    const { listing: check, ...rest } = answer(listing);
    const checked = { ...rest, listing: { ...check, attempts }, called: new Map([[address(9), undefined]]) };
    await inTransaction(db.pool, async (client) => {
      await lockManifests(client, 'testnet');
      return await storeChecked(client, settings, [checked], new Map());
    });
    const { rows } = await db.pool.query('select next_check_at is not null as soon from listings');
    expect(rows).toEqual([{ soon: isSoon }]);
  },
);

describe('a publisher that no longer controls the package', () => {
  const readListing = async () =>
    (await db.pool.query('select publisher_check as publisher, next_check_at as due from listings')).rows[0];
  /** Performs a due check. */
  async function check({ serviceType: type, publisher }: SeededListing, queue: CheckQueue): Promise<void> {
    const [listing] = await readCurrentChecks(db.pool, 'testnet', 'listings', queue, [{ type, publisher }]);
    const checked: Checked = {
      ...answer({ network: 'testnet', serviceType: type, publisher }),
      listing: listing!,
      publisher: { status: 'unverified' },
    };
    await inTransaction(db.pool, async (client) => {
      await lockManifests(client, 'testnet');
      await storeChecked(client, settings, [checked], new Map());
    });
  }

  test('does not stay verified by updating its listing again and again', async () => {
    const listing = await seed.listing({ manifest });
    const seen: string[] = [];
    for (let update = 1; update <= 3; update += 1) {
      await inTransaction(db.pool, (client) =>
        refreshListings(client, 'testnet', [{ ...listing, former: null }], 0),
      );
      await check(listing, 'first');
      seen.push((await readListing()).publisher);
    }
    expect(seen).toEqual(['verified', 'verified', 'unverified']);
  });

  test('is checked again at its time, however often another check comes before', async () => {
    // The third attempt comes a minute after the second.
    const due = new Date(Date.now() + 40_000);
    const listing = await seed.listing({ manifest, row: { nextCheckAt: due, checkAttempts: 2 } });
    await db.pool.query('update listings set recheck_at = now()');
    await check(listing, 'again');
    expect(await readListing()).toEqual({ publisher: 'verified', due });
  });
});

test('the package of a checked listing is due for its certificates once, and that of an invalid witness is not', async () => {
  const [valid, invalid] = [await seed.listing({ manifest }), await seed.listing({ manifest })];
  const refused: Checked = {
    ...answer(invalid),
    witness: { check: { status: 'invalid', reason: 'has fields' }, warnings: undefined },
  };
  const store = () =>
    inTransaction(db.pool, async (client) => {
      await lockManifests(client, 'testnet');
      return await storeChecked(client, settings, [answer(valid), refused], new Map());
    });
  const readDue = async () => {
    const { rows } = await db.pool.query(
      'select package_id as id, publisher, state, next_check_at is not null as due from certified_packages',
    );
    return rows;
  };
  const known = { id: valid.serviceType.split('::')[0], publisher: valid.publisher };
  await store();
  expect(await readDue()).toEqual([{ ...known, state: 'pending', due: true }]);
  await db.pool.query(`update certified_packages set state = 'computed', next_check_at = null`);
  await store();
  expect(await readDue()).toEqual([{ ...known, state: 'computed', due: false }]);
});
