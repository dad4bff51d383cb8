import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { networks } from '@adaptor-marketplace/adaptor';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildDeploymentPath, readDeployment } from './deployments.ts';
import { describeSettings, maskSecret } from './describe.ts';
import { loadConfig } from './index.ts';
import { listFollowedSources } from './networks.ts';

test('without settings, a local network stands in and the database is embedded', () => {
  expect(loadConfig({})).toMatchObject({
    ports: { http: { port: 8080, required: false } },
    networks: [],
    database: undefined,
    dataDir: '.data',
  });
});

test('every wrong setting is named with its reason, not only the first', () => {
  const load = () =>
    loadConfig({ PORT: '-1', DATABASE_URL: 'mysql://x', WALRUS_MAINNET_AGGREGATOR_URL: 'x' });
  expect(load).toThrow(
    /PORT: .*\n.*DATABASE_URL: expected a postgres.*\n.*WALRUS_MAINNET_AGGREGATOR_URL: expected/,
  );
});

test('a network without a registry is refused if no other one is set', () => {
  expect(() => loadConfig({ SUI_MAINNET_RPC_URL: 'https://node.test' })).toThrow(
    /MAINNET_REGISTRY_PACKAGE_ID is required because SUI_MAINNET_RPC_URL is set, and .*mainnet\.json names no registry/,
  );
});

test('a network without a registry beside another one is not served, and a warning says why', () => {
  const { networks, unserved, warnings } = loadConfig({
    SUI_TESTNET_RPC_URL: 'https://node.test',
    SUI_MAINNET_RPC_URL: 'https://node.test',
  });
  expect(networks.map(({ network }) => network)).toEqual(['testnet']);
  expect(unserved).toEqual({ mainnet: expect.stringContaining('mainnet is not served') });
  expect(warnings).toContain(unserved.mainnet);
});

test('testnet needs only the url of a node: the tracked file names its packages', () => {
  const [testnet] = loadConfig({ SUI_TESTNET_RPC_URL: 'https://node.test' }).networks;
  expect(testnet).toMatchObject({
    registryPackageId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    walletPackageId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    fromFile: ['registryPackageId', 'walletPackageId'],
  });
  expect(listFollowedSources(testnet!)).toEqual(['registry', 'wallet']);
});

test('the tracked files of all networks can be read', () => {
  for (const network of networks) {
    expect(Object.keys(readDeployment(buildDeploymentPath(network), network))).not.toContain('');
  }
});

test('a setting has priority over the file, and another registry leaves the file unused', () => {
  const url = { SUI_TESTNET_RPC_URL: 'https://node.test' };
  const [wallet] = loadConfig({ ...url, TESTNET_WALLET_PACKAGE_ID: '0xab' }).networks;
  expect(wallet).toMatchObject({
    walletPackageId: `0x${'ab'.padStart(64, '0')}`,
    fromFile: ['registryPackageId'],
  });
  const [registry] = loadConfig({ ...url, TESTNET_REGISTRY_PACKAGE_ID: '0xab' }).networks;
  expect(registry).toMatchObject({ fromFile: [], walletPackageId: undefined, registryObjectId: undefined });
});

