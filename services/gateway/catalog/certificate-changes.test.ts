import { beforeAll, expect, test } from 'vitest';
import { refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import { type FunctionChanges, recordChanges } from '../../../db/queries/claim-changes.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { useTestGateway } from '../../../test/support/gateway.ts';
import { address } from '../../../test/support/read-model.ts';

const network = 'testnet';
const publisher = address(0xa1);
const [updated, first, waiting] = [address(0xb1), address(0xb2), address(0xb3)];
const former = address(0xb0);
const buildServiceType = (packageId: string) => `${packageId}::jar::Jar`;

const functions: FunctionChanges[] = Array.from({ length: 12 }, (_, at) => ({
  packageId: updated,
  formerPackageId: former,
  module: 'jar',
  function: `tip_${at}`,
  ops: [at],
  reason: null,
  widens: true,
  unread: false,
  sentences: [
    {
      kind: 'goesTo',
      change: 'new',
      widens: true,
      verdict: 'may',
      text: 'It may go to @P1::pool::Pool.held <b>, which keeps it.',
      formerText: null,
    },
    {
      kind: 'takes',
      change: 'wider',
      widens: true,
      verdict: 'may',
      text: 'Takes all of it.',
      formerText: 'Takes exactly argument 2.',
    },
  ],
  sentenceCount: 2,
  packages: [{ name: '@P1', version: { originalId: former, id: former, version: '1' } }],
}));

const gateway = useTestGateway(async (seed) => {
  await seed.source({ checkpoint: 900 });
  for (const packageId of [updated, first, waiting]) {
    const listing = await seed.listing({
      serviceType: buildServiceType(packageId),
      publisher,
      manifest: { name: 'Jar', ops: [{ kind: 'pay', module: 'jar', entry: 'tip' }] },
    });
    if (packageId !== first) await seed.update(listing, 2);
  }
});
beforeAll(async () => {
  const { pool } = gateway.db;
  const keys = [updated, waiting].map((packageId) => ({
    serviceType: buildServiceType(packageId),
    publisher,
  }));
  await pool.query('update listings set version = 2 where service_type = any ($1)', [
    keys.map(({ serviceType }) => serviceType),
  ]);
  await inTransaction(pool, async (client) =>
    refreshEntries(client, await lockCatalog(client, network), keys),
  );
  const key = { network, ...keys[0]!, version: 2 };
  const result = { formerVersion: 1, widens: true, analysis: 4, functions, hasMoreFunctions: false };
  await recordChanges(pool, key, { packageId: updated, ...result });
});

const read = async (packageId: string) => {
  const path = `/api/adaptors/${encodeURIComponent(buildServiceType(packageId))}/certificate/changes`;
  const answer = await fetch(gateway.url + path);
  expect(answer.status).toBe(200);
  return await answer.json();
};

test('an update has all functions that differ from the version before', async () => {
  expect(await read(updated)).toMatchObject({
    network,
    publisher,
    version: 2,
    state: 'computed',
    formerVersion: 1,
    widens: true,
    analysis: 4,
    functions: functions.map(({ function: name, sentences }) => ({ function: name, sentences })),
  });
});

test('a first version has none, and one that is not compared yet is pending', async () => {
  const none = { formerVersion: null, widens: null, analysis: null, functions: [], hasMoreFunctions: false };
  expect(await read(first)).toMatchObject({ version: 1, state: 'first', ...none });
  expect(await read(waiting)).toMatchObject({ version: 2, state: 'pending', ...none });
});

const fields = `state widens formerVersion hasMoreFunctions
  functions { name formerPackageId sentences(first: 1) { change text } packages { name packageId } }`;

test('the graph has the first ten functions, for the adaptor and for each of its versions', async () => {
  const query = `{ adaptor(chain: TESTNET, serviceType: "${buildServiceType(updated)}") {
    certificateDiff { ${fields} } versions(first: 5) { edges { node { version certificateDiff { ${fields} } } } } } }`;
  const answer = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = await answer.json();
  expect(errors).toBeUndefined();
  const { certificateDiff, versions } = data.adaptor;
  const shown = functions.slice(0, 10).map(({ function: name, sentences: [sentence] }) => ({
    name,
    formerPackageId: former,
    packages: [{ name: '@P1', packageId: former }],
    sentences: [{ change: 'NEW', text: sentence!.text }],
  }));
  expect(certificateDiff).toEqual({
    state: 'COMPUTED',
    widens: true,
    formerVersion: 1,
    hasMoreFunctions: true,
    functions: shown,
  });
  const diffs = versions.edges.map(({ node }: { node: { certificateDiff: object } }) => node.certificateDiff);
  expect(diffs).toEqual([certificateDiff, expect.objectContaining({ state: 'FIRST', functions: [] })]);
});

test('the page says that the version may do more, in a few sentences, and links to all', async () => {
  const page = await (await fetch(`${gateway.url}/a/${network}/${buildServiceType(updated)}`)).text();
  const text = page.replace(/<[^>]*>/g, '');
  expect(text).toContain('Version 2 may do more than version 1');
  expect(page).toContain('@P1::pool::Pool.held &lt;b>, which keeps it.');
  expect(text).toContain('Takes all of it. Before: Takes exactly argument 2.');
  expect(text).toContain(`@P1 is ${former}`);
  expect(text.match(/Pool\.held/g)).toHaveLength(2);
  expect(page).toContain('/certificate/changes?');
  expect(page.length).toBeLessThan(60_000);
  for (const packageId of [first, waiting]) {
    const other = await fetch(`${gateway.url}/a/${network}/${buildServiceType(packageId)}`);
    expect(await other.text()).not.toContain('may do more than version');
  }
});
