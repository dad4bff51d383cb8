import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { Registry } from '@prometheus-io/client';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../db/client.ts';
import { registryEvents } from '../../lib/chain/events/registry.ts';
import { rulesEvents } from '../../lib/chain/events/rules.ts';
import { openFindings } from '../../services/indexer/checks/findings.ts';
import { createListingQueues } from '../../services/indexer/checks/listings.ts';
import { createIndexerMetrics } from '../../services/indexer/reporting/metrics.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { buildChain, id, manifest } from '../support/frames/chain.ts';
import type { PublishedPackage } from '../support/frames/node.ts';
import { packageIds, settingsFor } from '../support/frames/packages.ts';
import { providersFor } from '../support/providers.ts';
import { readModelBuilder } from '../support/read-model.ts';
import { runFrameNode, runIndexer } from '../support/run-indexer.ts';

let db: Database;
beforeEach(async () => {
  db = await createTestDatabase();
});

interface Checked {
  package_id: string;
  publisher: string;
  publisher_check: string;
  witness_check: string;
  witness_warnings: { code: string; detail: string }[];
  check_error: string | null;
  next_check_at: Date | null;
  recheck_at: Date | null;
}

async function listings(): Promise<Checked[]> {
  return (await db.pool.query<Checked>('select * from listings order by package_id, publisher')).rows;
}

test('who published a package is verified, a squatter is not, and a type without witness is invalid', async () => {
  const [real, squatter] = [id(100), id(200)];
  const manifest = { uri: 'walrus://none', hash: 'ab'.repeat(32) };
  const chain = buildChain([
    { packageId: id(1), publisher: real, ...manifest },
    { packageId: id(1), publisher: squatter, ...manifest },
    { packageId: id(2), publisher: real, ...manifest },
  ]);
  const node = await runFrameNode({ chain, tip: chain.last, packages: { [id(1)]: { sender: real } } });
  runIndexer({ db, networks: [settingsFor(node.url)] });
  await eventually(async () => {
    const found = await listings();
    expect(found.filter((listing) => listing.witness_check !== 'pending')).toHaveLength(3);
  });
  const [first, second, third] = await listings();
  expect(first).toMatchObject({ publisher: real, publisher_check: 'verified', witness_check: 'valid' });
  expect(first).toMatchObject({ check_error: null, next_check_at: null });
  expect(second).toMatchObject({
    publisher: squatter,
    publisher_check: 'unverified',
    witness_check: 'valid',
  });
  expect(third).toMatchObject({ package_id: id(2), witness_check: 'invalid' });
  expect(third?.check_error).toMatch(/has no type adaptor::Adaptor/);
});

test('rules are checked like listings: who published the package is verified, a squatter is not', async () => {
  const [real, squatter] = [id(100), id(200)];
  const registered = (publisher: string, packageId: string) => ({
    type: `${packageIds.rules}::registry::Registered`,
    contents: rulesEvents.encode('registry::Registered', {
      ruleType: `${packageId}::adaptor::Adaptor`,
      packageId,
      publisher,
      kind: 'caveat',
      manifestUri: 'walrus://none',
      manifestHash: 'ab'.repeat(32),
      version: 1,
      timestampMs: 1,
    }),
  });
  const chain = buildChain([{ packageId: id(9), uri: 'walrus://none', hash: 'ab'.repeat(32) }]);
  chain.transactions[0]!.events = [
    registered(squatter, id(1)),
    registered(real, id(1)),
    registered(real, id(2)),
  ];
  const node = await runFrameNode({ chain, tip: chain.last, packages: { [id(1)]: { sender: real } } });
  const networks = [settingsFor(node.url, { rulesPackageId: packageIds.rules })];
  runIndexer({ db, networks });
  await eventually(async () => {
    const { rows } = await db.pool.query(
      'select publisher, publisher_check, witness_check from rules order by package_id, publisher',
    );
    expect(rows).toEqual([
      { publisher: real, publisher_check: 'verified', witness_check: 'valid' },
      { publisher: squatter, publisher_check: 'unverified', witness_check: 'valid' },
      { publisher: real, publisher_check: 'pending', witness_check: 'invalid' },
    ]);
  });
});

/** Moves the due times of all checks back by so many hours, as if that time had passed. */
async function pass(hours: number): Promise<void> {
  await db.pool.query(
    `update listings set next_check_at = next_check_at - make_interval(hours => $1),
      recheck_at = recheck_at - make_interval(hours => $1)`,
    [hours],
  );
}

