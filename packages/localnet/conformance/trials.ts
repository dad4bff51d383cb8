import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { bcs } from '@mysten/sui/bcs';
import type { Keypair } from '@mysten/sui/cryptography';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import type { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1';
import { Secp256r1Keypair } from '@mysten/sui/keypairs/secp256r1';
import { MultiSigPublicKey } from '@mysten/sui/multisig';
import { Transaction } from '@mysten/sui/transactions';
import { execute } from '../src/account.ts';
import { errorOf } from './expect.ts';

export type Data = ReturnType<typeof bcs.TransactionData.parse>['V1'];

/** Whose transaction it is, and what is done with it between building and sending. */
interface Sending {
  keys?: Keypair[];
  change?(data: Data): void;
  sign?(bytes: Uint8Array): Promise<string[]>;
}

export const SUI = '0x2::sui::SUI';
export const COIN = `0x2::coin::Coin<${SUI}>`;

const sources = {
  'Move.toml': moveToml('features'),
  'sources/features.move': `module features::features;
use sui::transfer::Receiving;
use sui::coin::Coin;
use sui::sui::SUI;
public struct Parent has key, store { id: UID }
fun init(ctx: &mut TxContext) { transfer::share_object(Parent { id: object::new(ctx) }) }
public fun receive(parent: &mut Parent, coin: Receiving<Coin<SUI>>): Coin<SUI> {
    transfer::public_receive(&mut parent.id, coin)
}
public fun same(parent: &Parent): &Parent { parent }
public fun look(_: &Parent) {}
public struct Potato {}
public fun potato(): Potato { Potato {} }
fun hidden() {}
public fun fail() { abort 7 }
`,
};

/** Accounts, a package and coins on the network at `url` with which transactions are tried; `key` has coins. */
export async function prepareTrials(url: string, key: Ed25519Keypair) {
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: url });
  const address = key.toSuiAddress();
  const chain = (await client.ledgerService.getServiceInfo({})).response.chainId!;
  const account = { address, keypair: key, client };
  const compiled = await compileSources(sources);
  const { modules, dependencies } = compiled;
  const published = await execute(account, (tx) => {
    tx.transferObjects(
      [tx.publish({ modules: modules.map((module) => [...module]), dependencies })],
      address,
    );
  });
  const created = (end: string) => published.created.find(({ type }) => type.endsWith(end))!.id;
  const [packageId, parent, cap] = [created('package'), created('::Parent'), created('::UpgradeCap')];
  const [secp256k1, secp256r1] = [Secp256k1Keypair.generate(), Secp256r1Keypair.generate()];
  const members = [key, secp256k1].map((each) => ({ publicKey: each.getPublicKey(), weight: 1 }));
  const multisig = MultiSigPublicKey.fromPublicKeys({ threshold: 2, publicKeys: members });
  const prepared = await execute(account, (tx) => {
    const owners = [secp256k1, secp256r1, multisig].map((each) => each.toSuiAddress());
    const coins = tx.splitCoins(
      tx.gas,
      [...owners, address, parent, parent].map(() => 1_000_000_000),
    );
    for (const [i, owner] of [...owners, address, parent].entries()) tx.transferObjects([coins[i]!], owner);
    tx.moveCall({
      target: '0x2::transfer::public_freeze_object',
      typeArguments: [COIN],
      arguments: [coins[5]!],
    });
    for (const owner of [address, secp256k1.toSuiAddress()]) {
      const funds = tx.splitCoins(tx.gas, [1_000_000_000]);
      tx.moveCall({
        target: '0x2::coin::send_funds',
        typeArguments: [SUI],
        arguments: [funds, tx.pure.address(owner)],
      });
    }
  });
  const objects = await client.getObjects({ objectIds: prepared.created.map(({ id }) => id) });
  const coinOf = (owner: string | undefined) => {
    const found = objects.objects.find(
      (each) =>
        !(each instanceof Error) &&
        (owner === undefined ? each.owner.$kind === 'Immutable' : each.owner.AddressOwner === owner),
    );
    if (found === undefined || found instanceof Error) throw new Error(`no coin of ${owner}`);
    return found.objectId;
  };

  const send = async (build: (tx: Transaction) => void, { keys = [key], change, sign }: Sending) => {
    const tx = new Transaction();
    build(tx);
    tx.setSenderIfNotSet(keys[0]!.toSuiAddress());
    const data = bcs.TransactionData.parse(await tx.build({ client }));
    change?.(data.V1);
    const transaction = bcs.TransactionData.serialize(data).toBytes();
    const each = () => Promise.all(keys.map(async (by) => (await by.signTransaction(transaction)).signature));
    const signatures = await (sign?.(transaction) ?? each());
    const result = await client.executeTransaction({ transaction, signatures });
    const { digest, status } = result.Transaction ?? result.FailedTransaction;
    await client.waitForTransaction({ digest });
    if (!status.success) throw new Error(status.error.message);
  };
  /** `yes`; or the status that the call ends with, or the reason for which the transaction fails. */
  const tries = (build: (tx: Transaction) => void, sending: Sending = {}) => answer(send(build, sending));
  /** The answers of a simulation with checks, and of one without. */
  const simulates = async (build: (tx: Transaction) => void) => {
    const answers: string[] = [];
    for (const checksEnabled of [true, false]) {
      const transaction = new Transaction();
      transaction.setSender(address);
      build(transaction);
      const simulated = client.simulateTransaction({ transaction, checksEnabled }).then((result) => {
        const { status } = result.Transaction ?? result.FailedTransaction;
        if (!status.success) throw new Error(status.error.message);
      });
      answers.push(await answer(simulated));
    }
    return answers;
  };
  /** Two coins: gas takes those that an account had before. */
  const newCoins = async () => {
    const { created } = await execute(account, (tx) => {
      const coins = tx.splitCoins(tx.gas, [50_000_000, 50_000_000]);
      tx.transferObjects([coins[0]!, coins[1]!], address);
    });
    return created.map(({ id }) => id);
  };
  return {
    client,
    address,
    chain,
    compiled,
    packageId,
    parent,
    cap,
    secp256k1,
    secp256r1,
    multisig,
    coinOf,
    newCoins,
    simulates,
    tries,
  };
}

/** `yes`, or the status that a call ends with, or the reason for which its transaction fails. */
export async function answer(call: PromiseLike<unknown>): Promise<string> {
  try {
    const error = await errorOf(call);
    return error ? `no, ${error.code}` : 'yes';
  } catch (error) {
    const reason = /: (\w+)/.exec(
      `: ${(error as Error).message.replace('Transaction resolution failed: ', '')}`,
    );
    return `no: \`${reason?.[1]}\``;
  }
}
