import { Transaction } from '@mysten/sui/transactions';
import { faucetKeypair } from '../genesis.ts';
import { Account, TestNetwork } from './network.ts';

/** Executes transactions until it is killed; one line on standard output for each. The argument is the file. */
const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('which file?');
const { ledger } = await TestNetwork.open(path);
const bank = new Account(ledger, faucetKeypair());
for (let count = 1; ; count += 1) {
  const transaction = new Transaction();
  const coins = transaction.splitCoins(transaction.gas, [1, 2, 3]);
  transaction.transferObjects([coins[0]!, coins[1]!, coins[2]!], `0x${'b0'.repeat(32)}`);
  const { digest } = await bank.execute(transaction);
  if (count % 5 === 0) ledger.createCheckpoint();
  process.stdout.write(`${digest}\n`);
}