/** A listing that was checked once, and the queues of its later checks. Tests may add packages. */
async function startChecked(pkg: PublishedPackage, publisher: string) {
  const packageId = id(0x10001);
  const registration = { packageId, publisher, uri: 'walrus://none', hash: 'ab'.repeat(32) };
  const chain = buildChain([registration]);
  const packages: Record<string, PublishedPackage> = { [packageId]: pkg };
  const node = await runFrameNode({ chain, tip: chain.last, packages });
  const settings = settingsFor(node.url);
  const indexer = runIndexer({ db, networks: [settings] });
  await eventually(async () => {
    expect((await listings())[0]?.recheck_at).toBeInstanceOf(Date);
    // Later checks of a listing wait for the first attempt at its manifest.
    const { rows } = await db.pool.query('select attempts from manifest_fetches');
    expect(rows).toEqual([{ attempts: 1 }]);
  });
  await indexer.close();
  const metrics = createIndexerMetrics(new Registry());
  const dependencies = { db, settings, metrics, providers: providersFor(settings) };
  const queues = createListingQueues(
    'listings',
    dependencies,
    openFindings(dependencies, () => undefined),
  );
  onTestFinished(() => queues.close());
  /** Works on all due jobs of a queue. Returns the number of checks. */
  const work = async (queue: keyof Pick<typeof queues, 'first' | 'again'>) => {
    let checks = 0;
    const [partition] = queues[queue].partitions;
    for (;;) {
      const { waiting } = await partition!.due(100);
      if (waiting.length === 0) return checks;
      for (const { job, groups } of waiting) {
        await queues[queue].work(
          job,
          partition!.slots.take(groups, () => undefined),
        );
        checks++;
      }
    }
  };
  // The manifest is fetched, so that the catalog shows the result of the listing's checks.
  await db.pool.query(
    'insert into manifests (hash, body) select distinct manifest_hash, $1::jsonb from listings',
    [JSON.stringify(manifest(id(1)))],
  );
  await db.pool.query(`update manifest_fetches set status = 'verified'`);
  await db.pool.query('update listings set judgement_due = false');
  await readModelBuilder(db).refresh();
  const state = async () => (await listings())[0]!;
  const catalogVersion = async () =>
    (await db.pool.query<{ version: number }>('select version from catalog_state')).rows[0]?.version ?? 0;
  return { node, work, state, catalogVersion, pkg, packages };
}

const [sender, holder] = [id(100), id(300)];

test('who was given the UpgradeCap is verified within a day and a quarter, though no event shows it', async () => {
  const { work, state, catalogVersion, pkg } = await startChecked({ sender, capOwner: sender }, holder);
  expect(await state()).toMatchObject({ publisher_check: 'unverified' });
  pkg.capOwner = holder;
  await pass(31);
  const before = await catalogVersion();
  expect(await work('again')).toBe(1);
  expect(await state()).toMatchObject({
    publisher_check: 'verified',
    next_check_at: null,
    check_error: null,
  });
  expect(await catalogVersion()).toBe(before + 1);
});

test('an answer that is still the same is asked for once a day, and changes no catalog', async () => {
  const { work, state, catalogVersion } = await startChecked({ sender, capOwner: holder }, holder);
  const before = await catalogVersion();
  expect([await work('again'), await work('first')]).toEqual([0, 0]);
  await pass(31);
  expect([await work('again'), await work('again')]).toEqual([1, 0]);
  expect(await state()).toMatchObject({ publisher_check: 'verified', next_check_at: null });
  expect((await state()).recheck_at!.getTime()).toBeGreaterThan(Date.now() + 17 * 3_600_000);
  expect(await catalogVersion()).toBe(before);
});

test('who gave the UpgradeCap away stays verified until the chain has said so more than once', async () => {
  const { work, state, catalogVersion, pkg } = await startChecked({ sender, capOwner: holder }, holder);
  const before = await catalogVersion();
  pkg.capOwner = sender;
  await pass(31);
  expect(await work('again')).toBe(1);
  expect(await state()).toMatchObject({ publisher_check: 'verified', next_check_at: expect.any(Date) });
  await pass(1);
  await work('first');
  expect([(await state()).publisher_check, await catalogVersion()]).toEqual(['verified', before]);
  await pass(1);
  await work('first');
  expect(await state()).toMatchObject({ publisher_check: 'unverified', next_check_at: null });
  expect(await catalogVersion()).toBe(before + 1);
});

test('a node that cannot answer leaves the former answer, and is asked again soon', async () => {
  const { node, work, state, catalogVersion } = await startChecked({ sender, capOwner: holder }, holder);
  const before = await catalogVersion();
  node.faults.unavailableCalls = 1_000;
  await pass(31);
  await work('again');
  const during = await state();
  expect(during).toMatchObject({ publisher_check: 'verified', witness_check: 'valid' });
  expect(during.check_error).toMatch(/could not answer/);
  expect(during.next_check_at!.getTime()).toBeLessThan(Date.now() + 10_000);
  node.faults.unavailableCalls = 0;
  await pass(1);
  expect(await work('first')).toBe(1);
  expect(await state()).toMatchObject({
    publisher_check: 'verified',
    next_check_at: null,
    check_error: null,
  });
  expect(await catalogVersion()).toBe(before);
});

