import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { bcs } from '@mysten/sui/bcs';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLine } from '../support/cli/ptb-line.ts';
import { runCommand } from '../support/cli/run-command.ts';
import { type DemoMarketplace, startDemoMarketplace } from '../support/demo-marketplace.ts';
import { eventually } from '../support/eventually.ts';
import { createTesterClient } from '../support/tester-client.ts';
import { useForFile } from '../support/use-for-file.ts';

let demo: DemoMarketplace['demo'];
let client: ChainClient;
const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;
const marketplace = useForFile(startDemoMarketplace);
beforeAll(() => {
  ({ demo } = marketplace);
  client = createTesterClient(demo.rpcUrl);
});
afterAll(async () => {
  client?.close();
});

const cli = (...words: string[]) =>
  runCommand(words, {
    MARKETPLACE_URL: demo.baseUrl,
    MARKETPLACE_EXECUTOR_KEY: demo.agent.executorKey,
    SUI_RPC_URL: demo.rpcUrl,
  });
const parseLines = ({ code, out, err }: Awaited<ReturnType<typeof cli>>) => {
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out.trim().split('\n');
};

test('events prints every event once, and as JSON what the marketplace has', async () => {
  const { events } = await (await fetch(`${demo.baseUrl}/api/adaptors/events?limit=500`)).json();
  const json = parseLines(await cli('events', '--json')).map((line) => JSON.parse(line));
  expect(json.slice(0, events.length)).toEqual(events);
  const lines = parseLines(await cli('events', '--limit', '3'));
  expect(lines).toHaveLength(3);
  for (const [index, line] of lines.entries()) {
    const { cursor, event, data } = events[index];
    expect(line).toContain(`  ${cursor}  ${event}  ${data.serviceType}  `);
  }
  const rest = parseLines(await cli('events', '--after', events[1].cursor, '--limit', '1', '--json'));
  expect(JSON.parse(rest[0]!)).toEqual(events[2]);
});

test('events --follow continues after a cursor', async () => {
  const { events } = await (await fetch(`${demo.baseUrl}/api/adaptors/events?limit=4`)).json();
  const followed = await cli('events', '--follow', '--json', '--after', events[0].cursor, '--limit', '3');
  expect(parseLines(followed).map((line) => JSON.parse(line))).toEqual(events.slice(1));
});

/** The line of a run whose request id the command chose. */
const chosenId = /^request {2}--request-id [0-9a-f-]{36} attaches to this run\n/;

const wallet = () => ['--owner', demo.owner.address, '--wallet', demo.owner.walletId];