test('a wrong id in a setting or in a file is named with its place', async () => {
  const load = (env: Record<string, string>) => () =>
    loadConfig({ SUI_TESTNET_RPC_URL: 'https://node.test', ...env });
  expect(load({ TESTNET_WALLET_PACKAGE_ID: 'wallet' })).toThrow(
    'TESTNET_WALLET_PACKAGE_ID: expected an object id',
  );
  const folder = await mkdtemp(join(tmpdir(), 'deployment-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'own.json');
  expect(load({ TESTNET_DEPLOYMENT_FILE: file })).toThrow(/TESTNET_DEPLOYMENT_FILE: .*own\.json: ENOENT/);
  await writeFile(file, '{ "registryPackageId": "0x1", "walletPackageId": "wallet", "vault": "0x2" }');
  expect(load({ TESTNET_DEPLOYMENT_FILE: file })).toThrow(
    /own\.json: walletPackageId: expected an object id.*; file: .*vault/,
  );
});

describe('several providers of a network', () => {
  const load = (env: Record<string, string>) =>
    loadConfig({ TESTNET_REGISTRY_PACKAGE_ID: '0xAB', TESTNET_REGISTRY_OBJECT_ID: '0x1', ...env })
      .networks[0];

  test('are read in their order, and each token goes to its own', () => {
    const urls = 'https://a.test, https://b.test:9000/ ,http://c.test';
    expect(
      load({
        SUI_TESTNET_RPC_URLS: urls,
        SUI_TESTNET_RPC_TOKEN: 'first,,third',
        SUI_TESTNET_RPC_BUDGET: '100',
      }),
    ).toMatchObject({
      rpcUrl: 'https://a.test',
      rpcToken: 'first',
      otherProviders: [
        { url: 'https://b.test:9000', token: undefined },
        { url: 'http://c.test', token: 'third' },
      ],
      rpcBudget: 100,
    });
    expect(load({ SUI_TESTNET_RPC_URLS: urls, SUI_TESTNET_RPC_TOKEN: 'one' })).toMatchObject({
      rpcToken: 'one',
      otherProviders: [{ token: undefined }, { token: undefined }],
    });
  });

  test('leave the token of a single provider as it is', () => {
    const one = { SUI_TESTNET_RPC_URL: 'https://a.test', SUI_TESTNET_RPC_TOKEN: 'with,comma' };
    expect(load(one)).toMatchObject({ rpcUrl: 'https://a.test', rpcToken: 'with,comma' });
  });

  test.each([
    [
      'both settings',
      { SUI_TESTNET_RPC_URL: 'https://a.test', SUI_TESTNET_RPC_URLS: 'https://b.test' },
      /RPC_URL and RPC_URLS are both set/,
    ],
    [
      'a doubled one',
      { SUI_TESTNET_RPC_URLS: 'https://a.test,https://a.test:443/' },
      /SUI_TESTNET_RPC_URLS: a.test is named twice/,
    ],
    [
      'a path',
      { SUI_TESTNET_RPC_URLS: 'https://a.test,https://b.test/key' },
      /SUI_TESTNET_RPC_URLS: expected http\(s\):/,
    ],
    ['an empty item', { SUI_TESTNET_RPC_URLS: 'https://a.test,' }, /SUI_TESTNET_RPC_URLS: expected/],
    ['a password', { SUI_TESTNET_RPC_URLS: 'https://u:p@a.test' }, /without user/],
    [
      'more tokens than urls',
      { SUI_TESTNET_RPC_URLS: 'https://a.test', SUI_TESTNET_RPC_TOKEN: 's3c,s3d' },
      /RPC_TOKEN has 2 tokens for 1 urls/,
    ],
    [
      'no registry',
      { SUI_MAINNET_RPC_URLS: 'https://a.test' },
      /required because SUI_MAINNET_RPC_URLS is set/,
    ],
    [
      'a budget of nothing',
      { SUI_TESTNET_RPC_URLS: 'https://a.test', SUI_TESTNET_RPC_BUDGET: '0' },
      /SUI_TESTNET_RPC_BUDGET: expected/,
    ],
  ])('are refused with %s, and no secret is repeated', (_, env: Record<string, string>, reason) => {
    expect(() => load(env)).toThrow(reason);
    expect(() => load(env)).not.toThrow(/s3c|u:p|key/);
  });
});

describe('a bucket of checkpoint files', () => {
  const load = (url: string, cidrs = '') =>
    loadConfig({
      SUI_TESTNET_RPC_URL: 'https://node.test',
      SUI_TESTNET_CHECKPOINTS_URL: url,
      OUTBOUND_ALLOW_CIDRS: cidrs,
    }).networks[0]?.checkpointsUrl;

  test('is a public https url, or what the operator opened', () => {
    expect(load('https://checkpoints.test/testnet/')).toBe('https://checkpoints.test/testnet');
    expect(load('http://127.0.0.1:9/files', '127.0.0.0/8')).toBe('http://127.0.0.1:9/files');
  });

  test.each([
    ['http', 'http://checkpoints.test', /SUI_TESTNET_CHECKPOINTS_URL: Only https urls are fetched/],
    ['a private address', 'https://127.0.0.1/', /SUI_TESTNET_CHECKPOINTS_URL: .*OUTBOUND_ALLOW_CIDRS opens/],
    [
      'a query',
      'https://checkpoints.test/?key=s3c',
      /SUI_TESTNET_CHECKPOINTS_URL: expected a url without a query/,
    ],
    ['a password', 'https://u:s3c@checkpoints.test/', /SUI_TESTNET_CHECKPOINTS_URL: .*credentials/],
    ['no url', 's3c', /SUI_TESTNET_CHECKPOINTS_URL: expected an http/],
  ])('is refused at start with %s', (_, url, reason) => {
    expect(() => load(url)).toThrow(reason);
    expect(() => load(url)).not.toThrow(/s3c/);
  });
});

test('one package under two settings is refused, because its events would be stored twice', () => {
  const load = () =>
    loadConfig({
      SUI_TESTNET_RPC_URL: 'https://node.test',
      TESTNET_REGISTRY_PACKAGE_ID: '0xab',
      TESTNET_REGISTRY_OBJECT_ID: '0x1',
      TESTNET_RULES_PACKAGE_ID: '0x0AB',
    });
  expect(load).toThrow('TESTNET_REGISTRY_PACKAGE_ID and TESTNET_RULES_PACKAGE_ID name the same package');
});

test('slots are read from JSON, and a wrong one is named with its reason', () => {
  const node = {
    SUI_TESTNET_RPC_URL: 'http://localhost:9000',
    TESTNET_REGISTRY_PACKAGE_ID: '0x1',
    TESTNET_REGISTRY_OBJECT_ID: '0x2',
  };
  const load = (slots: unknown) => loadConfig({ ...node, TESTNET_SLOTS: JSON.stringify(slots) });
  const lending = {
    serviceType: '0xAB::lend::Lend',
    ops: { deposit: 'lend::supply' },
    values: { much: 'size' },
  };
  expect(load({ lendingA: lending }).networks[0]?.slots).toEqual({
    lendingA: { ...lending, serviceType: `0x${'ab'.padStart(64, '0')}::lend::Lend` },
  });
  expect(() => load({ casino: lending })).toThrow(/TESTNET_SLOTS: .*casino/);
  expect(() => load({ swap: lending })).toThrow(/TESTNET_SLOTS: swap: ops: .*deposit/);
  expect(() => load({ lendingA: { ...lending, values: { much: 'money' } } })).toThrow('values: much: ');
  expect(() => load({ swap: { serviceType: 'Lend' } })).toThrow('TESTNET_SLOTS: swap: serviceType: expected');
  expect(() => load('swap')).toThrow('TESTNET_SLOTS');
});

test('short object ids are padded and urls lose their trailing slash', () => {
  const [testnet] = loadConfig({
    SUI_TESTNET_RPC_URL: 'https://node.test/',
    TESTNET_REGISTRY_PACKAGE_ID: '0xAB',
    TESTNET_REGISTRY_OBJECT_ID: '0x1',
  }).networks;
  expect(testnet?.rpcUrl).toBe('https://node.test');
  expect(testnet?.registryPackageId).toBe(`0x${'ab'.padStart(64, '0')}`);
});

test('the local network is reached where it listens, unless that is every address', () => {
  const reachedAt = (HOST: string) => loadConfig({ HOST }).localnetHost;
  expect(['127.0.0.1', '10.1.2.3', '::1', '0.0.0.0', '::'].map(reachedAt)).toEqual([
    '127.0.0.1',
    '10.1.2.3',
    '[::1]',
    '127.0.0.1',
    '127.0.0.1',
  ]);
});

test('private ranges are taken only in CIDR form', () => {
  expect(loadConfig({ OUTBOUND_ALLOW_CIDRS: '10.0.0.0/8, ::1/128' }).outboundAllowCidrs).toHaveLength(2);
  expect(() => loadConfig({ OUTBOUND_ALLOW_CIDRS: 'localhost' })).toThrow(/CIDR/);
});

test('one key-value store is taken, in any of its spellings', () => {
  const kv = (env: Record<string, string>) => loadConfig(env).kv;
  expect(kv({})).toBeUndefined();
  expect(kv({ REDIS_URL: 'memory:' })).toEqual({ kind: 'memory' });
  expect(kv({ REDIS_URL: 'rediss://:pass@redis/2' })).toMatchObject({
    kind: 'redis',
    address: { tls: true, password: 'pass', database: 2, nodes: [{ host: 'redis', port: 6379 }] },
  });
  for (const prefix of ['KV_REST_API', 'UPSTASH_REDIS_REST']) {
    const env = { [`${prefix}_URL`]: 'https://kv.test/', [`${prefix}_TOKEN`]: 't' };
    expect(kv(env)).toEqual({ kind: 'rest', url: 'https://kv.test', token: 't' });
  }
});

test('REDIS_URL is used beside what a platform sets for the same store, and the log says so', () => {
  const pair = (prefix: string) => ({ [`${prefix}_URL`]: 'https://kv.test', [`${prefix}_TOKEN`]: 't' });
  const both = loadConfig({ REDIS_URL: 'memory:', ...pair('KV_REST_API') });
  expect(both.kv).toEqual({ kind: 'memory' });
  expect(both.warnings).toEqual([
    'REDIS_URL names the key-value store: KV_REST_API_URL and KV_REST_API_TOKEN are ignored.',
  ]);
  const twice = loadConfig({ ...pair('KV_REST_API'), ...pair('UPSTASH_REDIS_REST') });
  expect(twice.kv).toMatchObject({ kind: 'rest', url: 'https://kv.test' });
  expect(twice.warnings).toEqual([expect.stringContaining('UPSTASH_REDIS_REST_TOKEN are ignored')]);
  expect(loadConfig({ REDIS_URL: 'memory:' }).warnings).toEqual([]);
});

const primary = { DATABASE_URL: 'postgres://db/market' };

test('behind PgBouncer, sessions go past it, and statements have names unless they must not', () => {
  const env = { ...primary, DIRECT_DATABASE_URL: 'postgres://db:5432/market' };
  const address = { url: primary.DATABASE_URL, directUrl: env.DIRECT_DATABASE_URL };
  const named = loadConfig(env);
  expect(named.database).toEqual({ ...address, pooler: { prepares: true } });
  const unnamed = loadConfig({ ...env, DATABASE_PREPARED_STATEMENTS: 'off' });
  expect(unnamed.database).toEqual({ ...address, pooler: { prepares: false } });
  expect(unnamed.readReplicas.pooler).toEqual({ prepares: false });
});

test.each([
  [{ DATABASE_URL: 'postgres://' }, /DATABASE_URL: expected a host/],
  [{ DATABASE_URL: 'postgres:///market' }, /DATABASE_URL: expected a host/],
  [{ DATABASE_URL: 'mysql://db' }, /DATABASE_URL: expected a postgres:\/\/ url/],
  [{ DATABASE_URL: 'postgres://db:x/y' }, /DATABASE_URL: expected a postgres:\/\/ url/],
  [{ AWS_ENDPOINT_URL: 'storage.example' }, /AWS_ENDPOINT_URL: expected an http/],
  [{ AWS_REGION: 'Frankfurt' }, /AWS_REGION: expected a region/],
  [{ AWS_ACCESS_KEY_ID: 'id' }, /Set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/],
  [{ AWS_SECRET_ACCESS_KEY: 'two words' }, /AWS_SECRET_ACCESS_KEY: expected characters/],
  [{ SQL_DATABASE_URL: 'embedded' }, /SQL_DATABASE_URL: expected a postgres:\/\/ url/],
  [
    { SQL_DATABASE_URL: 'embedded:', DATABASE_URL: 'postgres://db/market' },
    /SQL_DATABASE_URL: embedded: is for the server without DATABASE_URL/,
  ],
  [{ READ_DATABASE_URLS: 'postgres://r/m' }, /READ_DATABASE_URLS: set DATABASE_URL to the primary/],
  [{ ...primary, READ_DATABASE_URLS: 'mysql://r/m' }, /READ_DATABASE_URLS.0: expected a postgres:\/\/ url/],
  [{ ...primary, READ_DATABASE_URLS: 'postgres://db/market' }, /READ_DATABASE_URLS: name only replicas/],
  [
    { ...primary, DIRECT_DATABASE_URL: 'postgres://r/m', READ_DATABASE_URLS: 'postgres://r/m' },
    /READ_DATABASE_URLS: name only replicas/,
  ],
  [
    { ...primary, READ_DATABASE_URLS: 'postgres://r/m,postgres://r/m' },
    /READ_DATABASE_URLS: name each replica once/,
  ],
  [{ READ_DATABASE_LAG_SECONDS: '0' }, /READ_DATABASE_LAG_SECONDS: /],
  [{ READ_DATABASE_LAG_SECONDS: '3601' }, /READ_DATABASE_LAG_SECONDS: /],
  [{ DIRECT_DATABASE_URL: 'postgres://db/market' }, /DIRECT_DATABASE_URL: set DATABASE_URL/],
  [{ ...primary, DIRECT_DATABASE_URL: 'mysql://db' }, /DIRECT_DATABASE_URL: expected a postgres:\/\/ url/],
  [
    { ...primary, DATABASE_PREPARED_STATEMENTS: 'off' },
    /DATABASE_PREPARED_STATEMENTS: .* DIRECT_DATABASE_URL/,
  ],
  [{ DATABASE_PREPARED_STATEMENTS: 'false' }, /DATABASE_PREPARED_STATEMENTS: /],
  [{ HOST: '256.1.1.1' }, /HOST: expected an IP address or a host name/],
  [{ HOST: '0.0.0.0:8080' }, /HOST: expected an IP address or a host name/],
  [{ HOST: 'http://localhost' }, /HOST: expected an IP address or a host name/],
  [{ TOOLS_HOST: '[::1]' }, /TOOLS_HOST: expected an IP address or a host name/],
  [{ AGENT_HOST: 'my host' }, /AGENT_HOST: expected an IP address or a host name/],
  [{ LOCALNET_HOST: '-' }, /LOCALNET_HOST: expected an IP address or a host name/],
  [{ TESTNET_SLOTS: '{"swap":' }, /TESTNET_SLOTS: expected JSON: /],
  [{ TESTNET_SLOTS: 'swap' }, /TESTNET_SLOTS: expected JSON: /],
  [{ TESTNET_SLOTS: '[]' }, /TESTNET_SLOTS: .*expected object/],
  [{ TESTNET_RANKING_PAYEES: '0x1,treasury.sui' }, /TESTNET_RANKING_PAYEES.1: expected an object id/],
])('what cannot work is refused by its name: %o', (env, reason) => {
  expect(() => loadConfig(env)).toThrow(reason);
});

test.each([
  'postgres://db',
  'postgresql://me:word@db:5432/market?sslmode=require',
  'postgres://%2Fvar%2Frun%2Fpostgresql/market',
  'postgres:///market?host=/var/run/postgresql',
])('a database is named by %s', (DATABASE_URL) => {
  expect(loadConfig({ DATABASE_URL }).database).toBe(DATABASE_URL);
});

test('addresses and names of hosts are taken in all their forms', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain(), fc.constantFrom('localhost', 'tools_1')),
      (HOST) => {
        expect(loadConfig({ HOST }).host).toBe(HOST);
      },
    ),
  );
});

