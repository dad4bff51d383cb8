import type { QueryConfig } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { AuthorityBody } from '../../../lib/agent/questions.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { address, readModelBuilder, type SeededListing } from '../../../test/support/read-model.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import { listTools, openWalletTools } from './wallet-tools.ts';

const actor = address(0x777);
const sui = `${address(2)}::sui::SUI`;
const [servicesMany, opsMany] = [104, 20];

const buildOps = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    kind: 'swap',
    module: 'adaptor',
    entry: `op${at}`,
    call: { typeArgs: [], args: [{ role: 'wallet' }, { role: 'amount' }] },
  }));

let seed: ReturnType<typeof readModelBuilder>;
let rows: ReturnType<typeof walletRows>;
let walletId: string;
let listings: SeededListing[];

const db = useTestDatabase();
beforeAll(async () => {
  // Names follow from it: without chance, no two services of a test have the same first digits.
  await db.pool.query(`update installation_secret set secret = '\\x01'`);
  seed = readModelBuilder(db);
  await seed.source();
  rows = walletRows(db);
  walletId = await rows.wallet(address(0x101));
  await rows.delegate(walletId, actor);
  listings = [];
  for (let n = 0; n < servicesMany; n += 1) {
    const listing = await seed.listing({ manifest: { ops: buildOps(opsMany) } });
    listings.push(listing);
    await rows.grant(walletId, listing.serviceType, sui, '5');
    await rows.allowance(walletId, actor, 'service', listing.serviceType, '5');
  }
});

/** Counts statements by their names, and the characters of their rows. */
function countReads() {
  const statements: string[] = [];
  let characters = 0;
  const query = async (given: QueryConfig) => {
    statements.push(given.name ?? given.text);
    expect(given.text).not.toMatch(/\bmanifests\b/);
    const result = await db.pool.query(given);
    characters += JSON.stringify(result.rows).length;
    return result;
  };
  const count = (name: string) => statements.filter((one) => one === name).length;
  return { db: { query } as unknown as Queryable, count, characters: () => characters };
}

const authority = (services?: string[]): AuthorityBody => ({
  network: 'testnet',
  walletId,
  owner: address(0x101),
  paused: false,
  address: actor,
  confirmedOnly: false,
  key: services ? ({ id: 'k', services } as AuthorityBody['key']) : null,
});
const noCaps = async () => [];

