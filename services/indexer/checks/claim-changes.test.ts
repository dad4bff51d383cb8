import {
  analysisVersion,
  briefCertificate,
  type Certificate,
  type Claim,
  wordingVersion,
} from '@adaptor-marketplace/adaptor/certify';
import { Registry } from '@prometheus-io/client';
import { beforeEach, expect, test } from 'vitest';
import { refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import {
  addCertifiedPackages,
  type CertifyOutcome,
  recordCertificates,
} from '../../../db/queries/certificates.ts';
import { postponeUpdate, readDueUpdate, recordChanges } from '../../../db/queries/claim-changes.ts';
import { ensureSource } from '../../../db/queries/sources.ts';
import * as tables from '../../../db/schema/index.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { settingsFor } from '../../../test/support/frames/packages.ts';
import { address, checkedRegistration, computeCheckpointTime } from '../../../test/support/read-model.ts';
import { workOn } from '../queue/testing/work-on.ts';
import { createIndexerMetrics } from '../reporting/metrics.ts';
import { changesBounds, createClaimChangesQueue } from './claim-changes.ts';

const network = 'testnet';
const publisher = address(0xa1);
const first = address(0x51);
const second = address(0x52);
const serviceType = `${first}::jar::Jar`;
const versions = { analysis: analysisVersion, wording: wordingVersion };

const db = useTestDatabase();
beforeEach(async () => {
  await db.pool.query(
    'truncate listings, listing_versions, manifests, manifest_fetches, catalog_entries, catalog_state, certified_packages, certificates, claim_changes, service_events, sources',
  );
  await ensureSource(db.pool, { network, name: 'registry' }, ['registry']);
  await follow('2000-01-01Z');
});

/** Sets the time at which the source was first started. */
const follow = (since: string) => db.pool.query('update sources set followed_since = $1', [since]);

const call = { typeArgs: [], args: [{ role: 'amount' }] };
const op = (entry: string) => ({ kind: 'pay', module: 'jar', entry, call });
/** An op that also calls a function of another package. */
const opAlso = (packageId: string, entry: string) => ({
  ...{ kind: 'pay', module: 'jar', entry: 'tip' },
  calls: [
    { module: 'jar', entry: 'tip', ...call },
    { packageId, module: 'jar', entry, ...call },
  ],
});

/** Stores the next version of the listing as checked, and updates its entry. `shown`: false if its manifest was not fetched. */
async function list(
  version: number,
  packageId: string,
  ops: object[],
  { shown = true, publisherCheck = 'verified' as 'verified' | 'unverified' } = {},
): Promise<void> {
  const hash = `hash ${version}`;
  const at = computeCheckpointTime(version);
  const position = { checkpoint: version, txIndex: 0, eventIndex: 0 };
  const manifestUri = 'https://a';
  const row = { network, serviceType, publisher, version, packageId, manifestUri, manifestHash: hash };
  await db.orm.insert(tables.listingVersions).values({ ...row, ...position, listed: true, timestamp: at });
  if (shown) {
    const fetched = { network, hash, uri: manifestUri, status: 'verified' as const, nextAttemptAt: null };
    await db.orm.insert(tables.manifestFetches).values(fetched);
    await db.orm.insert(tables.manifests).values({ hash, body: { name: 'Jar', summary: '', ops } as never });
  }
  const registered = { ...checkedRegistration(1), ...row, updatedAt: at, publisherCheck };
  await db.orm
    .insert(tables.listings)
    .values({ ...registered, rawServiceType: serviceType, name: 'Jar', nameSkeleton: 'jar' })
    .onConflictDoUpdate({
      target: [tables.listings.network, tables.listings.serviceType, tables.listings.publisher],
      set: registered,
    });
  await inTransaction(db.pool, async (client) => {
    await addCertifiedPackages(client, network, [{ packageId, publisher }]);
    await refreshEntries(client, await lockCatalog(client, network), [{ serviceType, publisher }]);
  });
}

const takes = (bound: 'all' | number): Claim => ({
  kind: 'takes',
  verdict: 'may',
  source: { kind: 'wallet', parameter: 0 },
  type: '0x2::sui::SUI',
  bounds: [bound === 'all' ? { kind: bound } : { kind: 'equal', to: { kind: 'argument', parameter: bound } }],
  repeated: false,
  evidence: [],
});
const reads = (path: string): Claim => ({
  kind: 'touches',
  verdict: 'may',
  access: 'reads',
  path,
  evidence: [],
});

/** Stores certificates of a package's functions, as the indexer does. */
async function certify(packageId: string, claims: Record<string, Claim[]>, analysis = analysisVersion) {
  const version = { originalId: first, id: packageId, version: '1' };
  const certificates = Object.entries(claims).map(([name, claims]) => {
    const certificate: Certificate = {
      ...{ analysis, package: version, module: 'jar', function: name, parameters: [], closure: [version] },
      ...{ claims, functions: [], writers: [], authorities: [] },
    };
    return { hash: name, certificate, bytes: 1, brief: briefCertificate(certificate) };
  });
  const outcome: CertifyOutcome = { state: 'computed', ...versions, analysis, certificates };
  await recordCertificates(db.pool, network, packageId, outcome);
}

function work() {
  const metrics = createIndexerMetrics(new Registry());
  const settings = settingsFor('http://127.0.0.1:1');
  return workOn(db, createClaimChangesQueue({ db, settings, metrics }));
}

const readChanges = () => db.orm.select().from(tables.claimChanges);
const readEvents = async () =>
  (await db.orm.select().from(tables.serviceEvents)).filter(({ name }) => name === 'ClaimsWidened');
/** Waits until the version is compared, and returns the result. */
const compared = (version = 2) =>
  eventually(async () => {
    const row = (await readChanges()).find((one) => one.version === version);
    expect(row?.state).not.toBe('pending');
    return row!;
  });
/** Moves the next attempts so far away that only an event can make them due. */
const neverByTime = () =>
  db.pool.query(
    `update claim_changes set next_check_at = now() + interval '1 year' where next_check_at is not null`,
  );

test('an update whose function takes more is wider, and subscribers are notified once', async () => {
  await list(1, first, [op('tip')]);
  await list(2, second, [op('tip')]);
  await certify(first, { tip: [takes(1)] });
  await certify(second, { tip: [takes('all')] });
  work();
  const row = await compared();
  expect(row).toMatchObject({ state: 'computed', widens: true, formerVersion: 1, analysis: analysisVersion });
  expect(row.functions).toMatchObject([
    {
      ...{
        packageId: second,
        formerPackageId: first,
        module: 'jar',
        function: 'tip',
        ops: [0],
        widens: true,
      },
      sentences: [
        { kind: 'takes', change: 'wider', widens: true, text: expect.stringContaining('all of it') },
      ],
    },
  ]);
  const data = { version: 2, formerVersion: 1, packageId: second, kinds: ['takes'] };
  expect(await readEvents()).toMatchObject([{ name: 'ClaimsWidened', serviceType, publisher, data }]);
  const again = { formerVersion: 1, widens: true, analysis: 1, functions: [], hasMoreFunctions: false };
  await recordChanges(
    db.pool,
    { network, serviceType, publisher, version: 2 },
    { packageId: second, ...again },
  );
  expect(await readEvents()).toHaveLength(1);
  expect(await readChanges()).toHaveLength(2);
});

test('a comparison that another process stored meanwhile is not due again', async () => {
  await list(1, first, [op('tip')]);
  await list(2, second, [op('tip')]);
  await certify(first, { tip: [takes(1)] });
  await certify(second, { tip: [takes(1)] });
  work();
  await compared();
  const key = { network, serviceType, publisher, version: 2 };
  await postponeUpdate(db.pool, key, { attempts: 1, reason: 'late', waitsFor: first, retryAfterSeconds: 0 });
  expect(await readDueUpdate(db.pool, key)).toBeUndefined();
  expect(await compared()).toMatchObject({ reason: null, waitsFor: null });
});

test('an update that may do no more is compared, and adds no event', async () => {
  await list(1, first, [op('tip'), op('gone')]);
  await list(2, second, [op('tip')]);
  await certify(first, { tip: [takes('all')], gone: [] });
  await certify(second, { tip: [takes(1)] });
  work();
  expect(await compared()).toMatchObject({ widens: false, functions: [{ function: 'tip', widens: false }] });
  expect(await readEvents()).toEqual([]);
});

test('an operation that was not there is new, also in the same package, and a former certificate is kept', async () => {
  await list(1, first, [op('tip')]);
  await list(2, first, [op('tip'), op('pull')]);
  await certify(first, { tip: [takes('all')], pull: [takes(1)] });
  work();
  const row = await compared();
  expect(row.functions).toMatchObject([
    { function: 'pull', formerPackageId: null, widens: true, sentences: [{ change: 'new' }] },
  ]);
  expect(await readEvents()).toHaveLength(1);
  expect(await db.orm.select().from(tables.certificates)).toHaveLength(2);
});

test('nothing is compared until both packages are analyzed with the same version, and the end of the analysis makes it due', async () => {
  await list(1, first, [op('tip')]);
  await list(2, second, [op('tip')]);
  await certify(second, { tip: [takes(1)] });
  work();
  const waits = (reason: string) =>
    eventually(async () => {
      const row = (await readChanges()).find(({ version }) => version === 2);
      expect(row).toMatchObject({
        state: 'pending',
        reason: expect.stringContaining(reason),
        waitsFor: first,
        checkReady: false,
      });
    });
  await waits('not analyzed yet');
  await neverByTime();
  await certify(first, { tip: [takes(1)] }, analysisVersion - 1);
  await waits('not analyzed again');
  await neverByTime();
  await certify(first, { tip: [takes(1)] });
  expect(await compared()).toMatchObject({ widens: false, functions: [], reason: null });
});

test('a function without a certificate may do more', async () => {
  await list(1, first, [op('tip')]);
  await list(2, first, [op('tip'), opAlso(address(0x77), 'tip')]);
  await certify(first, { tip: [takes(1)] });
  work();
  const row = await compared();
  expect(row).toMatchObject({ widens: true });
  expect(row.functions).toMatchObject([
    { packageId: address(0x77), widens: true, unread: true, reason: expect.any(String), sentences: [] },
  ]);
  const [event] = await readEvents();
  expect(event?.data).toMatchObject({ kinds: ['notRead'] });
});

test('the version before is the last one that the catalog showed, and the first shown one is not compared', async () => {
  await list(1, first, [op('never')], { shown: false });
  await list(2, first, [op('tip')]);
  await certify(first, { tip: [takes(1)], pull: [takes('all')] });
  work();
  expect(await compared()).toMatchObject({ state: 'first', widens: null, nextCheckAt: null });
  // A version that hides what the next one adds, which is not shown before that one comes.
  await list(3, first, [op('tip'), op('pull')], { shown: false });
  await list(4, first, [op('tip'), op('pull')]);
  expect(await compared(4)).toMatchObject({ state: 'computed', formerVersion: 2, widens: true });
  expect((await readChanges()).map(({ version }) => version).sort()).toEqual([2, 4]);
  expect(await readEvents()).toHaveLength(1);
});

test('updates from before the first start, and those of listings that never were verified, add no events', async () => {
  await list(1, first, [op('tip')]);
  await list(2, first, [op('tip'), op('pull')]);
  await certify(first, { tip: [], pull: [takes(1)] });
  await follow('2100-01-01Z');
  work();
  expect(await compared()).toMatchObject({ widens: true });
  await follow('2000-01-01Z');
  await db.pool.query('update listings set ever_verified = false');
  await list(3, first, [op('tip'), op('pull'), op('more')], { publisherCheck: 'unverified' });
  expect(await compared(3)).toMatchObject({ widens: true });
  expect(await readEvents()).toEqual([]);
});

test('a stored comparison is bounded: functions beyond are not compared, and so may do more', async () => {
  const names = Array.from(
    { length: changesBounds.functions + 1 },
    (_, at) => `f${String(at).padStart(3, '0')}`,
  );
  await list(1, first, []);
  await list(
    2,
    first,
    names.map((name) => op(name)),
  );
  const many = Array.from({ length: 50 }, (_, at) => reads(`${first}::jar::Jar.${'long_'.repeat(20)}${at}`));
  await certify(first, Object.fromEntries(names.map((name) => [name, [takes(1), ...many]])));
  work();
  const row = await compared();
  const functions = row.functions as { sentences: unknown[]; sentenceCount: number }[];
  expect(row).toMatchObject({ widens: true, hasMoreFunctions: true });
  expect(functions).toHaveLength(changesBounds.functions);
  expect(Buffer.byteLength(JSON.stringify(functions))).toBeLessThanOrEqual(changesBounds.bytes);
  for (const { sentenceCount } of functions) expect(sentenceCount).toBeGreaterThan(0);
});
