import type { Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { Transaction } from '@mysten/sui/transactions';
import { toBase64 } from '@mysten/sui/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildRequest } from '../../../test/support/build-request.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { createTesterClient } from '../../../test/support/tester-client.ts';
import { publishTipJar } from '../../../test/support/tip-jar.ts';
import { problem } from '../openapi/parts.ts';
import { explanationBody } from './route.ts';

const bob = `0x${'b0b'.padStart(64, '0')}`;
const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;

let localnet: Localnet;
let client: ReturnType<typeof createTesterClient>;
let account: Account;
let walletPackage: string;
let gateway: TestGateway;

beforeAll(async () => {
  localnet = await startTestLocalnet();
  ({ wallet: walletPackage } = await publishTipJar(localnet));
  client = createTesterClient(localnet.rpcUrl);
  account = await createAccount(client, localnet.faucetUrl);
  gateway = await startTestGateway(undefined, { network: { rpcUrl: localnet.rpcUrl } });
});
afterAll(async () => {
  await gateway?.close();
  client?.close();
  await localnet?.close();
});

const post = (body: unknown) => fetch(`${gateway.url}/api/explain`, buildRequest(body));

async function explain(transaction: string) {
  const answered = await post({ transaction });
  expect(answered.status, await answered.clone().text()).toBe(200);
  return explanationBody.parse(await answered.json());
}

/** A wallet that the transaction makes, pays into, and shares. */
function fundWallet(tx: Transaction): void {
  const wallet = tx.moveCall({ target: `${walletPackage}::wallet::create` });
  const [coin] = tx.splitCoins(tx.gas, [500]);
  tx.moveCall({
    target: `${walletPackage}::wallet::deposit`,
    typeArguments: ['0x2::sui::SUI'],
    arguments: [wallet, coin!],
  });
  tx.moveCall({ target: `${walletPackage}::wallet::share`, arguments: [wallet] });
}

test('bytes and JSON of a transaction have the same explanation, from the code of the packages that it calls', async () => {
  const tx = new Transaction();
  tx.setSender(account.address);
  fundWallet(tx);
  tx.transferObjects([tx.splitCoins(tx.gas, [7])[0]!], bob);
  const bytes = await tx.build({ client });
  const explanation = await explain(toBase64(bytes));
  expect(explanation).toMatchObject({
    network: 'testnet',
    sender: account.address,
    rest: 'cannot',
    notRead: [],
  });
  expect(explanation.leaves).toHaveLength(1);
  expect(explanation.leaves[0]).toMatchObject({
    holder: { kind: 'address', address: account.address },
    type: sui,
    atMost: '507',
  });
  expect(explanation.leaves[0]!.routes).toContainEqual({
    to: { kind: 'address', address: bob },
    likelihood: 'always',
    commands: [5],
  });
  expect(Number(explanation.gas.atMost)).toBeGreaterThan(0);
  expect(explanation.packages).toContainEqual(
    expect.objectContaining({ id: walletPackage, upgrade: expect.objectContaining({ kind: 'address' }) }),
  );
  const json = await Transaction.from(bytes).toJSON();
  expect(await explain(json)).toEqual(explanation);
});

test('a transaction whose coin has moved on since it was built is said to be refused, and the network refuses it', async () => {
  const tx = new Transaction();
  tx.setSender(account.address);
  tx.transferObjects([tx.splitCoins(tx.gas, [7])[0]!], bob);
  const bytes = await tx.build({ client });
  expect((await explain(toBase64(bytes))).versions).toEqual([]);
  await execute(account, (other) => other.transferObjects([other.splitCoins(other.gas, [8])[0]!], bob));
  const { versions, sentences } = await explain(toBase64(bytes));
  expect(versions).toMatchObject([{ kind: 'older' }]);
  expect(sentences[0]!.text).toMatch(/^The network refuses it: it names version \d+ of the object/);
  const { signature } = await account.keypair.signTransaction(bytes);
  await expect(client.executeTransaction({ transaction: bytes, signatures: [signature] })).rejects.toThrow(
    /version/,
  );
});

test('code that is not on the network is said not to be read', async () => {
  const tx = new Transaction();
  tx.setSender(account.address);
  tx.moveCall({ target: '0xdead::m::f', arguments: [tx.gas] });
  tx.moveCall({ target: `${walletPackage}::wallet::lacks` });
  const { notRead, leaves } = await explain(await tx.toJSON());
  expect(notRead.map(({ command }) => command)).toEqual([0, 1]);
  expect(leaves).toMatchObject([{ routes: [{ to: { kind: 'unread' }, likelihood: 'unread' }] }]);
});

test('a text that is not a transaction is refused, and so is a transaction beyond the bounds', async () => {
  const refusal = async (transaction: string) => {
    const answered = await post({ transaction });
    return [answered.status, problem.parse(await answered.json()).code];
  };
  expect(await refusal('AAAA')).toEqual([400, 'transaction_invalid']);
  expect(await refusal('{"version":2}')).toEqual([400, 'transaction_invalid']);
  expect(await refusal('A'.repeat(200_000))).toEqual([422, 'transaction_too_large']);
});