describe('a list of the tools of a wallet', () => {
  test('reads no manifest, and of each op that it shows only the terms', async () => {
    const reads = countReads();
    const { ops } = await openWalletTools(reads.db).read(authority(), noCaps);
    expect(ops).toHaveLength(124);
    expect(reads.characters()).toBeLessThan(124 * 800);
  });

  test('has an op of each service before a second one of any, and says what it leaves out and how to reach it', async () => {
    const tools = await openWalletTools(db.pool).read(authority(), noCaps);
    const services = new Set(tools.ops.map(({ serviceType }) => serviceType));
    const sorted = listings.map(({ serviceType }) => serviceType).sort();
    expect([...services].sort()).toEqual(sorted.slice(0, 100));
    const [limits] = listTools(tools);
    expect(limits!.description).toContain(`leaves out ${100 * opsMany - 124} operations`);
    expect(limits!.description).toContain('those of the first 100 are read');
    expect(limits!.description).toContain('`services`');

    const last = sorted.at(-1)!;
    const narrow = await openWalletTools(db.pool).read(authority([last]), noCaps);
    expect(narrow.ops.map(({ serviceType }) => serviceType)).toEqual(Array(opsMany).fill(last));
    expect(listTools(narrow)[0]!.description).not.toContain('leaves out');
  });

  test('is read and built once for callers who come together, and not again until it changes', async () => {
    const reads = countReads();
    const tools = openWalletTools(reads.db);
    const all = await Promise.all(Array.from({ length: 32 }, () => tools.read(authority(), noCaps)));
    expect(new Set(all.map(({ ops }) => ops)).size).toBe(1);
    expect(reads.count('find-op-tools')).toBeLessThanOrEqual(2);
    expect(reads.count('read-op-terms')).toBe(1);
    await tools.read(authority(), noCaps);
    expect(reads.count('read-op-terms')).toBe(1);

    await setMisfits(listings[0]!, [0]);
    const names = (await tools.read(authority(), noCaps)).ops.map(({ tool }) => tool.name);
    expect(reads.count('read-op-terms')).toBe(2);
    expect(names).not.toEqual(all[0]!.ops.map(({ tool }) => tool.name));
    await setMisfits(listings[0]!, []);
  });

  test('has the same names at every gateway of a database and after a restart, and others at another wallet', async () => {
    const other = await rows.wallet(address(0x102));
    const { serviceType } = listings[2]!;
    await rows.delegate(other, actor);
    await rows.grant(other, serviceType, sui, '5');
    await rows.allowance(other, actor, 'service', serviceType, '5');
    const readNames = async (tools: ReturnType<typeof openWalletTools>, at = walletId) => {
      const { ops } = await tools.read({ ...authority([serviceType]), walletId: at }, noCaps);
      return ops.map(({ tool }) => tool.name);
    };
    const [one, two] = [openWalletTools(db.pool), openWalletTools(db.pool)];
    const names = await readNames(one);
    expect(await readNames(two)).toEqual(names);
    const others = await readNames(one, other);
    expect(new Set([...names, ...others]).size).toBe(2 * opsMany);
  });

  test('knows the services of a name that it does not have, among those that the caller may call now', async () => {
    const [granted, other] = [listings[3]!, listings[4]!];
    const tools = openWalletTools(db.pool);
    const { ops } = await tools.read(authority([granted.serviceType]), noCaps);
    const name = ops[0]!.tool.name;
    const find = (given: string, services?: string[]) => tools.findServices(authority(services), given);
    const stale = `${name.slice(0, 7)}00000000`;
    for (const one of [name, stale]) {
      expect(await find(one, [granted.serviceType])).toEqual([granted.serviceType]);
    }
    expect(await find(stale)).toContain(granted.serviceType);
    expect(await find(stale, [other.serviceType])).toEqual([]);
    for (const foreign of ['spend', `${name}0`, name.slice(0, 7), name.toUpperCase()]) {
      expect(await find(foreign, [granted.serviceType])).toEqual([]);
    }
    const pause = (paused: boolean) =>
      db.pool.query('update wallets set paused = $2 where wallet_id = $1', [walletId, paused]);
    await pause(true);
    expect(await find(stale)).toEqual([]);
    await pause(false);
  });

  test('is identified for a listener without its terms, and differently after a change', async () => {
    const reads = countReads();
    const tools = openWalletTools(reads.db);
    const before = await tools.identify(authority(), noCaps);
    expect(await tools.identify(authority(), noCaps)).toBe(before);
    await setMisfits(listings[0]!, [0]);
    expect(await tools.identify(authority(), noCaps)).not.toBe(before);
    await setMisfits(listings[0]!, []);
    expect(await tools.identify(authority(), noCaps)).toBe(before);
    expect(reads.count('read-op-terms')).toBe(0);
  });

  test('has no op whose call does not fit the package', async () => {
    const { serviceType } = listings[1]!;
    const read = async () => (await openWalletTools(db.pool).read(authority([serviceType]), noCaps)).ops;
    await setMisfits(listings[1]!, [0, 3]);
    const ops = (await read()).map(({ terms }) => terms.op);
    expect(ops).toHaveLength(opsMany - 2);
    expect(ops).not.toContain('adaptor::op0');
    expect(ops).not.toContain('adaptor::op3');
    await setMisfits(listings[1]!, []);
    expect(await read()).toHaveLength(opsMany);
  });

  test('has no op of an adaptor that the operator has not confirmed, if the actor needs that', async () => {
    const { ops } = await openWalletTools(db.pool).read({ ...authority(), confirmedOnly: true }, noCaps);
    expect(ops).toEqual([]);
  });
});

/** Stores misfits of the listing's manifest, as its check does. */
async function setMisfits({ network, serviceType, publisher }: SeededListing, at: readonly number[]) {
  await inTransaction(db.pool, async (client) => {
    await client.query(
      `update listings l set op_misfits = (
        select coalesce(jsonb_agg(jsonb_build_object('index', at, 'manifestHash', l.manifest_hash,
          'code', 'function_mismatch', 'detail', '')), '[]') from unnest($3::int[]) at)
        where service_type = $1 and publisher = $2`,
      [serviceType, publisher, at],
    );
    await refreshEntries(client, await lockCatalog(client, network), [{ serviceType, publisher }]);
  });
}
