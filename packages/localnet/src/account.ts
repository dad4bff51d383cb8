import type { SuiClientTypes } from '@mysten/sui/client';
import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { RpcError, type SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import {
  type SerialTransactionExecutor,
  Transaction,
  TransactionDataBuilder,
} from '@mysten/sui/transactions';

/** Someone on the local network: an ordinary client with a key of their own. */
export interface Account {
  address: string;
  keypair: Ed25519Keypair;
  client: SuiGrpcClient;
  /** Where given, all transactions of the account go through it, one after the other. */
  executor?: SerialTransactionExecutor;
}

/** What one executed transaction made, by object type. */
export interface Executed {
  digest: string;
  created: { id: string; type: string }[];
}

/** A new key with coins from the faucet. */
export async function createAccount(client: SuiGrpcClient, faucetUrl: string): Promise<Account> {
  const keypair = new Ed25519Keypair();
  const address = keypair.toSuiAddress();
  await requestSuiFromFaucetV2({ host: faucetUrl, recipient: address });
  return { address, keypair, client };
}

/** New keys, each with `amount` MIST of the funder's. */
export async function createAccounts(funder: Account, count: number, amount: bigint): Promise<Account[]> {
  const keypairs = Array.from({ length: count }, () => new Ed25519Keypair());
  const { client } = funder;
  const accounts = keypairs.map((keypair) => ({ address: keypair.toSuiAddress(), keypair, client }));
  await execute(funder, (tx) => {
    const coins = tx.splitCoins(
      tx.gas,
      accounts.map(() => amount),
    );
    accounts.forEach(({ address }, index) => {
      tx.transferObjects([coins[index]!], address);
    });
  });
  return accounts;
}

const include = { effects: true, objectTypes: true } as const;

/**
 * Signs and executes what `build` appends.
 *
 * @param beforeSending Receives the digest before the network receives the transaction. Not with an executor.
 * @throws Error with the chain's reason when it fails.
 */
export async function execute(
  account: Account,
  build: (tx: Transaction) => void,
  beforeSending?: (digest: string) => void,
): Promise<Executed> {
  const transaction = new Transaction();
  transaction.setSender(account.address);
  build(transaction);
  const { client, executor } = account;
  const result = await (executor
    ? executor.executeTransaction(transaction, include)
    : sign(account, transaction, beforeSending));
  const executed = executedOf(result);
  if (!executor) await client.waitForTransaction({ digest: executed.digest });
  return executed;
}

async function sign(
  { client, keypair }: Account,
  transaction: Transaction,
  beforeSending: ((digest: string) => void) | undefined,
) {
  const bytes = await transaction.build({ client });
  const { signature } = await keypair.signTransaction(bytes);
  beforeSending?.(TransactionDataBuilder.getDigestFromBytes(bytes));
  return client.executeTransaction({ transaction: bytes, signatures: [signature], include });
}

/** What an earlier transaction made; undefined when it never executed, or failed. */
export async function findExecuted(client: SuiGrpcClient, digest: string): Promise<Executed | undefined> {
  const found = await client.getTransaction({ digest, include }).catch((error: Error) => {
    if (error.cause instanceof RpcError && error.cause.code === 'NOT_FOUND') return undefined;
    throw error;
  });
  return found?.$kind === 'Transaction' ? executedOf(found) : undefined;
}

function executedOf(result: SuiClientTypes.TransactionResult<typeof include>): Executed {
  if (result.$kind === 'FailedTransaction') {
    throw new Error(`transaction failed: ${JSON.stringify(result.FailedTransaction.status.error)}`);
  }
  const { digest, effects, objectTypes } = result.Transaction;
  const created = effects.changedObjects
    .filter((object) => object.idOperation === 'Created')
    .map((object) => ({ id: object.objectId, type: objectTypes[object.objectId] ?? 'package' }));
  return { digest, created };
}
