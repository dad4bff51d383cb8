import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DemoFile } from '../../services/demo/file.ts';
import { eventually } from '../support/eventually.ts';
import { createDataDir, postgresPid, ready, type Service, startService } from '../support/service.ts';

const run = promisify(execFile);
const example = join(import.meta.dirname, '../../docs/examples/list-an-adaptor.ts');

let dataDir: Awaited<ReturnType<typeof createDataDir>>;
let service: Service;
let demo: DemoFile & { baseUrl: string };

beforeAll(async () => {
  dataDir = await createDataDir();
  service = startService(dataDir.dir, []);
  demo = await ready(service, dataDir.dir);
});
afterAll(async () => {
  service.process.kill('SIGKILL');
  await eventually(async () => expect(await postgresPid(dataDir.dir)).toBeUndefined());
  await dataDir.remove();
});

interface Entry {
  serviceType: string;
  publisher: string;
  publisherVerified: boolean;
  version: number;
  manifest: { name: string };
  sourceVerdict: string | null;
  canaryState: string | null;
  reviews: { count: number; avg: number };
}

async function catalog(query = ''): Promise<Entry[]> {
  const response = await fetch(`${demo.baseUrl}/api/adaptors${query}`);
  expect(response.status).toBe(200);
  return (await response.json()).adaptors;
}

const names = (entries: Entry[]) => entries.map((entry) => entry.manifest.name).sort();

test('it says that it is ready, and each of the demo’s listings has its verdict', async () => {
  await eventually(() => expect(service.output()).toContain('Ready.'));
  // A checkpoint may only now include the last transactions of the demo.
  await eventually(async () => {
    const { networks } = await (await fetch(`${demo.baseUrl}/status`)).json();
    expect(networks.testnet).toMatchObject({
      listings: {
        listed: 15,
        publisherChecks: { verified: 15, unverified: 1 },
        witnessChecks: { valid: 16 },
      },
      manifests: { verified: 19, mismatch: 1 },
    });
  });
});

test('the source of each adaptor of the demo is shown as the code on chain', async () => {
  const verified = await eventually(async () => {
    const entries = await catalog('?limit=100');
    expect(entries.filter(({ sourceVerdict }) => sourceVerdict !== 'exact')).toEqual([]);
    return entries;
  });
  expect(verified.length).toBeGreaterThan(12);
});

test('the statement of an attester is beside the verdict in the API, the graph and the page, with a link to its object', async () => {
  const serviceType = `${demo.packages.adaptors.term_savings}::term_savings::TermSavings`;
  const [statement] = await eventually(async () => {
    const response = await fetch(`${demo.baseUrl}/api/adaptors/${serviceType}/source`);
    const { statements } = await response.json();
    expect(statements).toMatchObject([
      { attester: 'Demo auditor', type: `${demo.packages.auditor}::audit::Audit`, path: null },
    ]);
    return statements;
  });
  const query = `{ adaptor(serviceType: "${serviceType}") { statements {
    objectId attester type says summary repository commit path sourceHash report issuer readAtMs } } }`;
  const answer = await fetch(`${demo.baseUrl}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  expect((await answer.json()).data.adaptor.statements).toEqual([statement]);
  for (const page of ['', '/source']) {
    const html = await (await fetch(`${demo.baseUrl}/a/testnet/${serviceType}${page}`)).text();
    const [, part = ''] = html.split('Statements of others');
    expect(part).toContain('Demo auditor');
    expect(part).toContain(statement.summary);
    expect(part).toContain('this site does not check it');
    expect(part).toMatch(new RegExp(`<a href="[^"]+${statement.objectId}">`));
  }
});

