import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { deriveObjectID } from '@mysten/sui/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, createAccount, execute } from '../account.ts';
import type { Localnet } from '../start.ts';
import { startTestLocalnet } from '../testing/start.ts';

const DEED = `
module demo::deed {
  use sui::party;
  public struct Deed has key, store { id: UID, n: u64 }
  public fun make(owner: address, ctx: &mut TxContext) {
    transfer::party_transfer(Deed { id: object::new(ctx), n: 0 }, party::single_owner(owner))
  }
  public fun count(deed: &mut Deed) { deed.n = deed.n + 1 }
  public fun look(deed: &Deed): u64 { deed.n }
  public fun give(deed: Deed, to: address) { party::single_owner(to).public_transfer!(deed) }
  public fun keep(deed: Deed, ctx: &TxContext) { transfer::transfer(deed, ctx.sender()) }
  public fun open(deed: Deed) { transfer::share_object(deed) }
  public fun burn(deed: Deed) { let Deed { id, .. } = deed; id.delete() }
}`;

let localnet: Localnet;
let client: SuiGrpcClient;
let alice: Account;
let bob: Account;
let packageId: string;

beforeAll(async () => {
  localnet = await startTestLocalnet({ checkpointIntervalMs: 10 });
  client = new SuiGrpcClient({ network: 'localnet', baseUrl: localnet.rpcUrl });
  alice = await createAccount(client, localnet.faucetUrl);
  bob = await createAccount(client, localnet.faucetUrl);
  const manifest = '[package]\nname = "demo"\nedition = "2024"\n[addresses]\ndemo = "0x0"\n';
  const { modules, dependencies } = await compileSources({
    'Move.toml': manifest,
    'sources/demo.move': DEED,
  });
  const { created } = await execute(alice, (tx) => {
    const cap = tx.publish({ modules: modules.map((bytes) => [...bytes]), dependencies });
    tx.transferObjects([cap], alice.address);
  });
  packageId = created.find(({ type }) => type === 'package')!.id;
});
afterAll(() => localnet.close());

async function make(owner: string): Promise<string> {
  const { created } = await execute(alice, (tx) => {
    tx.moveCall({ target: `${packageId}::deed::make`, arguments: [tx.pure.address(owner)] });
  });
  return created.find(({ type }) => type.endsWith('::Deed'))!.id;
}

function use(account: Account, name: string, id: string, to?: string) {
  return execute(account, (tx) => {
    const rest = to === undefined ? [] : [tx.pure.address(to)];
    tx.moveCall({ target: `${packageId}::deed::${name}`, arguments: [tx.object(id), ...rest] });
  });
}

const deed = async (objectId: string) => (await client.getObject({ objectId })).object;

test('a party object is ordered by consensus like a shared one, and only its owner uses it', async () => {
  const id = await make(alice.address);
  const { owner, version } = await deed(id);
  expect(owner).toMatchObject({
    $kind: 'ConsensusAddressOwner',
    ConsensusAddressOwner: { owner: alice.address, startVersion: version },
  });
  await use(alice, 'count', id);
  await use(alice, 'look', id);
  const counted = await deed(id);
  expect(counted.owner).toEqual(owner);
  expect(BigInt(counted.version)).toBeGreaterThan(BigInt(version));
  await expect(use(bob, 'count', id)).rejects.toThrow(/was not signed by the correct sender/);
  const { objects } = await client.listOwnedObjects({
    owner: alice.address,
    type: `${packageId}::deed::Deed`,
  });
  expect(objects.map(({ objectId }) => objectId)).toContain(id);
  const asOwned = new Transaction();
  asOwned.setGasBudget(10_000_000);
  asOwned.moveCall({
    target: `${packageId}::deed::look`,
    arguments: [asOwned.objectRef({ objectId: id, version: counted.version, digest: counted.digest })],
  });
  await expect(
    client.signAndExecuteTransaction({ transaction: asOwned, signer: alice.keypair }),
  ).rejects.toThrow('Object used as owned is not owned');
});