test('run --simulate shows the calls with what the listing sets, signs nothing, and prints the bounds of a run', async () => {
  const { serviceType, objects } = demo.venues.vault;
  const spends = `spends:=${JSON.stringify([{ coinType: sui, amount: '1000000' }])}`;
  const fields = [
    `adaptor=${serviceType}`,
    'op=share_vault::deposit',
    spends,
    'receivesAtLeast:=[]',
    'minOut=1',
  ];
  const shown = parseLines(await cli('run', 'call', ...fields, ...wallet(), '--simulate'));
  const packageId = serviceType.split('::')[0];
  expect(shown).toContain(`- Call 1: ${packageId}::share_vault::deposit`);
  expect(shown).toContain(`- Call 1, argument 2: object ${objects.vault} (set by the listing)`);
  const field = shown.at(-1)!;
  expect(field).toMatch(
    /^bounds:='\{.*"manifests":\{"0x[0-9a-f]+::share_vault::ShareVault":"[0-9a-f]{64}"\}\}'$/,
  );
  const bounds = field.replaceAll("'", '');
  const ran = await cli('run', 'call', ...fields, bounds, ...wallet());
  expect(ran.err).toMatch(chosenId);
  parseLines({ ...ran, err: ran.err.replace(chosenId, '') });
  const other = await cli(
    'run',
    'call',
    ...fields,
    bounds.replace(/[0-9a-f]{64}"\}\}$/, `${'0'.repeat(64)}"}}`),
    ...wallet(),
  );
  expect([other.code, other.err]).toEqual([1, expect.stringContaining('(listing_changed)')]);
});

test('run shows each step of an action, and the same request id shows the same run', async () => {
  const fields = ['coinType=0x2::sui::SUI', 'amount=1000', `recipient=${demo.provider.address}`];
  const spend = () => cli('run', 'spend', ...fields, ...wallet(), '--request-id', 'once');
  const lines = parseLines(await spend());
  expect(lines[0]).toBe('validate');
  expect(lines.at(-1)).toMatch(/^confirm {2}\w{40,}$/);
  expect(parseLines(await spend())).toEqual(lines);
  const steps = parseLines(
    await cli('run', 'spend', ...fields, ...wallet(), '--request-id', 'once', '--json'),
  ).map((line) => JSON.parse(line));
  expect(steps.filter(({ status }) => status === 'done').map(({ step }) => step)).toEqual(
    lines.map((line) => line.split(' ')[0]),
  );
});

test('run ends with 1 and the reason where the marketplace refuses the action, or the action fails', async () => {
  const refused = await cli('run', 'spend', 'amount=0', ...wallet());
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err.replace(chosenId, '')).toMatch(
    /^error: .*\(400 invalid_body\)\n(.*\n)* {2}body\.amount: /,
  );
  const coins = ['coinIn=0x2::sui::SUI', `coinOut=${demo.venues.swap.coins.b}`, 'amountIn=1000', 'minOut=1'];
  const unlisted = `adaptor=0x${'9'.repeat(64)}::no::No`;
  const failed = await cli('run', 'swap', ...coins, unlisted, ...wallet(), '--request-id', 'unlisted');
  expect(failed.code).toBe(1);
  expect(failed.out).toMatch(/^validate\n/);
  expect(failed.err).toMatch(
    /^error: \w+: .* \(adaptor_not_listed\)\nThe run is \d+, its request id unlisted\.\n$/,
  );
  const away = await runCommand(['events'], { MARKETPLACE_URL: 'http://127.0.0.1:2' });
  expect(away).toMatchObject({ code: 1, out: '' });
  expect(away.err).toMatch(/MARKETPLACE_URL/);
});

test('wallet shows what a wallet holds, and who may take what of it', async () => {
  const { walletId, address } = demo.owner;
  const { code, out } = await cli('wallet', walletId, '--json');
  expect(code).toBe(0);
  const found = JSON.parse(out);
  expect(found).toMatchObject({
    network: 'testnet',
    walletId,
    owner: address,
    paused: false,
    truncated: false,
  });
  const held = await read(walletId, 'balance', [sui]);
  expect(found.balances).toContainEqual({ coin: sui, amount: String(held) });
  const [grant] = found.grants.filter(({ coin }: { coin: string }) => coin === sui);
  expect(grant.allowance).toBe(String(await read(walletId, 'granted', [grant.serviceType, sui])));
  const lines = parseLines(await cli('wallet', walletId));
  expect(lines.slice(0, 2)).toEqual([`wallet    ${walletId}`, `owner     ${address}`]);
  expect(lines).toContainEqual(expect.stringMatching(/^balance {3}[\d.]+ SUI, coin 0x0+2::sui::SUI$/));
  expect(lines.filter((line) => line.startsWith('grant '))).toHaveLength(found.grants.length);
  expect(lines.filter((line) => line.startsWith('delegate '))).toHaveLength(found.delegates.length);
  expect(lines.filter((line) => line.startsWith('cap '))).toHaveLength(found.caps.length);
  expect(parseLines(await cli('wallet', '--owner', address))).toContain(walletId);
  const absent = await cli('wallet', '0xabc');
  expect(absent).toMatchObject({ code: 1, out: '' });
  expect(absent.err).toMatch(/has no wallet 0x0+abc on testnet\. "wallet --owner" lists wallets\.\n$/);
  expect(await cli('wallet')).toMatchObject({ code: 2, out: '' });
});

test('--ptb prints a line whose transaction the chain executes, and signs nothing itself', async () => {
  const { address, secretKey } = demo.owner;
  const words = ['open-wallet', '--deposit', '1000000', '--ptb', '--signer', address];
  const before = parseLines(await cli('wallet', '--owner', address));
  const printed = await cli(...words);
  expect(printed.code, printed.err).toBe(0);
  expect(printed.out).toMatch(/^sui client ptb --sender @0x[0-9a-f]{64} --move-call 0x/);
  expect(parseLines(await cli('wallet', '--owner', address))).toEqual(before);
  const { ptb, gasBudget, sender } = JSON.parse((await cli(...words, '--json')).out);
  expect(sender).toBe(address);
  const { transaction, gasBudget: budget } = await readLine(ptb);
  expect(String(budget)).toBe(gasBudget);
  transaction.setGasBudget(budget);
  const signer = Ed25519Keypair.fromSecretKey(secretKey);
  const include = { effects: true, objectTypes: true } as const;
  const executed = await client.core.signAndExecuteTransaction({ transaction, signer, include });
  const { effects, objectTypes } = executed.Transaction!;
  const made = effects.changedObjects.find(
    ({ objectId, idOperation }) =>
      idOperation === 'Created' && objectTypes[objectId] === `${demo.packages.wallet}::wallet::Wallet`,
  )!;
  await eventually(async () => {
    const { out } = await cli('wallet', made.objectId, '--json');
    expect(JSON.parse(out || '{}')).toMatchObject({
      owner: address,
      balances: [{ coin: sui, amount: '1000000' }],
    });
  });

  const type = demo.publishers[0]!.serviceTypes[0]!;
  const review = await cli(
    'attest',
    type,
    '5',
    '--comment',
    "it's fine",
    '--ptb',
    '--signer',
    address,
    '--json',
  );
  expect(review.code, review.err).toBe(0);
  const attested = (await readLine(JSON.parse(review.out).ptb)).transaction;
  await client.core.signAndExecuteTransaction({ transaction: attested, signer });
  await eventually(async () => {
    const answer = await fetch(`${demo.baseUrl}/api/adaptors/${encodeURIComponent(type)}/reviews`);
    const { reviews } = await answer.json();
    expect(reviews).toContainEqual(expect.objectContaining({ attester: address, commentUri: "it's fine" }));
  });
  const without = await cli('attest', type, '5', '--signer', address);
  expect(without).toMatchObject({ code: 2, out: '', err: 'error: --signer goes with --ptb only.\n' });
});

/** Calls a view function of the wallet module in a simulation, and returns its u64. */
async function read(walletId: string, name: string, typeArguments: string[]): Promise<bigint> {
  const transaction = new Transaction();
  transaction.setSender(demo.owner.address);
  const target = `${demo.packages.wallet}::wallet::${name}`;
  transaction.moveCall({ target, typeArguments, arguments: [transaction.object(walletId)] });
  const include = { commandResults: true } as const;
  const { commandResults } = await client.core.simulateTransaction({ transaction, include });
  return BigInt(bcs.u64().parse(commandResults![0]!.returnValues[0]!.bcs));
}