test('names that were probably meant to be settings are pointed out, and others are left alone', () => {
  const others = {
    PATH: '/bin',
    HOME: '/root',
    HOSTNAME: 'a',
    PWD: '/',
    NODE_ENV: 'x',
    POST: 'no',
    PORTS: '',
  };
  const { POST: _, ...quiet } = others;
  expect(loadConfig(quiet).warnings).toEqual([]);
  const slips = { PROT: '1', REDIS_ULR: 'x', LOG_LEVE: 'x', port: '1', TESTNET_SLOT: '{}', DATABASEURL: 'x' };
  expect(loadConfig(slips).warnings).toEqual([
    'PROT is not a setting; did you mean PORT?',
    'REDIS_ULR is not a setting; did you mean REDIS_URL?',
    'LOG_LEVE is not a setting; did you mean LOG_LEVEL?',
    'port is not a setting; did you mean PORT?',
    'TESTNET_SLOT is not a setting; did you mean TESTNET_SLOTS?',
    'DATABASEURL is not a setting; did you mean DATABASE_URL?',
  ]);
  const inFile = {
    SOMETHING: 'x',
    ADMIN_SECRET: 'x',
    COMPOSE_PROFILES: 'agent',
    PUBLISH_HOST: '0.0.0.0',
    MARKETPLACE_URL: 'http://a',
  };
  expect(loadConfig(inFile).warnings).toEqual([]);
  expect(loadConfig(inFile, Object.keys(inFile)).warnings).toEqual([
    'SOMETHING is not a setting',
    'ADMIN_SECRET is not a setting',
  ]);
});

