import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import type { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';

/** Someone on the local network: an ordinary client with a key of their own. */
export interface Account {
  address: string;
  keypair: Ed25519Keypair;
  client: SuiGrpcClient;
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

/** Signs and executes what `build` appends. @throws Error with the chain's reason when it fails. */
export async function execute(account: Account, build: (tx: Transaction) => void): Promise<Executed> {
  const transaction = new Transaction();
  transaction.setSender(account.address);
  build(transaction);
  const include = { effects: true, objectTypes: true } as const;
  const result = await account.client.signAndExecuteTransaction({
    transaction,
    signer: account.keypair,
    include,
  });
  if (result.$kind === 'FailedTransaction') {
    throw new Error(`transaction failed: ${JSON.stringify(result.FailedTransaction.status.error)}`);
  }
  const { digest, effects, objectTypes } = result.Transaction;
  const created = effects.changedObjects
    .filter((object) => object.idOperation === 'Created')
    .map((object) => ({ id: object.objectId, type: objectTypes[object.objectId] ?? 'package' }));
  await account.client.waitForTransaction({ digest });
  return { digest, created };
}
