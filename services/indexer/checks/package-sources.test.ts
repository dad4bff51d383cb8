import type { Localnet } from '@adaptor-marketplace/localnet';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import type { SourceVerification } from '@adaptor-marketplace/move-toolchain/verify';
import { Registry } from '@prometheus-io/client';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../db/client.ts';
import { addCertifiedPackages } from '../../../db/queries/certificates.ts';
import { addSourceOffer, queuedMax } from '../../../db/queries/package-sources/offers.ts';
import { readPackageSource } from '../../../db/queries/package-sources/read.ts';
import * as tables from '../../../db/schema/index.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { openTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { settingsFor } from '../../../test/support/frames/packages.ts';
import { makeOffer } from '../../../test/support/offered-source.ts';
import { providersFor } from '../../../test/support/providers.ts';
import { address, readModelBuilder } from '../../../test/support/read-model.ts';
import { publishTipJar } from '../../../test/support/tip-jar.ts';
import { workOn } from '../queue/testing/work-on.ts';
import { createIndexerMetrics } from '../reporting/metrics.ts';
import { createSourceQueue } from './package-sources.ts';
import type { VerifySource } from './verify-source.ts';

const network = 'testnet';

let db: Database;
let localnet: Localnet;
let tipJar: string;
let wallet: string;

beforeAll(async () => {
  db = await openTestDatabase();
  localnet = await startTestLocalnet();
  ({ wallet, tipJar } = await publishTipJar(localnet));
});
afterAll(async () => {
  await localnet.close();
  await db.close();
});
beforeEach(async () => {
  await db.pool.query('truncate certified_packages, package_sources, offered_sources, service_events');
  await list(tipJar);
});

const list = (...packageIds: string[]) =>
  inTransaction(db.pool, (client) =>
    addCertifiedPackages(
      client,
      network,
      packageIds.map((packageId) => ({ packageId, publisher: address(0xa1) })),
    ),
  );

/** Works on the queue as an indexer does. `end` stops it as a shutdown does. */
function work(verify?: VerifySource) {
  const settings = settingsFor(localnet.rpcUrl);
  const metrics = createIndexerMetrics(new Registry());
  const stop = new AbortController();
  const queue = createSourceQueue(
    { db, settings, metrics, providers: providersFor(settings) },
    stop.signal,
    verify,
  );
  onTestFinished(() => queue.close());
  const worker = workOn(db, queue);
  const end = async () => {
    stop.abort();
    await worker.end();
  };
  return { end };
}

const offerTipJar = async (from: string, edit?: (text: string) => string) => {
  const offer = await makeOffer('adaptors/tip_jar', { network, packageId: tipJar, address: from, edit });
  return { ...offer, result: await addSourceOffer(db.pool, offer) };
};
const readOffers = () => db.orm.select().from(tables.packageSources);
const readOffer = async (hash: string) => (await readOffers()).find((row) => row.hash === hash);
/** Waits until a build has ended with a verdict. */
const verified = (hash: string) =>
  eventually(async () => {
    const row = await readOffer(hash);
    expect(row).toMatchObject({ verdict: expect.any(String), nextCheckAt: null });
    return row!;
  });

test('offered source of a listed package is built and compared, with the packages that it uses', async () => {
  const { hash, sourceHash, result } = await offerTipJar('192.0.2.1');
  expect(result).toBe('queued');
  work();
  expect(await verified(hash)).toMatchObject({
    verdict: 'exact',
    sourceHash,
    sender: null,
    nextCheckAt: null,
    report: {
      compiler: '1.71.1',
      reason: null,
      missing: [],
      extra: [],
      dependencies: [{ name: 'wallet', packageId: wallet }],
    },
  });
  expect((await offerTipJar('192.0.2.1')).result).toBe('verified');
});

/** Source of the package with one more comment, by which `judge` knows it. */
const offerMarked = (mark: string, from: string) =>
  offerTipJar(from, (text) => `${text}\n// mark: ${mark}\n`);

/** Compares nothing: source marked with a verdict has that one. The tests of the toolchain are about verdicts. */
const judge: VerifySource = async (_, { packages, hash }) => {
  const text = [...packages.values()].flatMap((files) => Object.values(files)).join('');
  const [, verdict = 'not_built', differenceCount] = /mark: (\w+) ?(\d*)/.exec(text) ?? [];
  const module = { module: 'm', verdict, differences: [], differenceCount: Number(differenceCount) };
  const comparison = { verdict, modules: [module], missing: [], extra: [] };
  return { verdict, sourceHash: hash, comparison, dependencies: {} } as SourceVerification;
};

const readEvents = async () =>
  (await db.orm.select().from(tables.serviceEvents).orderBy(tables.serviceEvents.number)).map(
    ({ name, serviceType, data }) => ({ name, serviceType, data }),
  );

const readBest = async () => (await readPackageSource(db.pool, { network, packageId: tipJar }))?.verdict;

