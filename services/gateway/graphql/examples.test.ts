import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NoDeprecatedCustomRule, parse, validate, visit } from 'graphql';
import { createClient } from 'graphql-sse';
import { beforeAll, expect, test } from 'vitest';
import { schema } from '../../../graphql/schema.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { testPackages, useTestGateway } from '../../../test/support/gateway.ts';
import { readGraph } from '../../../test/support/graph-queries.ts';
import { address } from '../../../test/support/read-model.ts';
import { registryEvents } from '../../../test/support/registry-events.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import { exampleQueries } from './examples.ts';

const root = join(import.meta.dirname, '../../..');

let addEvents: ReturnType<typeof registryEvents>['addEvents'];
const gateway = useTestGateway(
  async (seed) => {
    // Above the checkpoint that an example waits for.
    const indexed = { checkpoint: 200_000, chainTip: 200_000 };
    for (const name of ['registry', 'wallet', 'rules', 'agents', 'escrow'])
      await seed.source({ name, ...indexed });
    const listing = await seed.listing({ manifest: { integrator: 'acme' } });
    await seed.update(listing, 2);
    await seed.attestation(listing.serviceType, address(1), 4);
    await seed.listing({ row: { publisherCheck: 'unverified' } });
  },
  { network: testPackages },
);
beforeAll(async () => {
  ({ addEvents } = registryEvents(gateway.db));
  const rows = walletRows(gateway.db);
  const walletId = await rows.wallet(address(1));
  const rule = `${address(9)}::rule::Rule`;
  await rows.policy(walletId);
  await rows.policyRule(walletId, 'caveat', rule);
  await rows.rule(rule);
  await rows.agent('Amy', { agent: address(2) });
  await rows.job(address(2), { walletId, payer: address(1) });
});

interface Example {
  title: string;
  language: string;
  text: string;
}

/** The examples of a document, without those that show an answer. */
function readExamples(document: string): Example[] {
  const text = readFileSync(join(root, document), 'utf8');
  return [...text.matchAll(/```(graphql|bash|sh|ts)\n([\s\S]*?)```/g)].map(([, language, example], n) => ({
    title: `example ${n + 1} of ${document}`,
    language: language!,
    text: example!,
  }));
}

const ofGuides = ['docs/graphql.md', 'docs/live.md'].flatMap(readExamples);
const documents: Example[] = [
  ...Object.entries(exampleQueries).map(([name, text]) => ({
    title: `the tab ${name}`,
    language: 'graphql',
    text,
  })),
  ...ofGuides.filter(({ language }) => language === 'graphql'),
];
const isSubscription = ({ text }: Example) => /\bsubscription\b/.test(text.replace(/^#.*$/gm, ''));

test.each(documents.filter((example) => !isSubscription(example)))('$title is answered', async ({ text }) => {
  expect(Object.keys(await readGraph(gateway.url, text)).length).toBeGreaterThan(0);
});

/** Resolves when this number of streams is open. */
async function streams(count: number): Promise<void> {
  await eventually(async () => {
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain(`event_stream_readers ${count}\n`);
  });
}

/** Causes a change that a subscription follows, once it is open. */
async function happens({ text }: Example): Promise<void> {
  await streams(1);
  if (text.includes('adaptorChanged')) await gateway.seed.listing({ manifest: { name: 'New' } });
  else await addEvents(1);
}

test.each(documents.filter(isSubscription))('$title gets what happens', async (example) => {
  const client = createClient({ url: `${gateway.url}/graphql`, retryAttempts: 0 });
  const values = client.iterate({ query: example.text });
  const first = values.next();
  await happens(example);
  const { data, errors } = (await first).value!;
  expect(errors).toBeUndefined();
  expect(JSON.stringify(data)).toContain('"cursor":');
  client.dispose();
  await streams(0);
});

/**
 * Programs of the guides, except the one with a document's id: it needs a gateway that trusts it. See trusted.test.ts.
 */
const programs = ofGuides.filter(
  ({ language, text }) =>
    language !== 'graphql' && /\bcurl\b|graphql-sse/.test(text) && !text.includes('documentId'),
);

test.each(programs)('$title runs, and prints the answer', async (example) => {
  const text = example.text.replaceAll(/https?:\/\/(example\.org|127\.0\.0\.1:8080)/g, gateway.url);
  // A shell that waits for its command would leave it behind.
  const [program, ...args] =
    example.language === 'ts'
      ? [process.execPath, '--input-type=module', '-e', text]
      : ['bash', '-c', `exec ${text}`];
  const child = spawn(program!, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    if (isSubscription(example)) await happens(example);
    await eventually(() => expect(output).toMatch(/"data":\{"|\{\s*eventAdded:/));
    expect(output).not.toContain('errors');
  } finally {
    child.kill();
  }
  await streams(0);
});

test('the guides have their examples, and none uses a deprecated name', () => {
  expect(ofGuides.filter(({ language }) => language === 'graphql').length).toBeGreaterThan(8);
  expect(programs).toHaveLength(3);
  const ofCommands = [...ofGuides, ...readExamples('README.md')].flatMap(({ text }) =>
    [...text.matchAll(/"query":\s*"([^"]+)"/g)].map(([, query]) => query!),
  );
  expect(ofCommands).toHaveLength(3);
  const ofScripts = programs.flatMap(({ text }) =>
    [...text.matchAll(/query = '([^']+)'/g)].map(([, query]) => query!),
  );
  expect(ofScripts).toHaveLength(1);
  for (const query of [...documents.map(({ text }) => text), ...ofCommands, ...ofScripts])
    expect(validate(schema, parse(query), [NoDeprecatedCustomRule])).toEqual([]);
});

test('the tabs of GraphiQL offer every query', () => {
  const offered = new Set<string>();
  for (const query of Object.values(exampleQueries)) {
    visit(parse(query), {
      OperationDefinition: ({ operation }) => (operation === 'query' ? undefined : false),
      Field(node, _key, _parent, path) {
        if (path.filter((part) => part === 'selectionSet').length === 1) offered.add(node.name.value);
      },
    });
  }
  expect([...offered].toSorted()).toEqual(Object.keys(schema.getQueryType()!.getFields()).toSorted());
});

/** Characters of a line that a window of 1,280 pixels shows beside the buttons of the editor. */
const shownMax = 51;

test('GraphiQL has the tabs, with lines as short as its editor', async () => {
  const page = await (await fetch(`${gateway.url}/graphql`, { headers: { accept: 'text/html' } })).text();
  for (const query of Object.values(exampleQueries)) {
    expect(page).toContain(
      JSON.stringify(query).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
    );
    expect(query.split('\n').filter((line) => line.length > shownMax)).toEqual([]);
  }
});