test('one slip in any name is found, whatever else is in the environment', () => {
  const names = describeSettings({}).map(({ name }) => name);
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.nat(),
      fc.constantFrom('drop', 'swap', 'add'),
      (name, n, how) => {
        const at = n % (name.length - 1);
        const [a, b] = [name[at]!, name[at + 1]!];
        const middle = { drop: b, swap: b + a, add: `${a}X${b}` }[how];
        const slip = name.slice(0, at) + middle + name.slice(at + 2);
        fc.pre(!names.includes(slip));
        const [warning] = loadConfig({ [slip]: 'x' }).warnings;
        expect(warning).toMatch(new RegExp(`^${slip} is not a setting; did you mean `));
      },
    ),
  );
});

test.each([
  [{ REDIS_URL: 'http://redis' }, /REDIS_URL: expected redis/],
  [{ KV_REST_API_URL: 'https://kv.test' }, /KV_REST_API_URL and KV_REST_API_TOKEN are only of use together/],
  [
    {
      KV_REST_API_URL: 'https://kv.test',
      KV_REST_API_TOKEN: 't',
      UPSTASH_REDIS_REST_URL: 'https://other.test',
      UPSTASH_REDIS_REST_TOKEN: 't',
    },
    /these name several: KV_REST_API_URL and KV_REST_API_TOKEN; UPSTASH_REDIS_REST_URL and/,
  ],
  [{ MARKETPLACE_ADMIN_SECRET: 'short' }, /MARKETPLACE_ADMIN_SECRET: expected at least 16/],
  [
    { MARKETPLACE_ADMIN_SECRET_FALLBACK: 'x'.repeat(16) },
    /MARKETPLACE_ADMIN_SECRET_FALLBACK: set MARKETPLACE_ADMIN_SECRET to another secret/,
  ],
  [
    { CRON_SECRET: `mk_${'x'.repeat(20)}` },
    /CRON_SECRET: expected a value that does not begin like a token of this service/,
  ],
  [{ TRUST_PROXY: 'true' }, /TRUST_PROXY: expected a whole number/],
  [{ INTERNAL_AGENT_CIDRS: '10.0.0.0/8' }, /INTERNAL_AGENT_CIDRS requires INTERNAL_AGENT_SECRET/],
  [{ INTERNAL_AGENT_CIDRS: '10.0.0.1' }, /INTERNAL_AGENT_CIDRS.0: expected addresses in CIDR form/],
  [{ MARKETPLACE_ANON_RPM: '0' }, /MARKETPLACE_ANON_RPM: expected a whole number from 1/],
])('settings of limits and keys that cannot be meant are refused with the reason: %o', (env, reason) => {
  expect(() => loadConfig(env)).toThrow(reason);
});