/** An adaptor package's module with a function beside its witness. */
async function bytecode(fun: string): Promise<Uint8Array> {
  const source = `module adaptor::adaptor;\npublic struct Adaptor has drop {}\n${fun}\n`;
  const files = { 'Move.toml': moveToml('adaptor'), 'sources/adaptor.move': source };
  return (await compileSources(files)).modules[0]!;
}

test('what the bytecode says against a witness is recorded with its check, and stands until it is read again', async () => {
  const leaky = await bytecode('public fun give(): Adaptor { Adaptor {} }');
  const { node, work, state, catalogVersion, pkg } = await startChecked(
    { sender, capOwner: sender, contents: leaky },
    sender,
  );
  const returned = { code: 'witness_returned', detail: expect.stringContaining('from adaptor::give, ') };
  expect(await state()).toMatchObject({ witness_check: 'valid', witness_warnings: [returned] });

  const before = await catalogVersion();
  node.faults.unavailableCalls = 1_000;
  await pass(31);
  await work('again');
  expect(await state()).toMatchObject({ witness_check: 'valid', witness_warnings: [returned] });
  expect(await catalogVersion()).toBe(before);
  node.faults.unavailableCalls = 0;

  pkg.contents = await bytecode('public fun act(): u64 { 1 }');
  await pass(31);
  await work('first');
  expect((await state()).witness_warnings).toEqual([]);
  expect(await catalogVersion()).toBe(before + 1);

  pkg.contents = new Uint8Array([1]);
  await pass(31);
  await work('again');
  expect(await state()).toMatchObject({
    witness_check: 'valid',
    witness_warnings: [{ code: 'witness_unchecked' }],
  });
});

test.each([
  ['its UpgradeCap names the newest', { capOwner: sender }],
  ['its UpgradeCap was destroyed', {}],
])(
  'a version that the listing does not name and that gives the witness away is warned of: %s',
  async (_, cap) => {
    const sound = await bytecode('public fun act(): u64 { 1 }');
    const leaky = await bytecode('public fun act(): u64 { 1 } public fun give(): Adaptor { Adaptor {} }');
    const { node, work, state, catalogVersion, packages } = await startChecked(
      { sender, contents: sound, ...cap },
      sender,
    );
    expect(await state()).toMatchObject({ witness_check: 'valid', witness_warnings: [] });

    const before = await catalogVersion();
    const newest = id(0x10002);
    packages[newest] = { sender, contents: leaky, originalId: id(0x10001) };
    await pass(31);
    await work('again');
    const detail = expect.stringMatching(`^In version ${newest} of the package, .* from adaptor::give, `);
    expect(await state()).toMatchObject({
      package_id: id(0x10001),
      witness_check: 'valid',
      witness_warnings: [{ code: 'witness_returned', detail }],
    });
    expect(await catalogVersion()).toBe(before + 1);

    node.faults.unavailableMethods = ['listPackageVersions', 'getObject'];
    await pass(31);
    await work('again');
    expect((await state()).witness_warnings).toHaveLength(1);
  },
);

test('the warnings of a listing are those of its package, not of one that it moved from', async () => {
  const leaky = await bytecode('public fun give(): Adaptor { Adaptor {} }');
  const [from, to] = [id(0x10001), id(0x10002)];
  const manifest = { uri: 'walrus://none', hash: 'ab'.repeat(32) };
  const chain = buildChain([
    { packageId: from, publisher: sender, ...manifest },
    { packageId: to, publisher: sender, ...manifest },
  ]);
  const [first, second] = chain.transactions;
  second!.events = [
    {
      type: `${chain.registryPackageId}::registry::Updated`,
      contents: registryEvents.encode('Updated', {
        serviceType: `${from}::adaptor::Adaptor`,
        packageId: to,
        publisher: sender,
        manifestUri: manifest.uri,
        manifestHash: manifest.hash,
        version: 2,
        timestampMs: 1,
      }),
    },
  ];
  const packages = { [from]: { sender, contents: leaky } };
  const node = await runFrameNode({ chain, tip: first!.checkpoint, packages });
  runIndexer({ db, networks: [settingsFor(node.url)] });
  await eventually(async () => expect((await listings())[0]?.witness_warnings).toHaveLength(1));
  // The node cannot answer, so the other package stays unknown.
  node.faults.unavailableMethods = ['getPackage'];
  node.advance(second!.checkpoint);
  await eventually(async () => {
    expect(await listings()).toMatchObject([
      { package_id: to, witness_check: 'pending', witness_warnings: [] },
    ]);
  });
});
