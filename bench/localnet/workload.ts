import { faucetKeypair } from '@adaptor-marketplace/localnet/ledger/genesis';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
import type { Signer } from '@mysten/sui/cryptography';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Inputs, Transaction } from '@mysten/sui/transactions';
import { fromBase64, toBase64 } from '@mysten/sui/utils';

const registryDirectory = new URL('../../move/registry/', import.meta.url).pathname;
const coinsPerTransaction = 250;
const coinMist = 1_000_000_000;

export interface Signed {
  bytes: Uint8Array;
  signature: Uint8Array;
}

/** An object as effects name it. */
export interface Reference {
  objectId: string;
  version: string;
  digest: string;
}

/** What a transaction of the set-up created, and what is left of its gas coin. */
export interface Created {
  gas: Reference;
  objects: (Reference & { type: string })[];
}

/** Executes a signed transaction and answers what it created. Throws when it fails. */
export type Execute = (transaction: Signed) => Promise<Created>;

/** Signed transactions that do not depend on each other. */
export interface Workload {
  /** One registration each. */
  calls: Signed[];
  /** A registration, eight updates and its end each. */
  tenCommands: Signed[];
}

/**
 * Publishes the registry and splits a gas coin for every transaction of the measured load, which is built and
 * signed before anything is measured. The public key of the faucet pays, as it does on every local network.
 */
export async function prepareWorkload(
  count: { calls: number; tenCommands: number },
  firstGas: Reference,
  execute: Execute,
): Promise<Workload> {
  const bank = faucetKeypair();
  const publication = await execute(await signed(bank, await publishing(bank.toSuiAddress()), firstGas));
  const packageId = publication.objects.find(({ type }) => type === 'package')!.objectId;
  const registry = publication.objects.find(({ type }) => type.endsWith('::registry::Registry'))!;
  const publisher = Ed25519Keypair.generate();
  const coins: Reference[] = [];
  let { gas } = publication;
  while (coins.length < count.calls + count.tenCommands) {
    const { gas: rest, objects } = await execute(await signed(bank, funding(publisher.toSuiAddress()), gas));
    coins.push(...objects);
    gas = rest;
  }
  const build = (commands: Call[], index: number) =>
    signed(publisher, registryCalls(packageId, registry, commands, index), coins[index]!);
  const calls: Signed[] = [];
  for (let index = 0; index < count.calls; index += 1) calls.push(await build(['register'], index));
  const tenCommands: Signed[] = [];
  for (let index = 0; index < count.tenCommands; index += 1) {
    const commands: Call[] = ['register', ...new Array<Call>(8).fill('update'), 'unlist'];
    tenCommands.push(await build(commands, count.calls + index));
  }
  return { calls, tenCommands };
}

type Call = 'register' | 'update' | 'unlist';

function registryCalls(packageId: string, registry: Reference, calls: Call[], index: number): Transaction {
  const transaction = new Transaction();
  const shared = transaction.object(
    Inputs.SharedObjectRef({
      objectId: registry.objectId,
      initialSharedVersion: registry.version,
      mutable: true,
    }),
  );
  const clock = transaction.object(
    Inputs.SharedObjectRef({ objectId: '0x6', initialSharedVersion: 1, mutable: false }),
  );
  const address = transaction.pure.address(packageId);
  const service = transaction.pure.string(`${packageId}::bench::Service${index}`);
  const uri = transaction.pure.string('walrus://a-manifest-of-a-usual-length-of-forty-three');
  const hash = transaction.pure.vector('u8', new Array<number>(32).fill(7));
  const given = {
    register: [shared, address, service, uri, hash, clock],
    update: [shared, service, address, uri, hash, clock],
    unlist: [shared, service, clock],
  };
  for (const call of calls) {
    transaction.moveCall({ target: `${packageId}::registry::${call}`, arguments: given[call] });
  }
  return transaction;
}

async function publishing(owner: string): Promise<Transaction> {
  const { modules, dependencies } = await compilePackage(registryDirectory);
  const transaction = new Transaction();
  const cap = transaction.publish({ modules: modules.map((bytes) => toBase64(bytes)), dependencies });
  transaction.transferObjects([cap], owner);
  return transaction;
}

function funding(owner: string): Transaction {
  const transaction = new Transaction();
  const coins = transaction.splitCoins(
    transaction.gas,
    new Array<number>(coinsPerTransaction).fill(coinMist),
  );
  const each = Array.from({ length: coinsPerTransaction }, (_, index) => coins[index]!);
  transaction.transferObjects(each, owner);
  return transaction;
}

async function signed(signer: Signer, transaction: Transaction, gas: Reference): Promise<Signed> {
  transaction.setSender(signer.toSuiAddress());
  transaction.setGasPrice(1_000);
  transaction.setGasBudget(900_000_000);
  transaction.setGasPayment([gas]);
  const bytes = await transaction.build();
  const { signature } = await signer.signTransaction(bytes);
  return { bytes, signature: fromBase64(signature) };
}