test('runs are limited where nothing is set, and by what is set where something is', () => {
  const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;
  expect(loadConfig({})).toMatchObject({
    dailyLimits: { [sui]: 20_000_000_000n },
    gasLimits: { perRun: 100_000_000n, wallet: 200_000_000n, owner: 500_000_000n, unplanned: 1_000_000_000n },
    runsDaily: 200n,
  });
  const { dailyLimits, gasLimits, runsDaily } = loadConfig({
    AGENT_DAILY_LIMITS: '0xab::usd::USD=5, *=7',
    AGENT_GAS_DAILY: ' unplanned=0 , wallet=3',
    AGENT_GAS_MAX: '3000000',
    AGENT_RUNS_DAILY: '9',
  });
  expect(dailyLimits).toEqual({ [`0x${'ab'.padStart(64, '0')}::usd::USD`]: 5n, '*': 7n });
  expect(gasLimits).toEqual({ perRun: 3_000_000n, wallet: 3n, owner: 500_000_000n, unplanned: 0n });
  expect(runsDaily).toBe(9n);
});

test.each([
  [{ AGENT_DAILY_LIMITS: 'SUI=5' }, /AGENT_DAILY_LIMITS: expected <coin type>=<base units>/],
  [
    { AGENT_DAILY_LIMITS: '0x2::sui::SUI=5,0x02::sui::SUI=6' },
    /AGENT_DAILY_LIMITS: 0x02::sui::SUI is named twice/,
  ],
  [
    { AGENT_GAS_DAILY: 'wallets=5' },
    /AGENT_GAS_DAILY: expected wallet=, owner= or unplanned=.* not wallets=5/,
  ],
  [{ AGENT_GAS_DAILY: 'owner=0.2' }, /AGENT_GAS_DAILY: expected/],
  [{ AGENT_GAS_DAILY: 'owner=1,owner=2' }, /AGENT_GAS_DAILY: owner is named twice/],
  [{ AGENT_GAS_MAX: '0' }, /AGENT_GAS_MAX: expected a whole number from 2500000/],
  [{ AGENT_RUNS_DAILY: '-1' }, /AGENT_RUNS_DAILY: expected a whole number from 1/],
])('limits of runs that cannot be meant are refused with the reason: %o', (env, reason) => {
  expect(() => loadConfig(env)).toThrow(reason);
});

