import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { maskSecret } from '../../lib/config/describe.ts';
import { settingShapes } from '../../lib/config/index.ts';
import { chartFolder, renderChart } from '../support/helm.ts';

const image = { repository: 'registry.test/x' };
const database = { DATABASE_URL: { name: 'x', key: 'url' } };
const node = { SUI_TESTNET_RPC_URL: 'https://node.test' };
test.each([
  ['no image', {}, 'Set image.repository'],
  ['no database', { image, settings: node }, 'Name the secret of a database in secrets.DATABASE_URL'],
  [
    'two databases',
    { image, settings: node, secrets: database, cloudNativePg: { enabled: true } },
    'Remove one',
  ],
  ['no full node', { image, secrets: database }, 'Name a full node'],
  [
    'a dispatcher without a store',
    { image, settings: node, secrets: database, dispatcher: { enabled: true } },
    'needs a key-value store',
  ],
  [
    'an agent without its key',
    { image, settings: node, secrets: database, agent: { enabled: true } },
    'needs secrets.AGENT_SECRET_KEY',
  ],
  ['an unknown setting', { settings: { PROT: '1' } }, /PROT.*not allowed/],
  ['a secret as a value', { settings: { DATABASE_URL: 'postgres://x:y@z/x' } }, /DATABASE_URL.*not allowed/],
  ['the value of a secret', { secrets: { DATABASE_URL: 'postgres://x:y@z/x' } }, /DATABASE_URL.*object/],
  ['a port that the chart sets', { settings: { PORT: '80' } }, /PORT.*not allowed/],
  ['a number for a text', { settings: { MAX_LAG_SECONDS: 60 } }, /MAX_LAG_SECONDS.*string/],
  ['no replicas', { gateway: { replicas: 0 } }, /replicas.*1/],
  ['a misspelt value', { gateway: { replica: 3 } }, /replica.*not allowed/],
  [
    'an ingress without a name',
    { image, settings: node, secrets: database, ingress: { enabled: true } },
    'ingress.host',
  ],
])('%s is refused with what to do', async (_, values, message) => {
  await expect(renderChart(undefined, values)).rejects.toThrow(message);
});

/** Settings that have no meaning in the chart, or that it sets itself. */
const outside =
  /^(HOST|PORT|DATA_DIR|AWS_\w+|METRICS_PORT|TOOLS_(HOST|PORT|URL)|AGENT_(HOST|PORT|URL)|LOCALNET_\w+|EMBEDDED_POSTGRES_PORT|\w+_DEPLOYMENT_FILE|GRAPHQL_TRUSTED_DOCUMENTS|AGENT_SECRET_KEY_FILE)$/;

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: boolean;
}

const readSchema = async (): Promise<Schema> =>
  JSON.parse(await readFile(join(chartFolder, 'values.schema.json'), 'utf8'));

test('every setting of the service can be given: from a secret, or as a value if it is not one', async () => {
  const { properties } = await readSchema();
  const names = Object.keys(settingShapes).filter((name) => !outside.test(name));
  expect(Object.keys(properties!.secrets!.properties!).sort()).toEqual(names.sort());
  const shown = names.filter((name) => maskSecret(name, 'https://x.test') !== '[masked]');
  expect(Object.keys(properties!.settings!.properties!).sort()).toEqual(shown.sort());
});

test('values.yaml documents each value that the schema knows', async () => {
  const values = parse(await readFile(join(chartFolder, 'values.yaml'), 'utf8'));
  const compare = (schema: Schema, value: object, path: string) => {
    const known = Object.keys(schema.properties!).filter((name) => name !== 'global');
    expect([path, Object.keys(value).sort()]).toEqual([path, known.sort()]);
    for (const [name, child] of Object.entries(value)) {
      const inner = schema.properties![name]!;
      if (inner.properties && !/^(settings|secrets)$/.test(name)) compare(inner, child, `${path}.${name}`);
    }
  };
  compare(await readSchema(), values, 'values');
});

test('the chart has the version of the service', async () => {
  const chart = parse(await readFile(join(chartFolder, 'Chart.yaml'), 'utf8'));
  const { version } = JSON.parse(await readFile(join(chartFolder, '../../package.json'), 'utf8'));
  expect(chart).toMatchObject({ version, appVersion: version });
});
