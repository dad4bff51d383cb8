import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SUI } from '../../services/demo/publish.ts';
import { readLine, toComparable } from '../support/cli/ptb-line.ts';
import { runCommand } from '../support/cli/run-command.ts';
import { type DemoMarketplace, startDemoMarketplace } from '../support/demo-marketplace.ts';
import { createTesterClient } from '../support/tester-client.ts';
import { useForFile } from '../support/use-for-file.ts';

let demo: DemoMarketplace['demo'];
let client: ChainClient;
let service: string;
let walletId: string;

const world = useForFile(() => startDemoMarketplace(['localnet', 'indexer', 'gateway']));
beforeAll(async () => {
  ({ demo } = world);
  client = createTesterClient(demo.rpcUrl);
  service = demo.publishers[0]!.serviceTypes[0]!;
  const opened = await command('open-wallet', '--deposit', '1000000', '--json');
  walletId = JSON.parse(opened.out).walletId;
});
afterAll(async () => {
  client?.close();
});

const command = (...words: string[]) => commandAs(demo.owner, ...words);
const commandAs = ({ secretKey }: { secretKey: string }, ...words: string[]) =>
  runCommand(words, {
    MARKETPLACE_URL: demo.baseUrl,
    SUI_RPC_URL: demo.rpcUrl,
    SUI_SECRET_KEY: secretKey,
  });

/** The allowance of the service for a coin, on chain. */
async function readGranted(coinType: string): Promise<bigint> {
  const transaction = new Transaction();
  transaction.setSender(demo.owner.address);
  transaction.moveCall({
    target: `${demo.packages.wallet}::wallet::granted`,
    typeArguments: [service, coinType],
    arguments: [transaction.object(walletId)],
  });
  const { commandResults } = await client.core.simulateTransaction({
    transaction,
    include: { commandResults: true },
  });
  return BigInt(bcs.u64().parse(commandResults![0]!.returnValues[0]!.bcs));
}

test('a grant says in full what it allows before it is signed, and holds on chain', async () => {
  const other = demo.venues.vault!.coins.share!;
  const words = ['grant', service, '0x2::sui::SUI=500000000', `${other}=unlimited`, '--wallet', walletId];
  const { code, out, err } = await command(...words);
  expect(code, err).toBe(0);
  expect(out).toMatch(/^granted {2}\w{40,}\n$/);
  const lines = err.slice(0, err.indexOf('signing')).trim().split('\n');
  expect(lines).toEqual([
    `wallet   ${walletId}`,
    `service  ${service}`,
    expect.stringMatching(/^listing {2}.+, of a verified publisher$/),
    `takes    at most 0.5 SUI in all, coin ${SUI}`,
    `takes    any amount, now and later, coin ${other}`,
  ]);
  expect(await readGranted(SUI)).toBe(500_000_000n);
  expect(await readGranted(other)).toBe(2n ** 64n - 1n);

  const one = await command('revoke', service, other, '--wallet', walletId, '--json');
  expect(JSON.parse(one.out)).toMatchObject({ walletId, serviceType: service, coins: [other] });
  expect(one.err).toContain(`takes    nothing, coin ${other}\n`);
  expect([await readGranted(SUI), await readGranted(other)]).toEqual([500_000_000n, 0n]);

  const all = await command('revoke', service, '--wallet', walletId, '--json');
  expect(JSON.parse(all.out)).toMatchObject({ coins: null, digest: expect.any(String) });
  expect(await readGranted(SUI)).toBe(0n);
});

test('with --ptb the same transaction is printed for its owner to sign elsewhere, and nothing is signed', async () => {
  const { address } = demo.owner;
  const words = ['grant', service, '0x2::sui::SUI=7', '--wallet', walletId, '--ptb', '--signer', address];
  const { code, out, err } = await runCommand(words, {
    MARKETPLACE_URL: demo.baseUrl,
    SUI_RPC_URL: demo.rpcUrl,
  });
  expect(code, err).toBe(0);
  expect(err).toContain(`takes    at most 0.000000007 SUI in all, coin ${SUI}\n`);
  expect(err).not.toContain('signing');
  const expected = new Transaction();
  expected.setSender(address);
  expected.moveCall({
    target: `${demo.packages.wallet}::wallet::grant_service_coin`,
    typeArguments: [service, SUI],
    arguments: [expected.object(walletId), expected.pure.u64(7)],
  });
  expect(toComparable((await readLine(out.trim())).transaction)).toEqual(toComparable(expected));
  expect(await readGranted(SUI)).toBe(0n);
});

test('a stranger cannot grant, an unlisted service is warned of, and what is not granted is not revoked', async () => {
  const [stranger] = demo.publishers;
  const words = [service, '0x2::sui::SUI=7', '--wallet', walletId];
  const refused = await commandAs(stranger!, 'grant', ...words);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('ENotYourWallet');
  const unlisted = await command('grant', `${demo.packages.wallet}::wallet::Wallet`, ...words.slice(1));
  expect(unlisted.err).toContain('does not list this service');
  const nothing = await command('revoke', service, '--wallet', walletId);
  expect(nothing).toMatchObject({ code: 1, out: '' });
  expect(nothing.err).toContain('EAuthServiceNotFound');
  const absent = await command('revoke', service, '--wallet', demo.objects.vault!);
  expect(absent.err).toContain('is not a shared wallet');
});