test('the public origin is the one that is set, else that of HOST and PORT', () => {
  const publicUrl = (env: Record<string, string>) => loadConfig(env).publicUrl;
  expect(publicUrl({})).toBe('http://127.0.0.1:8080');
  expect(publicUrl({ HOST: '::', PORT: '9999' })).toBe('http://127.0.0.1:9999');
  expect(publicUrl({ HOST: '::1', PORT: '0' })).toBe('http://[::1]');
  expect(publicUrl({ PUBLIC_URL: 'https://Market.example:443/' })).toBe('https://market.example');
  expect(loadConfig({ PUBLIC_URL: 'https://Market.example:443/' }).errorPagesUrl).toBe(
    'https://market.example',
  );
  expect(loadConfig({}).errorPagesUrl).toBeUndefined();
  const AGENT_SECRET_KEY = 'suiprivkey1';
  expect(loadConfig({ AGENT_SECRET_KEY }).warnings).toEqual([]);
  expect(loadConfig({ HOST: '0.0.0.0' }).warnings).toEqual([]);
  expect(loadConfig({ HOST: '0.0.0.0', AGENT_SECRET_KEY }).warnings).toEqual([
    'PUBLIC_URL is not set: sign-in messages name http://127.0.0.1:8080 as this host.',
  ]);
});

