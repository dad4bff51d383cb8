import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeSettings, loadConfig } from './index.ts';

test('without settings, a local network stands in and the database is embedded', () => {
  expect(loadConfig({})).toMatchObject({
    port: 8080,
    networks: [],
    databaseUrl: undefined,
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

test('a network without its registry is refused, because it could only be followed in part', () => {
  expect(() => loadConfig({ SUI_MAINNET_RPC_URL: 'https://node.test' })).toThrow(
    'MAINNET_REGISTRY_PACKAGE_ID is needed because SUI_MAINNET_RPC_URL is set',
  );
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
    ...{ serviceType: '0xAB::lend::Lend', ops: { deposit: 'lend::supply' } },
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

test.each([
  [{ REDIS_URL: 'http://redis' }, /REDIS_URL: expected redis/],
  [{ KV_REST_API_URL: 'https://kv.test' }, /KV_REST_API_URL and KV_REST_API_TOKEN are only of use together/],
  [
    { REDIS_URL: 'memory:', KV_REST_API_URL: 'https://kv.test', KV_REST_API_TOKEN: 't' },
    /these name several: REDIS_URL; KV_REST_API_URL and KV_REST_API_TOKEN/,
  ],
  [{ MARKETPLACE_ADMIN_SECRET: 'short' }, /MARKETPLACE_ADMIN_SECRET: expected at least 16/],
  [
    { CRON_SECRET: `mk_${'x'.repeat(20)}` },
    /CRON_SECRET: expected something else than what tokens of this service begin/,
  ],
  [{ TRUST_PROXY: 'true' }, /TRUST_PROXY: expected a whole number/],
  [{ INTERNAL_AGENT_CIDRS: '10.0.0.0/8' }, /INTERNAL_AGENT_CIDRS is only of use with INTERNAL_AGENT_SECRET/],
  [{ INTERNAL_AGENT_CIDRS: '10.0.0.1' }, /INTERNAL_AGENT_CIDRS.0: expected addresses in CIDR form/],
  [{ MARKETPLACE_ANON_RPM: '0' }, /MARKETPLACE_ANON_RPM: expected a whole number from 1/],
])('settings of limits and keys that cannot be meant are refused with the reason: %o', (env, reason) => {
  expect(() => loadConfig(env)).toThrow(reason);
});

test('runs are limited where nothing is set, and by what is set where something is', () => {
  const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;
  expect(loadConfig({})).toMatchObject({
    dailyLimits: { [sui]: 20_000_000_000n },
    gasLimits: {
      ...{ perRun: 50_000_000n, wallet: 200_000_000n, owner: 500_000_000n, unplanned: 1_000_000_000n },
    },
    runsDaily: 200n,
  });
  const { dailyLimits, gasLimits, runsDaily } = loadConfig({
    ...{ AGENT_DAILY_LIMITS: '0xab::usd::USD=5, *=7', AGENT_GAS_DAILY: ' unplanned=0 , wallet=3' },
    ...{ AGENT_GAS_MAX: '3000000', AGENT_RUNS_DAILY: '9' },
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

test('of a url, which may hold a key, only the host is printed', () => {
  const env = { WALRUS_MAINNET_AGGREGATOR_URL: 'https://me:word@node.example/v1/a-key?token=b' };
  const printed = describeSettings(env).find(({ name }) => name === 'WALRUS_MAINNET_AGGREGATOR_URL');
  expect(printed?.value).toBe('https://node.example/…');
});

test('.env.example lists every setting with its default, and nothing else', () => {
  const file = readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8');
  const listed = file.split('\n').filter((line) => line && !line.startsWith('#'));
  const settings = describeSettings({}).map(({ name, value }) => {
    const derived = name.endsWith('_AGGREGATOR_URL');
    return `${name}=${derived ? '' : value}`;
  });
  expect(listed.sort()).toEqual(settings.sort());
});