test('a worse verdict of a later offer replaces no better one, and listings hear of a better one once', async () => {
  const serviceType = `${tipJar}::tip_jar::TipJar`;
  await readModelBuilder(db).listing({ serviceType, publisher: address(0xa1) });
  onTestFinished(async () => void (await db.pool.query('truncate catalog_entries, listings')));
  work(judge);
  for (const [mark, best] of [
    ['differs 5', 'differs'],
    ['same_code', 'same_code'],
    ['differs 1', 'same_code'],
    ['not_built', 'same_code'],
    ['exact', 'exact'],
    ['same_but_error_lines', 'exact'],
  ] as const) {
    await verified((await offerMarked(mark, '192.0.2.1')).hash);
    expect(await readBest(), mark).toBe(best);
    const { rows } = await db.pool.query('select source_verdict from catalog_entries');
    expect(rows, mark).toEqual([{ source_verdict: best }]);
  }
  const event = { name: 'SourceVerdictChanged', serviceType };
  expect(await readEvents()).toEqual([
    { ...event, data: { packageId: tipJar, verdict: 'differs', before: null } },
    { ...event, data: { packageId: tipJar, verdict: 'same_code', before: 'differs' } },
    { ...event, data: { packageId: tipJar, verdict: 'exact', before: 'same_code' } },
  ]);
});

test('a package keeps its best source and the four newest, and a content goes with its last offer', async () => {
  work(judge);
  const { hash } = await offerMarked('exact', '192.0.2.1');
  await verified(hash);
  const others: string[] = [];
  for (const nth of [1, 2, 3, 4, 5, 6]) {
    const offer = await offerMarked(`differs ${nth}`, '192.0.2.1');
    await verified(offer.hash);
    others.push(offer.hash);
  }
  const kept = [hash, ...others.slice(-4)].sort();
  expect((await readOffers()).map((row) => row.hash).sort()).toEqual(kept);
  const contents = await db.orm.select({ hash: tables.offeredSources.hash }).from(tables.offeredSources);
  expect(contents.map((row) => row.hash).sort()).toEqual(kept);
});

test('an offer whose build was cut off by the end of the process is built by the next one', async () => {
  const begun = Promise.withResolvers<void>();
  const first = work((_, __, signal) => {
    begun.resolve();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  const { hash } = await offerMarked('exact', '192.0.2.1');
  await begun.promise;
  await first.end();
  expect(await readOffer(hash)).toMatchObject({ verdict: null, checkReady: true });
  work(judge);
  expect(await verified(hash)).toMatchObject({ verdict: 'exact' });
});

test('a comparison without a result is not built, with the reason', async () => {
  work(async () => undefined);
  const { hash } = await offerMarked('exact', '192.0.2.1');
  const reason = expect.stringMatching(/^The comparison failed, or took more than/);
  expect(await verified(hash)).toMatchObject({ verdict: 'not_built', report: { reason, compiler: null } });
});

test('an offer for a package that the node does not show is tried again', async () => {
  const absent = address(0xbad);
  await list(absent);
  const offer = await makeOffer('adaptors/tip_jar', { network, packageId: absent });
  expect(await addSourceOffer(db.pool, offer)).toBe('queued');
  work(judge);
  await eventually(async () => {
    const reason = `There is no package ${absent} on this network.`;
    expect(await readOffer(offer.hash)).toMatchObject({ verdict: null, lastError: reason, checkAttempts: 1 });
  });
});

test('an address has one offer in the queue, and strangers cannot fill that of a package', async () => {
  expect((await offerMarked('a', '192.0.2.1')).result).toBe('queued');
  expect((await offerMarked('a', '192.0.2.2')).result).toBe('queued');
  expect((await offerMarked('b', '192.0.2.1')).result).toBe('sender');
  for (let nth = 2; nth <= queuedMax.package; nth++) {
    expect((await offerMarked(`${nth}`, `192.0.2.${nth}`)).result).toBe('queued');
  }
  expect((await offerMarked('more', '192.0.2.99')).result).toBe('package');
  await db.pool.query('truncate certified_packages');
  expect((await offerMarked('again', '192.0.2.98')).result).toBe('unlisted');
});

const offerNamed = async (mark: string) => {
  const edit = (text: string) => `${text}\n// mark: ${mark}\n`;
  const offer = await makeOffer('adaptors/tip_jar', { network, packageId: tipJar, edit });
  return { ...offer, result: await addSourceOffer(db.pool, { ...offer, address: undefined }) };
};

test('an offer of a person is built before all source that the service found itself', async () => {
  const found = [await offerNamed('differs 1'), await offerNamed('differs 2')];
  const { hash, sourceHash } = await offerMarked('exact', '192.0.2.1');
  const built: (string | undefined)[] = [];
  work((modules, source, signal) => {
    built.push(source.hash);
    return judge(modules, source, signal);
  });
  for (const offer of [...found, { hash }]) await verified(offer.hash);
  expect(built).toHaveLength(3);
  expect(built[0]).toBe(sourceHash);
});

test('source that the service found takes no place of a person in the queue, and has a bound of its own', async () => {
  for (let nth = 1; nth <= queuedMax.package; nth++)
    expect((await offerNamed(`${nth}`)).result).toBe('queued');
  expect((await offerNamed('more')).result).toBe('package');
  expect((await offerMarked('person', '192.0.2.1')).result).toBe('queued');
});

test('source that the service found and a person offers too is the offer of the person', async () => {
  const { hash } = await offerNamed('differs 1');
  const senders = async () => (await readOffers()).map((row) => [row.hash, row.sender !== null]);
  expect(await senders()).toEqual([[hash, false]]);
  expect((await offerMarked('differs 1', '192.0.2.1')).result).toBe('queued');
  expect(await senders()).toEqual([[hash, true]]);
  expect((await offerMarked('differs 1', '192.0.2.2')).result).toBe('queued');
  expect((await offerMarked('differs 2', '192.0.2.1')).result).toBe('sender');
});