test('the demo marketplace shows what is listed, verified and not taken off, and nothing else', async () => {
  await eventually(async () => {
    expect(names(await catalog())).toEqual([
      ...['Anchor Credit', 'Anchor Dollar', 'Anchor Market', 'Harbour Supply', 'Lagoon Perpetuals'],
      ...[
        'Lagoon Ranges',
        'Lagoon Relay',
        'Lagoon Swap',
        'Reef Flash',
        'Reef Vault',
        'Term Savings',
        'Tide Staking',
        'Tip Jar',
      ],
    ]);
  });
  const entries = await catalog();
  expect(entries.every((entry) => entry.publisherVerified)).toBe(true);
  const vault = entries.find((entry) => entry.manifest.name === 'Reef Vault');
  expect(vault).toMatchObject({ version: 2, reviews: { count: 2, avg: 4.5 } });
});

test('the demo’s rules are shown under the names that their manifests give them', async () => {
  await eventually(async () => {
    const response = await fetch(`${demo.baseUrl}/api/policy/rules`);
    const { rules } = (await response.json()) as { rules: { label: string; kind: string }[] };
    expect(rules.map(({ label, kind }) => `${kind}: ${label}`).sort()).toEqual([
      'auth: Bearer cap',
      'auth: Scoped cap',
      'caveat: Recipient allowlist',
      'caveat: Scoped budget',
    ]);
  });
});

test('a squatter is shown only to those who ask for unverified publishers', async () => {
  const harbour = demo.publishers.find((publisher) => publisher.name === 'harbour')!;
  const jars = (await catalog('?include=unverified')).filter(
    (entry) => entry.serviceType === harbour.serviceTypes[0],
  );
  expect(jars.map((entry) => entry.publisherVerified).sort()).toEqual([false, true]);
  expect(jars.find((entry) => entry.publisherVerified)?.publisher).toBe(harbour.address);
});

test('a stranger publishes a package, lists it with a key of their own and finds it in the catalog', async () => {
  const before = (await catalog()).length;
  const { stdout } = await run(process.execPath, [example], {
    env: { ...process.env, DATA_DIR: dataDir.dir },
  });
  expect(stdout).toContain('in the catalog after');
  expect(await catalog()).toHaveLength(before + 1);
});

test('killed with SIGKILL and started again, it goes on from what it had, the local network too', async () => {
  // The operations of a new listing are tried a moment after it is shown.
  const before = await eventually(async () => {
    const entries = await catalog();
    expect(entries.map(({ canaryState }) => canaryState)).not.toContain(null);
    return entries;
  });
  service.process.kill('SIGKILL');
  await service.exited;

  service = startService(dataDir.dir, []);
  const continued = await ready(service, dataDir.dir);
  expect(continued.packages).toEqual(demo.packages);
  demo = continued;
  await eventually(async () => expect(await catalog()).toEqual(before));

  await run(process.execPath, [example], { env: { ...process.env, DATA_DIR: dataDir.dir } });
  expect(await catalog()).toHaveLength(before.length + 1);
});

test('Ctrl-C ends the process and the database server with it', async () => {
  expect(await postgresPid(dataDir.dir)).toBeGreaterThan(0);
  service.process.kill('SIGINT');
  expect(await service.exited).toBe(0);
  expect(await postgresPid(dataDir.dir)).toBeUndefined();
});

test('each role runs as a process of its own, and they find each other', async () => {
  const roles = ['gateway', 'indexer', 'localnet'].map((role) => startService(dataDir.dir, [role]));
  try {
    demo = await ready(roles[0]!, dataDir.dir);
    await eventually(async () => expect(names(await catalog())).toContain('Tip Jar'));
  } finally {
    for (const role of roles) role.process.kill('SIGTERM');
  }
  const exits = await Promise.all(roles.map((role) => role.exited));
  expect(exits, roles.map((role) => role.output()).join('\n')).toEqual([0, 0, 0]);
});

test('a wrong setting is refused at start with its name and the reason', async () => {
  const refused = startService(dataDir.dir, [], { PORT: 'eighty', SUI_TESTNET_RPC_URL: 'ftp://node' });
  expect(await refused.exited).toBe(1);
  await eventually(() => expect(refused.output()).toMatch(/PORT: .*number/));
  await eventually(() => expect(refused.output()).toMatch(/SUI_TESTNET_RPC_URL: expected an http\(s\) url/));
});
