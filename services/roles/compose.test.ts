import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Config, loadConfig } from '../../lib/config/index.ts';
import { roles } from './roles.ts';

interface Service {
  command?: string[];
  profiles?: string[];
  env_file?: { path: string; required: boolean }[];
  environment: Record<string, string | number>;
  image?: string;
  networks?: { default: { aliases: string[] } };
  ports?: string[];
  restart?: string;
}

const root = join(import.meta.dirname, '../..');
const file = readFileSync(join(root, 'docker-compose.yml'), 'utf8');

/** The schema of Compose files, which a linter carries. */
const schema = readFileSync(join(root, 'node_modules/dclint/schemas/compose.schema.json'), 'utf8');
const isComposeFile = new Ajv({ strict: false, validateFormats: false }).compile({
  ...JSON.parse(schema),
  $schema: undefined,
});

/** The file as Compose reads it beside a `.env` that holds these lines. */
function compose(env: Record<string, string> = {}): {
  services: Record<string, Service>;
  volumes: object;
  configs: Record<string, { content: string }>;
} {
  const text = file
    .replace(/^\s*#.*$/gm, '')
    .replace(/\$\{(\w+):-([^}]*)\}/g, (_, name, or) => env[name] || or);
  // Any other form would have to be read as Compose reads it.
  expect(text.replaceAll('$$', '')).not.toContain('$');
  return parse(
    text.replaceAll('$$', () => '$'),
    { merge: true },
  );
}

/** The settings of a service's process: `.env`, over which its own environment wins. */
function settings({ env_file, environment }: Service, env: Record<string, string>): Config {
  expect(env_file).toEqual([{ path: '.env', required: false }]);
  const own = Object.entries(environment).map(([name, value]) => [name, String(value)]);
  return loadConfig({ ...env, ...Object.fromEntries(own) }, Object.keys(env));
}

const publicNetwork = {
  SUI_TESTNET_RPC_URL: 'https://node.test',
  TESTNET_REGISTRY_PACKAGE_ID: '0x1',
  TESTNET_REGISTRY_OBJECT_ID: '0x2',
};

describe.each([
  ['nothing', {}],
  ['the example', { PORT: '', LOCALNET_PORT: '', HOST: '127.0.0.1', LOG_LEVEL: 'info' }],
  [
    'other ports',
    { PORT: '80', LOCALNET_PORT: '9001', LOCALNET_FAUCET_PORT: '9124', LOCALNET_BLOBS_PORT: '9125' },
  ],
  ['a name and an address', { LOCALNET_HOST: 'market.example', PUBLISH_HOST: '10.0.0.1' }],
  ['a public network', publicNetwork],
])('with %s in .env', (_, env: Record<string, string>) => {
  const { services } = compose(env);
  const own = Object.entries(services).filter(([, { command }]) =>
    command?.some((word) => roles.includes(word as never)),
  );

  test('the file is one that the schema of Compose allows', () => {
    isComposeFile(compose(env));
    expect(isComposeFile.errors).toBeNull();
  });

  test('each service has settings that can be read, and listens where the others reach it', () => {
    expect(own.map(([name]) => name)).toEqual(['localnet', 'indexer', 'dispatcher', 'agent', 'gateway']);
    for (const [, service] of own) {
      expect(settings(service, env)).toMatchObject({ host: '0.0.0.0', dataDir: '/data', warnings: [] });
    }
  });

  test('every published port is one that its role listens on as required, on the address that was asked for', () => {
    const published = own.flatMap(([name, service]) => {
      const { ports } = settings(service, env);
      return (service.ports ?? []).map((mapping) => {
        const [address, outside, inside, ...more] = mapping.split(':');
        expect(more).toEqual([]);
        expect(address).toBe(env.PUBLISH_HOST ?? '127.0.0.1');
        const choice = Object.values(ports).find(({ port }) => port === Number(inside));
        expect(choice, mapping).toMatchObject({ required: true });
        return [name, choice?.setting, Number(outside)];
      });
    });
    expect(published).toEqual([
      ['localnet', 'LOCALNET_PORT', Number(env.LOCALNET_PORT || 9000)],
      ['localnet', 'LOCALNET_FAUCET_PORT', Number(env.LOCALNET_FAUCET_PORT || 9123)],
      ['localnet', 'LOCALNET_BLOBS_PORT', Number(env.LOCALNET_BLOBS_PORT || 31_415)],
      ['gateway', 'PORT', Number(env.PORT || 8080)],
    ]);
    const others = Object.entries(services).filter(([name]) => !own.some(([mine]) => mine === name));
    expect(others.map(([name, { ports }]) => [name, ports])).toEqual([
      ['postgres', undefined],
      ['replica', undefined],
      ['redis', undefined],
    ]);
  });

  test('the local network is reached inside and outside by the name and ports that it gives out', () => {
    const localnet = services.localnet!;
    const { localnetHost } = settings(localnet, env);
    expect(localnetHost).toBe(env.LOCALNET_HOST ?? 'localnet');
    expect(localnet.networks?.default.aliases).toContain(localnetHost);
    for (const mapping of localnet.ports!) expect(mapping).toMatch(/:(\d+):\1$/);
    // The role must run alone: with another role, it would restart for ever if a network is configured. Alone, it
    // waits.
    expect(localnet).toMatchObject({ command: ['localnet'], restart: 'unless-stopped' });
  });
});

describe('with the profile of replicas', () => {
  const env = { POSTGRES_PASSWORD: 'of-the-operator' };
  const { services, volumes, configs } = compose(env);
  const { replica, postgres, gateway } = services;

  test('the url that the head of the file gives leads gateways to the replica', () => {
    const [, line = ''] = /READ_DATABASE_URLS=(\S+) in/.exec(
      file.replace(/^# /gm, '').replaceAll('\n', ' '),
    )!;
    const { readReplicas } = settings(compose().services.gateway!, { READ_DATABASE_URLS: line });
    const url = new URL(readReplicas.urls[0]!);
    expect([url.hostname, url.port, url.password]).toEqual(['replica', '5432', 'postgres']);
    expect([replica?.profiles, gateway?.profiles]).toEqual([['replicas'], undefined]);
  });

  test('the replica has the version and the password of the primary, which lets it connect', () => {
    expect(replica?.image).toBe(postgres?.image);
    expect(replica?.environment).toEqual({
      PGHOST: 'postgres',
      PGUSER: 'postgres',
      PGPASSWORD: postgres?.environment.POSTGRES_PASSWORD,
    });
    expect(postgres?.environment.POSTGRES_PASSWORD).toBe('of-the-operator');
    expect(configs.access?.content).toContain('host replication all all scram-sha-256');
    expect(volumes).toHaveProperty('replica');
  });
});