test.each(['market.example', 'https://market.example/path', 'https://me:word@market.example', 'ftp://a.b'])(
  'a public url that is not an origin is refused: %s',
  (PUBLIC_URL) => {
    expect(() => loadConfig({ PUBLIC_URL })).toThrow(/PUBLIC_URL: expected/);
  },
);

test('no secret is printed', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9]{12,30}$/), (secret) => {
      const env = {
        DATABASE_URL: `postgres://me:${secret}@db/x`,
        SUI_TESTNET_RPC_TOKEN: secret,
        REDIS_URL: `redis://me:${secret}@redis`,
        MARKETPLACE_ADMIN_SECRET: `${secret}-and-more`,
        CRON_SECRET: `${secret}-and-more`,
      };
      const printed = describeSettings(env)
        .map(({ value }) => value)
        .join('\n');
      expect(printed).not.toContain(secret);
    }),
  );
});

test('a value is printed only of settings that are known to hold no secret', () => {
  const names = describeSettings({}).map(({ name }) => name);
  const masked = names.filter((name) => maskSecret(name, 'x') === '[masked]');
  expect(masked.toSorted()).toEqual([
    'AGENT_SECRET_KEY',
    'AGENT_SECRET_KEY_FILE',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'CRON_SECRET',
    'DATABASE_URL',
    'DIRECT_DATABASE_URL',
    'INTERNAL_AGENT_SECRET',
    'KV_REST_API_TOKEN',
    'MARKETPLACE_ADMIN_SECRET',
    'MARKETPLACE_ADMIN_SECRET_FALLBACK',
    'READ_DATABASE_URLS',
    'REDIS_URL',
    'SQL_DATABASE_URL',
    'SUI_MAINNET_RPC_TOKEN',
    'SUI_TESTNET_RPC_TOKEN',
    'UPSTASH_REDIS_REST_TOKEN',
  ]);
  expect(maskSecret('A_SETTING_OF_TOMORROW', 'x')).toBe('[masked]');
});

