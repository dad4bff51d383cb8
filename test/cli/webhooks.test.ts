import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyWebhook } from '@adaptor-marketplace/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildRequest } from '../support/build-request.ts';
import { runBlocks, shellBlocks } from '../support/cli/run-blocks.ts';
import { runCommand } from '../support/cli/run-command.ts';
import { type DemoMarketplace, startDemoMarketplace } from '../support/demo-marketplace.ts';
import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const adminSecret = 'of-the-test-only';
let marketplace: DemoMarketplace;
let receiver: Receiver;
let folder: string;
let env: Record<string, string>;
let status = 204;

beforeAll(async () => {
  marketplace = await startDemoMarketplace([], {
    REDIS_URL: 'memory:',
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  });
  receiver = await startReceiver((response) => response.writeHead(status).end());
  folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
  const { baseUrl } = marketplace.demo;
  const issued = await fetch(
    `${baseUrl}/api/adaptors/keys`,
    buildRequest({ integrator: 'cli', ratePerMin: 6000 }, { authorization: `Bearer ${adminSecret}` }),
  );
  const { key } = await issued.json();
  const file = join(folder, 'api.key');
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  env = { MARKETPLACE_URL: baseUrl, MARKETPLACE_API_KEY_FILE: file };
});
afterAll(async () => {
  await marketplace?.close();
  await Promise.all([receiver.close(), rm(folder, { recursive: true })]);
});

