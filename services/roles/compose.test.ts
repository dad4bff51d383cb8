import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Config, loadConfig } from '../../lib/config/index.ts';
import { roles } from './roles.ts';

interface Service {
  command?: string[];
  env_file?: { path: string; required: boolean }[];
  environment: Record<string, string | number>;
  networks?: { default: { aliases: string[] } };
  ports?: string[];
  restart?: string;
}

const file = readFileSync(join(import.meta.dirname, '../../docker-compose.yml'), 'utf8');

/** The services as Compose reads them beside a `.env` that holds these lines. */
function compose(env: Record<string, string> = {}): Record<string, Service> {
  const text = file
    .replace(/^\s*#.*$/gm, '')
    .replace(/\$\{(\w+):-([^}]*)\}/g, (_, name, or) => env[name] || or);
  // Any other form would have to be read as Compose reads it.
  expect(text).not.toContain('$');
  return parse(text, { merge: true }).services;
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
  const services = compose(env);
  const own = Object.entries(services).filter(([, { command }]) =>
    command?.some((word) => roles.includes(word as never)),
  );

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
