import { join } from 'node:path';
import { wallet } from '@adaptor-marketplace/adaptor/transactions';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { appendUpgrade, compilePackage } from '@adaptor-marketplace/move-toolchain';
import { moveToml, scratchPackages } from '@adaptor-marketplace/move-toolchain/scratch-packages';
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
let tipJar: string;
let gateway: TestGateway;

beforeAll(async () => {
  localnet = await startTestLocalnet();
  ({ wallet: walletPackage, tipJar } = await publishTipJar(localnet));
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

test('a grant takes nothing, and its explanation names the fields of the wallet that it writes', async () => {
  const { created } = await execute(account, fundWallet);
  const { id } = created.find(({ type }) => type === `${walletPackage}::wallet::Wallet`)!;
  const tx = new Transaction();
  tx.setSender(account.address);
  const target = { packageId: walletPackage, wallet: id };
  const service = `${tipJar}::tip_jar::TipJar`;
  wallet.grantServiceCoin(tx, target, { service, coinType: sui, allowance: 2n ** 64n - 1n });
  const { leaves, changes, rest } = await explain(toBase64(await tx.build({ client })));
  expect([leaves, rest]).toEqual([[], 'cannot']);
  expect(changes).toEqual([
    {
      id,
      type: `${walletPackage}::wallet::Wallet`,
      fields: ['Grant.allowance', 'Wallet.grants'].map((field) => `${walletPackage}::wallet::${field}`),
      otherFields: 0,
      commands: [0],
    },
  ]);
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

const locker = `module locker::locker;
use sui::coin::Coin;
use sui::sui::SUI;

public struct Locker has key { id: UID }
fun init(ctx: &mut TxContext) { transfer::share_object(Locker { id: object::new(ctx) }) }
public fun open(locker: &mut Locker, coin: transfer::Receiving<Coin<SUI>>) {
    transfer::public_transfer(transfer::public_receive(&mut locker.id, coin), @0xC0DE)
}
`;

/** Explains a transaction of the account, executes it, and returns the sentences of a kind with what was made. */
async function explainAndExecute(kind: string, build: (tx: Transaction) => void) {
  const tx = new Transaction();
  tx.setSender(account.address);
  build(tx);
  const { sentences, versions } = await explain(toBase64(await tx.build({ client })));
  expect(versions).toEqual([]);
  const { created } = await execute(account, build);
  return { said: sentences.filter((one) => one.kind === kind), created };
}

test('a package is published, upgraded and made immutable as its explanation says, and an object goes where it says', async () => {
  await using folder = await scratchPackages({
    locker: { 'Move.toml': moveToml('locker'), 'sources/locker.move': locker },
  });
  const dir = join(folder.dir, 'locker');
  const compiled = await compilePackage(dir);
  const modules = compiled.modules.map((module) => toBase64(module));
  const publish = (tx: Transaction) => tx.publish({ modules, dependencies: compiled.dependencies });
  const published = await explainAndExecute('publishes', (tx) => {
    const cap = publish(tx);
    tx.moveCall({ target: '0x2::package::only_additive_upgrades', arguments: [cap] });
    tx.transferObjects([cap], account.address);
  });
  expect(published.said).toEqual([
    {
      kind: 'publishes',
      verdict: 'always',
      text: 'Command 1 publishes a package with the module locker. Its UpgradeCap goes to your address. Its holder may add code and change none in a later version.',
    },
  ]);
  const find = (end: string) => published.created.find(({ type }) => type.endsWith(end))!.id;
  const [packageId, cap, lockerId] = [
    find('package'),
    find('::package::UpgradeCap'),
    find('::locker::Locker'),
  ];

  const sealed = await explainAndExecute('publishes', (tx) =>
    tx.moveCall({ target: '0x2::package::make_immutable', arguments: [publish(tx)] }),
  );
  expect(sealed.said).toMatchObject([{ verdict: 'always' }]);
  expect(sealed.said[0]!.text).toContain('Its UpgradeCap is taken apart');
  expect(sealed.created.filter(({ type }) => type.endsWith('::package::UpgradeCap'))).toEqual([]);

  const added = await compilePackage(dir, { published: { locker: packageId } });
  const upgraded = await explainAndExecute('upgrades', (tx) =>
    appendUpgrade(tx, { packageId, cap, policy: 128 }, added),
  );
  expect(upgraded.said).toEqual([
    {
      kind: 'upgrades',
      verdict: 'always',
      text: `Command 2 adds a version to the package ${packageId}, with the module locker. Its ticket allows to add code and change none. It is from the UpgradeCap ${cap}, of your address.`,
    },
  ]);

  const sent = await execute(account, (tx) => tx.transferObjects([tx.splitCoins(tx.gas, [7])[0]!], lockerId));
  const coin = sent.created[0]!.id;
  const received = await explainAndExecute('receives', (tx) =>
    tx.moveCall({
      target: `${packageId}::locker::open`,
      arguments: [tx.object(lockerId), tx.object(coin)],
    }),
  );
  const thief = `0x${'c0de'.padStart(64, '0')}`;
  expect(received.said).toMatchObject([
    {
      text: `The object ${coin} (0x2::coin::Coin<0x2::sui::SUI>), which was sent to the object ${lockerId}, may go to ${thief}.`,
    },
  ]);
  const { object } = await client.getObject({ objectId: coin });
  expect(object.owner).toMatchObject({ AddressOwner: thief });
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
