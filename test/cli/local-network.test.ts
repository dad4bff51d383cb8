import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNodeDouble } from '@adaptor-marketplace/adaptor/testing/node-double';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { serveAnswers } from '../support/cli/marketplace-double.ts';
import { runCommand } from '../support/cli/run-command.ts';

let localnet: Localnet;
let dataDir: string;
const SUI_SECRET_KEY = new Ed25519Keypair().getSecretKey();
const publicTestnet = '69WiPg3DAQiwdxfncX6wYQ2siKwAe6L9BZthQea3JNMD';

beforeAll(async () => {
  localnet = await startTestLocalnet();
  dataDir = await mkdtemp(join(tmpdir(), 'cli-'));
});
afterAll(async () => {
  await localnet.close();
  await rm(dataDir, { recursive: true });
});

/** A marketplace without wallets that names this chain. It counts its requests. */
async function marketplace(chainId = localnet.ledger.chainId, name = 'testnet') {
  const registry = { packageId: '0x5', callPackageId: null, objectId: '0x6' };
  const schema = {
    networks: {
      [name]: { served: true, chainId, registry, walletPackageId: null, walletCallPackageId: null },
    },
  };
  const missing = { title: 'Not found', status: 404, code: 'wallet_not_found' };
  const { url, asked } = await serveAnswers((path) => {
    if (path === '/api/vault') return { status: 404, body: JSON.stringify(missing) };
    const empty = { network: name, adaptors: [], active: [] };
    return JSON.stringify(path === '/api/adaptors/schema' ? schema : empty);
  });
  return { url, asked: () => asked.length };
}

/** Writes the `demo.json` that `npm start` leaves in its data folder. */
async function runFile(urls: { baseUrl: string | null; rpcUrl?: string; faucetUrl?: string }) {
  const { rpcUrl, faucetUrl } = localnet;
  const packages = { protocols: { vault: '0x7' }, adaptors: {} };
  await mkdir(dataDir, { recursive: true });
  await writeFile(join(dataDir, 'demo.json'), JSON.stringify({ rpcUrl, faucetUrl, ...urls, packages }));
}

const command = (words: string[], env: Record<string, string> = {}) =>
  runCommand(words, { DATA_DIR: dataDir, SUI_SECRET_KEY, ...env });

test('without any url, the running local network is found by the file in its data folder, and signed for', async () => {
  const { url } = await marketplace();
  await runFile({ baseUrl: url });
  const { code, out, err } = await command(['whoami', '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toMatchObject({
    marketplace: url,
    chainId: localnet.ledger.chainId,
    node: { url: localnet.rpcUrl, from: join(dataDir, 'demo.json') },
  });
});

test('an option stands before a variable, and both before the file', async () => {
  const [byFile, byVariable, byOption] = [await marketplace(), await marketplace(), await marketplace()];
  await runFile({ baseUrl: byFile.url });
  expect((await command(['catalog'], { MARKETPLACE_URL: byVariable.url })).code).toBe(0);
  const words = ['catalog', '--url', byOption.url];
  expect((await command(words, { MARKETPLACE_URL: byVariable.url })).code).toBe(0);
  expect([byFile.asked(), byVariable.asked(), byOption.asked()]).toEqual([0, 1, 1]);
  const named = await command(['whoami', '--rpc', 'http://127.0.0.1:2']);
  expect(named).toMatchObject({ code: 1, out: '' });
  expect(named.err).toContain(
    'The node http://127.0.0.1:2 (--rpc) does not answer: the connection was refused.',
  );
  const variable = await command(['whoami'], { SUI_RPC_URL: 'http://127.0.0.1:2' });
  expect(variable.err).toContain('(SUI_RPC_URL)');
});

test('the token for a node reaches the node of SUI_RPC_URL, and no other', async () => {
  const tokens: string[] = [];
  const chainId = localnet.ledger.chainId;
  const node = await startNodeDouble({
    getServiceInfo(_, metadata) {
      tokens.push(String(metadata.get('x-token')));
      return { chainId };
    },
  });
  onTestFinished(node.close);
  const { url } = await marketplace();
  const SUI_RPC_TOKEN = 's3cret';
  await command(['whoami', '--url', url, '--rpc', node.url], { SUI_RPC_TOKEN, SUI_RPC_URL: `${node.url}/` });
  await command(['whoami', '--url', url], { SUI_RPC_TOKEN, SUI_RPC_URL: node.url });
  const bound = tokens.length;
  await runFile({ baseUrl: url, rpcUrl: node.url });
  await command(['whoami'], { SUI_RPC_TOKEN });
  const SUI_RPC_URL = 'https://rpc.provider.example';
  await command(['whoami', '--url', url, '--rpc', node.url], { SUI_RPC_TOKEN, SUI_RPC_URL });
  expect(bound).toBeGreaterThanOrEqual(2);
  expect(new Set(tokens.slice(0, bound))).toEqual(new Set([SUI_RPC_TOKEN]));
  expect(tokens.length).toBeGreaterThanOrEqual(bound + 2);
  expect(new Set(tokens.slice(bound))).toEqual(new Set(['']));
});