const webhooks = (...words: string[]) => runCommand(['webhooks', ...words], env);
async function json(...words: string[]) {
  const { code, out, err } = await webhooks(...words, '--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}
const deliveries = () => receiver.received.filter(({ body }) => body.length > 0);
const verified = (secret: string) => {
  const { body, headers } = deliveries().at(-1)!;
  return verifyWebhook({ body, headers: headers as Record<string, string>, secret });
};

test('a webhook is added, tested, rotated, paused, resent and removed', async () => {
  expect((await webhooks('list')).out).toBe('no webhooks\n');
  const url = `${receiver.url}/hook`;
  const { id, secret, ...added } = await json('add', url, '--events', 'Registered,Attested');
  expect(added).toMatchObject({ url, events: ['Registered', 'Attested'], state: 'active', signing: 'ready' });
  expect(secret).toMatch(/^whsec_/);
  expect((await webhooks('list')).out).toMatch(
    new RegExp(`^${id} +active +ready +\\d+ +Registered,Attested +http`, 'm'),
  );

  const tested = await webhooks('test', id);
  expect(tested.err).toBe('');
  expect(tested.out).toMatch(/ delivered +1 +delivered 204 +Test +test:/);
  expect(await verified(secret)).toMatchObject({ event: 'Test' });

  const file = join(folder, 'hook.secret');
  await writeFile(file, 'a-secret-of-mine', { mode: 0o600 });
  const rotated = await json('rotate', id, '--secret-file', file, '--keep-previous', '1');
  expect(rotated).not.toHaveProperty('secret');
  expect(rotated.previousSecretUntilMs).toBeGreaterThan(Date.now());
  await json('test', id);
  for (const one of ['a-secret-of-mine', secret])
    expect(await verified(one)).toMatchObject({ event: 'Test' });

  const { count } = await json('resend', id, '--since', '2020-01-01T00:00:00Z');
  expect(count).toBeGreaterThan(5);
  await eventually(async () => {
    const listed = await json('deliveries', id, '--state', 'delivered', '--limit', '100');
    expect(listed.deliveries.length).toBe(count + 2);
  });
  const [last] = (await json('deliveries', id, '--limit', '1')).deliveries;
  const received = deliveries().length;
  expect(await json('resend', id, last.id)).toMatchObject({ id: last.id });
  await eventually(async () => expect(deliveries().length).toBe(received + 1));

  expect(await json('pause', id)).toMatchObject({ state: 'paused' });
  const refused = await webhooks('test', id);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(/\(409 webhook_not_active\)/);
  expect(await json('resume', id)).toMatchObject({ state: 'active' });
  status = 500;
  const failed = await webhooks('test', id);
  expect(failed.code).toBe(1);
  expect(failed.err).toBe('error: The receiver did not accept the event. The receiver responded with 500.\n');
  expect(await json('remove', id)).toEqual({ removed: id });
  expect(await json('list')).toMatchObject({ count: 0 });
});

test.each([
  [['add', 'ftp://x', '--events', 'Registered'], /Expected an http or https url without credentials/],
  [['add', 'https://u:p@x.example', '--events', 'Registered'], /without credentials/],
  [
    ['add', 'https://x.example', '--events', 'Deleted'],
    /Expected names of Registered, Updated, Unlisted, Attested/,
  ],
  [['add', 'https://x.example'], /required option '--events/],
  [
    ['add', 'https://x.example', '--events', 'Updated', '--secret-file', '/never'],
    /--secret-file: there is no file/,
  ],
  [['test', 'mine'], /Expected the id of a webhook, for example wh_/],
  [['resend', 'wh_1'], /Give either the id of a delivery, or --since/],
  [['resend', 'wh_1', '--since', 'yesterday'], /Expected an ISO 8601 time with its zone/],
  [['rotate', 'wh_1', '--keep-previous', '999'], /Expected a whole number of hours from 0 to 168/],
  [['deliveries', 'wh_1', '--state', 'lost'], /Allowed choices are pending, delivered, failed/],
] as const)('%j ends with 2 and says what to do', async (words, said) => {
  const { code, out, err } = await webhooks(...words);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(said);
});

test('without an API key, with one in an open file, or for another webhook, it ends with 1 or 2 and the reason', async () => {
  const anonymous = await runCommand(['webhooks', 'list'], { MARKETPLACE_URL: env.MARKETPLACE_URL! });
  expect(anonymous).toMatchObject({ code: 1, out: '' });
  expect(anonymous.err).toMatch(/^error: .*\(401 /);
  const open = join(folder, 'open.key');
  await writeFile(open, 'mk_x', { mode: 0o644 });
  const readable = await runCommand(['webhooks', 'list'], { ...env, MARKETPLACE_API_KEY_FILE: open });
  expect(readable).toMatchObject({ code: 2, out: '' });
  expect(readable.err).toContain(`chmod 600 ${open}`);
  const absent = await webhooks('test', 'wh_1');
  expect(absent.err).toMatch(/\(404 webhook_not_found\)/);
});

test('the commands of docs/cli.md do what it says, with all that they are given', async () => {
  status = 204;
  await symlink(marketplace.dataDir, join(folder, '.data'));
  await writeFile(join(folder, 'my-api.key'), await readFile(env.MARKETPLACE_API_KEY_FILE!), { mode: 0o600 });
  const document = await readFile(join(import.meta.dirname, '../../docs/cli.md'), 'utf8');
  const blocks = shellBlocks(document.replace('https://app.example/hook', `${receiver.url}/docs`));
  expect(blocks.length).toBeGreaterThan(5);
  const out = await runBlocks(folder, blocks, { env: { XDG_CONFIG_HOME: folder } });
  expect(out).toMatch(/^Reef Vault +Stake /m);
  expect(out).toMatch(/^here \* +http/m);
  expect(out).toMatch(/^wallet {4}0x[0-9a-f]{64}$/m);
  expect(out).toMatch(/^grant {5}0x\S+ may take /m);
  expect(out).toMatch(/ delivered +1 +delivered 204 +Test /);
  expect(out).toMatch(/^sends again {2}\d+ events$/m);
  expect(out).toMatch(/^secret {2}whsec_\S+ {2}\(it is not shown again\)$/m);
  const read = (path: string) => readFile(join(folder, path), 'utf8');
  const events = (await read('events.ndjson')).trim().split('\n');
  expect(events.map((line) => typeof JSON.parse(line).cursor)).toEqual(['string', 'string', 'string']);
  expect(JSON.parse(await read('catalog.json')).adaptors).toHaveLength(1);
  expect(await read('transaction.sh')).toMatch(/^sui client ptb --sender @0x.* --gas-budget \d+\n$/);
  const get = async (path: string) => {
    const headers = { 'x-api-key': (await readFile(env.MARKETPLACE_API_KEY_FILE!, 'utf8')).trim() };
    return (await fetch(`${env.MARKETPLACE_URL}/api/adaptors${path}`, { headers })).json();
  };
  const [{ serviceType }] = (await get('?q=reef%20vault&limit=1')).adaptors;
  await eventually(async () => {
    const answer = await get(`/${encodeURIComponent(serviceType)}/reviews`);
    expect(answer.reviews).toContainEqual(expect.objectContaining({ text: 'It paid out within a minute.' }));
  });
  for (const name of Object.keys(JSON.parse(await read('hook.json')))) expect(name).toMatch(/^[a-zA-Z]+$/);
});