test('it goes to other owners and other kinds of ownership, is deleted, and is never shared', async () => {
  const id = await make(alice.address);
  const start = async () => (await deed(id)).owner.ConsensusAddressOwner?.startVersion;
  const first = await start();
  await use(alice, 'give', id, bob.address);
  expect((await deed(id)).owner.ConsensusAddressOwner).toEqual({ owner: bob.address, startVersion: first });
  await expect(use(bob, 'open', id)).rejects.toThrow(/abort code: 0, in '.*::transfer::/);
  await use(bob, 'keep', id);
  expect((await deed(id)).owner).toMatchObject({ $kind: 'AddressOwner', AddressOwner: bob.address });
  await use(bob, 'give', id, bob.address);
  expect(await start()).toBe((await deed(id)).version);
  await use(bob, 'burn', id);
  await expect(deed(id)).rejects.toThrow();
});

test('a coin as a party object counts, and is selected for no gas', async () => {
  const keypair = Ed25519Keypair.generate();
  const dave: Account = { client, keypair, address: keypair.toSuiAddress() };
  await execute(alice, (tx) => {
    const [large, small] = tx.splitCoins(tx.gas, [5_000_000_000, 1_000_000_000]);
    const party = tx.moveCall({
      target: '0x2::party::single_owner',
      arguments: [tx.pure.address(dave.address)],
    });
    tx.moveCall({
      target: '0x2::transfer::public_party_transfer',
      typeArguments: ['0x2::coin::Coin<0x2::sui::SUI>'],
      arguments: [large!, party],
    });
    tx.transferObjects([small!], dave.address);
  });
  const balance = async () => BigInt((await client.getBalance({ owner: dave.address })).balance.balance);
  expect(await balance()).toBe(6_000_000_000n);
  await execute(dave, (tx) => {
    tx.transferObjects([tx.splitCoins(tx.gas, [1])], alice.address);
  });
  expect(await balance()).toBeLessThan(6_000_000_000n);
});

/** Signs for `sender` with other keys, and executes. */
async function signedBy(sender: Account, keys: Ed25519Keypair[], build: (tx: Transaction) => void) {
  const transaction = new Transaction();
  transaction.setSender(sender.address);
  build(transaction);
  const bytes = await transaction.build({ client });
  const signatures = await Promise.all(keys.map(async (key) => (await key.signTransaction(bytes)).signature));
  const sent = await client.executeTransaction({ transaction: bytes, signatures });
  await client.waitForTransaction({ digest: (sent.Transaction ?? sent.FailedTransaction)!.digest });
  return sent;
}

const pays = (tx: Transaction) => {
  tx.transferObjects([tx.splitCoins(tx.gas, [1])], bob.address);
};

test('who may sign for an address is what it says below 0xa', async () => {
  const carol = await createAccount(client, localnet.faucetUrl);
  const { keypair: friend } = bob;
  await expect(signedBy(carol, [friend], pays)).rejects.toThrow(/Required Signature from .* is absent/);
  const alias = (name: string) => `0x2::address_alias::${name}`;
  const { created } = await execute(carol, (tx) => {
    tx.moveCall({ target: alias('initialize'), arguments: [tx.object('0xa')] });
  });
  const aliases = created.find(({ type }) => type.endsWith('::AddressAliases'))!.id;
  expect(aliases).toBe(
    deriveObjectID(
      `0x${'a'.padStart(64, '0')}`,
      '0x2::address_alias::AliasKey',
      Buffer.from(carol.address.slice(2), 'hex'),
    ),
  );
  await signedBy(carol, [carol.keypair], pays);
  await expect(signedBy(carol, [friend], pays)).rejects.toThrow(/is absent/);
  const change = (name: string, address: string) => (tx: Transaction) => {
    tx.moveCall({ target: alias(name), arguments: [tx.object(aliases), tx.pure.address(address)] });
  };
  await execute(carol, change('add', bob.address));
  expect((await signedBy(carol, [friend], pays)).$kind).toBe('Transaction');
  await expect(signedBy(carol, [alice.keypair], pays)).rejects.toThrow(/is absent/);
  await signedBy(carol, [friend], change('remove', carol.address));
  await expect(signedBy(carol, [carol.keypair], pays)).rejects.toThrow(/is absent/);
  await expect(signedBy(carol, [friend], change('remove', bob.address))).rejects.toThrow(/One alias stays/);
  const others = Array.from({ length: 9 }, (_, i) => `0x${String(i + 1).padStart(64, '0')}`);
  const replaced = (addresses: string[]) => (tx: Transaction) => {
    tx.moveCall({
      target: alias('replace_all'),
      arguments: [tx.object(aliases), tx.pure.vector('address', addresses)],
    });
  };
  await expect(signedBy(carol, [friend], replaced(others))).rejects.toThrow(/too many aliases/);
  await signedBy(carol, [friend], replaced([...others.slice(0, 7), carol.address]));
  expect((await signedBy(carol, [carol.keypair], pays)).$kind).toBe('Transaction');
  await expect(signedBy(carol, [friend], pays)).rejects.toThrow(/is absent/);
});

test('an alias signs for a sponsor too, and nobody changes the aliases of another', async () => {
  const sponsor = await createAccount(client, localnet.faucetUrl);
  const key = Ed25519Keypair.generate();
  const { created } = await execute(sponsor, (tx) => {
    tx.moveCall({ target: '0x2::address_alias::initialize', arguments: [tx.object('0xa')] });
  });
  const aliases = created.find(({ type }) => type.endsWith('::AddressAliases'))!.id;
  const adding = (tx: Transaction) => {
    const alias = tx.pure.address(key.toSuiAddress());
    tx.moveCall({ target: '0x2::address_alias::add', arguments: [tx.object(aliases), alias] });
  };
  await expect(execute(alice, adding)).rejects.toThrow(/was not signed by the correct sender/);
  await execute(sponsor, adding);
  const sent = await signedBy(alice, [alice.keypair, key], (tx) => {
    tx.setGasOwner(sponsor.address);
    tx.moveCall({ target: '0x2::clock::timestamp_ms', arguments: [tx.object.clock()] });
  });
  expect(sent.$kind).toBe('Transaction');
});