test.each([
  ['without a node that it is for', {}, ['--rpc', 'https://rpc.mistyped.example'], /Set SUI_RPC_URL/],
  ['in the clear', { SUI_RPC_URL: 'http://rpc.provider.example' }, [], /http does not encrypt it/],
])('a token is not sent %s', async (_, env, options, message) => {
  const { code, err } = await runCommand(['doctor', ...options], { SUI_RPC_TOKEN: 's3cret', ...env });
  expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  expect(err).not.toContain('s3cret');
});

test('the public node stays the one of a public network, whatever runs here', async () => {
  const { url } = await marketplace(publicTestnet);
  await runFile({ baseUrl: url });
  const { chooseNode } = await import('../../packages/cli/src/network.ts');
  const io = { out: () => undefined, err: () => undefined, env: { DATA_DIR: dataDir }, liveErr: false };
  const chain = { network: 'testnet', chainId: publicTestnet } as const;
  expect(await chooseNode(io, {}, { marketplace: url, chain })).toEqual({
    url: 'https://fullnode.testnet.sui.io:443',
    from: 'the public node of testnet',
  });
  // The command does not sign for another chain through the local node.
  const other = { network: 'testnet', chainId: 'another' } as const;
  expect((await chooseNode(io, {}, { marketplace: url, chain: other })).url).toMatch(/^https:/);
});

test('a file that a stopped network left, and one that names other machines, leads nowhere', async () => {
  const { findLocalMarketplace } = await import('../../packages/cli/src/local.ts');
  const io = { env: { DATA_DIR: dataDir } };
  const fallback = { url: 'http://127.0.0.1:8080', from: 'the default' };
  await runFile({ baseUrl: 'http://127.0.0.1:2' });
  expect(await findLocalMarketplace(io)).toEqual(fallback);
  const { url } = await marketplace();
  await runFile({ baseUrl: url, rpcUrl: 'http://node.example:9000' });
  expect(await findLocalMarketplace(io)).toEqual(fallback);
  await runFile({ baseUrl: url });
  expect(await findLocalMarketplace(io)).toEqual({ url, from: join(dataDir, 'demo.json') });
});

test('fund takes coins from the faucet of the local network for the address of the key', async () => {
  const { url } = await marketplace();
  await runFile({ baseUrl: url });
  const key = new Ed25519Keypair();
  const { code, out } = await command(['fund'], { SUI_SECRET_KEY: key.getSecretKey() });
  expect(code).toBe(0);
  expect(out).toBe(`${key.toSuiAddress()} got 1000 SUI from ${localnet.faucetUrl}\n`);
  const { out: told } = await command(['whoami'], { SUI_SECRET_KEY: key.getSecretKey() });
  expect(told).toMatch(/^balance {6}1000 SUI$/m);
  expect(told).toMatch(/^owns {9}no wallet$/m);
});

test('mainnet has no faucet, which fund says before it asks anyone', async () => {
  const { url, asked } = await marketplace(publicTestnet, 'mainnet');
  const named = await command(['fund', '--network', 'mainnet', '--url', url]);
  expect(named).toMatchObject({ code: 1, out: '' });
  expect(named.err).toMatch(/^error: mainnet has no faucet/);
  expect(asked()).toBe(0);
  const served = await marketplace('4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S', 'mainnet');
  expect((await command(['fund', '--url', served.url])).err).toMatch(
    /^error: mainnet has no faucet.*0x[0-9a-f]{64}/,
  );
});

test('without a key it is said how to make one', async () => {
  const { code, out, err } = await runCommand(['whoami'], { DATA_DIR: dataDir });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain('npx adaptor-marketplace new-key my.key\n');
  expect(err).toContain('npx adaptor-marketplace fund\n');
});

test('a network of an unknown name never leads to a node of its choice', async () => {
  const { url } = await marketplace('another', 'evil.example/#');
  const { code, out, err } = await command(['whoami', '--url', url]);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain('The marketplace serves none.');
});

test.each([
  ['a page', '<html>', /^error: The response ended too early, or is not JSON: .* Is it a marketplace\?/],
  ['another JSON', '{"adaptors": 1}', /^error: The marketplace returned an unexpected response \(network: /],
  [
    'a status of a proxy',
    { status: 502, body: '<html>' },
    /^error: The response has status 502 and no problem/,
  ],
  [
    'rows that are none',
    { status: 400, body: '{"code":"bad","title":"Bad","errors":[null,{"path":1}]}' },
    /^error: Bad \(400 bad\)\n$/,
  ],
] as const)(
  '%s in place of an answer ends with 1 and one line that says what to do',
  async (_, answer, said) => {
    const { url } = await serveAnswers(() => answer);
    for (const words of [['catalog'], ['catalog', '--json']]) {
      const { code, out, err } = await command([...words, '--url', url]);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      if (words.length === 1) expect(err).toMatch(said);
      else expect(JSON.parse(err)).toHaveProperty('code');
    }
  },
);
