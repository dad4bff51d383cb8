import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildClientSchema,
  type DocumentNode,
  getIntrospectionQuery,
  type IntrospectionQuery,
  parse,
  print,
  printSchema,
} from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway, testPackages } from '../support/gateway.ts';
import { createClientFolder, generateClient } from '../support/graph-client.ts';
import { readGraph } from '../support/graph-queries.ts';
import { address, type SeededListing } from '../support/read-model.ts';
import { walletRows } from '../support/wallet-rows.ts';

const root = join(import.meta.dirname, '../..');
const owner = address(0x101);
const provider = address(0x102);
const rule = `${address(0xe1)}::rule::RecipientAllowlist`;

/** Code of a client that reads the same facts as from REST, with types. */
const client = `
use { graphql } from './graph/index.ts';
use type { ResultOf } from '@graphql-typed-document-node/core';

public const catalog = graphql(\`query Catalog($after: String) { adaptors(first: 100, after: $after, orderBy: NAME,
  filter: { includeUnverified: true }) { totalCount pageInfo { hasNextPage endCursor } edges { node {
  serviceType displayName packageId publisher publisherVerified publisherEverVerified manifestUri manifestHash version updatedAtMs
  publisherName packageName publisherDomain { domain lastSeenMs }
  manifest { json } owners newOwners
  operations { executable reason { code detail } } manifestVerified source sourceVerdict canaryState canarySinceMs usage { actions uniqueVaults lastActionMs }
  reviews { count avg verifiedCount verifiedAvg lastMs } warnings { code detail } firstListedAtMs
  alikeNames { serviceType publisher name firstListedAtMs usage { actions uniqueVaults lastActionMs } }
  pending { version packageId manifestUri state } } } } }\`);

public const listing = graphql(\`query Listing($serviceType: String!) { listing(serviceType: $serviceType) {
  serviceType publisher status reason registered { packageId manifestUri manifestHash version updatedAtMs }
  versions { edges { node { version listed packageId manifestUri manifestHash timestampMs checkpoint } } }
  events { edges { node { eventId name type sender txDigest checkpoint timestampMs data } } }
  latestReviews { edges { node { attester score commentUri text verified timestampMs checkpoint } } }
  usageByDay { day actions wallets coins { coin actions taken brought } } } }\`);

public const vault = graphql(\`query Vault($owner: String!) { wallets(owner: $owner, first: 5) { totalCount edges { node {
  walletId identity paused createdMs delegates { edges { node { address addedMs expiresMs truncated
  services { key amount unlimited } coins { key amount unlimited } } } } } } } }\`);

public const market = graphql(\`query Market($provider: String!) {
  rules { edges { node { ruleType kind packageId manifestUri publisher version label publisherVerified
    warnings { code detail } } } }
  agents { edges { node { address name description skills cardUrl completedJobs hirers newHirers releasedValue
    releasedByCoin { coinType amount jobs } } } }
  jobs(provider: $provider) { edges { node { jobId state stateNum amount provider payer coinType note walletId brief
    assessor assessorType deadlineMs reviewMs createdMs refundTo refundedTo refundReason } } }
  registryEvents(last: 100) { edges { node { name data timestampMs eventId } } }
  sources { network name chainId checkpoint checkpointMs chainTip events undecodedEvents lastError } }\`);

public const related = graphql(\`query Related($provider: String!) { agent(address: $provider) { delegations { edges { node {
  address addedMs expiresMs truncated services { key amount unlimited } coins { key amount unlimited }
  wallet { walletId grants { coin allowance walletId adaptor { grants { totalCount } } } } } } }
  events(filter: { checkpoint: { gte: 0 } }) { totalCount edges { node { name data sourceProgress { name } } } } } }\`);

/** Types hold what may be null, and the values of enums. */
type Listing = NonNullable<ResultOf<typeof listing>['listing']>;
public const status: Listing['status'] = 'SHOWN';
public const reason: Listing['reason'] = null;
type Agent = NonNullable<ResultOf<typeof related>['agent']>;
public const progress: Agent['events']['edges'][0]['node']['sourceProgress'] = null;
// @ts-expect-error A delegation is of an address.
public const address: Agent['delegations']['edges'][0]['node']['address'] = null;
// @ts-expect-error A version is never null.
public const version: Listing['registered']['version'] = null;
// @ts-expect-error There is no such field.
public type Unknown = Listing['secrets'];
`
  // `export` belongs to the client, not to this file.
  .replaceAll(/^public /gm, 'export ')
  .replaceAll(/^use /gm, 'import ');