test('an explorer is a url with the place of an id', () => {
  const url = 'https://explorer.example/{kind}/{id}';
  const node = { SUI_TESTNET_RPC_URL: 'https://node.test', TESTNET_REGISTRY_PACKAGE_ID: '0x1' };
  const [network] = loadConfig({ ...node, SUI_TESTNET_EXPLORER_URL: url }).networks;
  expect(network?.explorerUrl).toBe(url);
  for (const wrong of ['https://explorer.example/', 'javascript:{id}'])
    expect(() => loadConfig({ ...node, SUI_TESTNET_EXPLORER_URL: wrong })).toThrow(
      /SUI_TESTNET_EXPLORER_URL/,
    );
});

test('names of packages are read from the registry of the network, from another server, or not at all', () => {
  const node = { SUI_TESTNET_RPC_URL: 'https://node.test', TESTNET_REGISTRY_PACKAGE_ID: '0x1' };
  const readUrl = (given?: string) =>
    loadConfig({ ...node, ...(given !== undefined && { SUI_TESTNET_MVR_URL: given }) }).networks[0]?.mvrUrl;
  expect(readUrl()).toBe('https://testnet.mvr.mystenlabs.com');
  expect(readUrl('https://names.example/mvr/')).toBe('https://names.example/mvr');
  expect(readUrl('off')).toBeUndefined();
  expect(() => readUrl('names.example')).toThrow(/SUI_TESTNET_MVR_URL: expected an http\(s\) url or off/);
});

test('of a url, which may hold a key, only the host is printed', () => {
  const env = { WALRUS_MAINNET_AGGREGATOR_URL: 'https://me:word@node.example/v1/a-key?token=b' };
  const printed = describeSettings(env).find(({ name }) => name === 'WALRUS_MAINNET_AGGREGATOR_URL');
  expect(printed?.value).toBe('https://node.example/…');
});

const defaultPorts = [
  'PORT',
  'EMBEDDED_POSTGRES_PORT',
  'LOCALNET_PORT',
  'LOCALNET_FAUCET_PORT',
  'LOCALNET_BLOBS_PORT',
];

test('a port is required where it is set, and one that is not set may be replaced', () => {
  const choices = (env: Record<string, string>) =>
    Object.values(loadConfig(env).ports).map(({ setting, port, required }) => [setting, port, required]);
  const byDefault = [8080, 9000, 9123, 31_415, 0];
  const names = ['PORT', ...defaultPorts.slice(2), 'EMBEDDED_POSTGRES_PORT'];
  expect(choices({ PORT: '' })).toEqual(names.map((name, at) => [name, byDefault[at], false]));
  const all = (value: string) => Object.fromEntries(names.map((name) => [name, value]));
  // The default, set explicitly.
  expect(choices({ PORT: '8080' })[0]).toEqual(['PORT', 8080, true]);
  expect(choices(all('7001'))).toEqual(names.map((name) => [name, 7001, true]));
  expect(choices(all('0'))).toEqual(names.map((name) => [name, 0, false]));
});