let gateway: TestGateway;
let listed: SeededListing;
let folder: string;
beforeAll(async () => {
  gateway = await startTestGateway(
    async (seed) => {
      for (const name of ['registry', 'wallet', 'rules', 'agents', 'escrow']) await seed.source({ name });
      listed = await seed.listing({ usage: { actions: 2, uniqueVaults: 1 } });
      await seed.update(listed, 2);
      await seed.attestation(listed.serviceType, address(1), 4);
      await seed.listing({ manifest: { name: 'Claimed' }, row: { publisherCheck: 'unverified' } });
    },
    { network: testPackages },
  );
  const rows = walletRows(gateway.db);
  const walletId = await rows.wallet(owner);
  await rows.delegate(walletId, address(0xd0));
  await rows.delegate(walletId, provider);
  await rows.grant(walletId, listed.serviceType, `${address(2)}::sui::SUI`, '77');
  await rows.allowance(walletId, address(0xd0), 'coin', `${address(2)}::sui::SUI`, '5');
  await rows.rule(rule);
  await rows.agent('Amy', { agent: provider });
  await rows.job(provider, { walletId, payer: owner });
  folder = createClientFolder('graph-client');
  writeFileSync(join(folder, 'client.ts'), client);
  await generateClient(folder, {
    schema: await readSchema(),
    documents: [...client.matchAll(/graphql\(`([^`]+)`\)/g)].map(([, text]) => text!),
    presetConfig: { fragmentMasking: false },
  });
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

/** Reads the schema of the gateway as a generator does. */
async function readSchema(): Promise<DocumentNode> {
  const data = await readGraph<IntrospectionQuery>(gateway.url, getIntrospectionQuery());
  return parse(printSchema(buildClientSchema(data)));
}

test('a generated client compiles in the strictest mode', () => {
  const options = [
    '--noEmit',
    '--strict',
    '--target',
    'esnext',
    '--module',
    'nodenext',
    '--skipLibCheck',
    'false',
  ];
  const own = [
    '--allowImportingTsExtensions',
    '--exactOptionalPropertyTypes',
    '--types',
    '',
    '--ignoreConfig',
  ];
  const args = [join(root, 'node_modules/typescript/bin/tsc'), ...options, ...own, join(folder, 'client.ts')];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([stdout, status]).toEqual(['', 0]);
});

test('the configuration in the guide makes a client from a running gateway', async () => {
  const guide = readFileSync(join(root, 'docs/graphql.md'), 'utf8');
  const [, example] = /```ts\n(import type \{ CodegenConfig \}[\s\S]*?)```/.exec(guide)!;
  const cwd = join(folder, 'of-the-guide');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'codegen.ts'), example!);
  const { default: config } = await import(join(cwd, 'codegen.ts'));
  expect(config).toEqual({
    schema: 'https://example.org/graphql',
    documents: 'src/**/*.ts',
    generates: { 'src/graph/': { preset: 'client' } },
  });
  const query = 'query Names { adaptors(first: 1) { edges { node { serviceType } } } }';
  await generateClient(cwd, { schema: await readSchema(), documents: [query] });
  expect(readFileSync(join(cwd, 'graph/graphql.ts'), 'utf8')).toContain('export type NamesQuery');
});

const get = async (path: string) => await (await fetch(gateway.url + path)).json();
// biome-ignore lint/suspicious/noExplicitAny: the types of the answers are checked by the compiler above
type Any = any;
const listNodes = ({ edges }: Any): Any[] => edges.map(({ node }: Any) => node);

async function ask(name: string, variables: object = {}): Promise<Any> {
  const documents = await import(join(folder, 'client.ts'));
  return await readGraph(gateway.url, print(documents[name]), variables);
}

test('the client reads the catalog that REST answers', async () => {
  const { adaptors } = await ask('catalog');
  const rest = await get('/api/adaptors?include=unverified&sort=name');
  const shown = listNodes(adaptors).map(({ operations: _operations, manifest, ...entry }) => ({
    ...entry,
    manifest: manifest.json,
    notExecutable: [],
    opCoins: [],
  }));
  expect(shown).toEqual(rest.adaptors);
  expect(adaptors.totalCount).toBe(rest.total);
});

test('the client reads a listing, with its histories and its use, as REST answers them', async () => {
  const { listing } = await ask('listing', { serviceType: listed.serviceType });
  const path = `/api/adaptors/${encodeURIComponent(listed.serviceType)}`;
  const rest = await get(path);
  expect([listing.status.toLowerCase(), listing.reason, listing.registered]).toEqual([
    rest.status,
    rest.reason,
    rest.registered,
  ]);
  expect(listNodes(listing.versions)).toEqual((await get(`${path}/versions`)).versions);
  const events = listNodes(listing.events).map(({ eventId: id, ...event }) => ({ id, ...event }));
  expect(events).toEqual((await get(`${path}/events`)).events);
  expect(listNodes(listing.latestReviews)).toEqual((await get(`${path}/reviews`)).reviews);
  expect(listing.usageByDay).toEqual((await get(`${path}/usage`)).days);
});

test('the client reads wallets and delegates as REST answers them', async () => {
  const { wallets } = await ask('vault', { owner });
  const rest = await get(`/api/vault?owner=${owner}`);
  expect(listNodes(wallets).map(({ delegates: _delegates, ...wallet }) => wallet)).toEqual(rest.wallets);
  expect(wallets.totalCount).toBe(rest.walletCount);
  const delegates = await get(`/api/vault/delegates?walletId=${rest.walletId}`);
  expect(listNodes(listNodes(wallets)[0].delegates)).toEqual(delegates);
  const { agent } = await ask('related', { provider });
  const [{ wallet, ...delegation }] = listNodes(agent.delegations);
  expect([delegation]).toEqual(delegates.filter((one: Any) => one.address === provider));
  expect(wallet.walletId).toBe(rest.walletId);
  const grant = { coin: `${address(2)}::sui::SUI`, allowance: '77', walletId: rest.walletId };
  expect(wallet.grants).toEqual([{ ...grant, adaptor: { grants: { totalCount: 1 } } }]);
  expect(agent.events).toEqual({ totalCount: 0, edges: [] });
});

test('the client reads rules, agents, jobs, events and sources as REST answers them', async () => {
  const data = await ask('market', { provider });
  expect(listNodes(data.rules)).toEqual((await get('/api/policy/rules')).rules);
  const agents = listNodes(data.agents).map(({ cardUrl: _cardUrl, ...agent }) => agent);
  expect(agents).toEqual((await get('/api/agent-services')).services);
  expect(listNodes(data.jobs)).toEqual((await get(`/api/escrow/jobs?provider=${provider}`)).jobs);
  const { events } = await get('/api/adaptors/events');
  const shown = listNodes(data.registryEvents).map(({ name, eventId, ...event }) => ({
    event: name,
    id: eventId,
    ...event,
  }));
  expect(shown.toReversed()).toEqual(
    events.map(({ network: _network, cursor: _cursor, ...event }: Any) => event),
  );
  const { networks } = await get('/status');
  expect(data.sources.map(({ name }: Any) => name).toSorted()).toEqual(
    networks.testnet.sources.map(({ name }: Any) => name).toSorted(),
  );
});
