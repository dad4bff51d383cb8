import { compileFramework } from '@adaptor-marketplace/move-toolchain';
import type { Signer } from '@mysten/sui/cryptography';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { fromBase64 } from '@mysten/sui/utils';
import { faucetKeypair } from '../genesis.ts';
import { Ledger } from '../ledger.ts';
import { suiCoinType } from '../move-types.ts';
import type { ExecutedTransaction, LedgerPosition, ObjectRecord, TransactionRecord } from '../types.ts';

/** A ledger for tests, with a clock that stands until a test moves it. */
export class TestNetwork {
  readonly ledger: Ledger;
  readonly #time: { ms: number };

  private constructor(ledger: Ledger, time: { ms: number }) {
    this.ledger = ledger;
    this.#time = time;
  }

  static async open(path = ':memory:', keepCheckpoints?: number): Promise<TestNetwork> {
    const time = { ms: 1_700_000_000_000 };
    const framework = await compileFramework();
    const ledger = Ledger.open({
      path,
      framework,
      now: () => time.ms,
      ...(keepCheckpoints !== undefined && { keepCheckpoints }),
    });
    return new TestNetwork(ledger, time);
  }

  passTime(ms: number): number {
    this.#time.ms += ms;
    return this.#time.ms;
  }

  /** A new key with a coin of each of these amounts (MIST). */
  async account(...amounts: bigint[]): Promise<Account> {
    const account = new Account(this.ledger, Ed25519Keypair.generate());
    const bank = new Account(this.ledger, faucetKeypair());
    const transaction = new Transaction();
    const coins = transaction.splitCoins(transaction.gas, amounts);
    transaction.transferObjects(
      amounts.map((_, i) => coins[i]!),
      account.address,
    );
    if (amounts.length > 0) await bank.execute(transaction);
    return account;
  }

  /** Every transaction so far that a checkpoint includes, in ledger order. */
  transactions(): TransactionRecord[] {
    const from: LedgerPosition = { checkpoint: 0n, transactionIndex: 0 };
    const to = { checkpoint: this.ledger.highestCheckpoint + 1n, transactionIndex: 0 };
    return this.ledger.listTransactions({ from, to, ordering: 'ascending', limit: 10_000 });
  }
}

export class Account {
  /** Another one after a restart. */
  ledger: Ledger;
  readonly key: Signer;
  readonly address: string;

  constructor(ledger: Ledger, key: Signer) {
    this.ledger = ledger;
    this.key = key;
    this.address = key.toSuiAddress();
  }

  /** Its SUI coins, richest first. */
  coins(): ObjectRecord[] {
    return this.ledger.listOwnedObjects(this.address, { limit: 1_000, type: suiCoinType }).items;
  }

  balance(): bigint {
    return this.ledger.getBalance(this.address, '0x2::sui::SUI').coins;
  }

  /** Fills in what a test leaves open: this sender, the richest coin, a generous budget. */
  async build(transaction: Transaction): Promise<Uint8Array<ArrayBuffer>> {
    transaction.setSenderIfNotSet(this.address);
    transaction.setGasBudgetIfNotSet(100_000_000);
    transaction.setGasPrice(transaction.getData().gasData.price ?? 1_000);
    const [richest] = this.coins();
    if (transaction.getData().gasData.payment === null && richest) {
      transaction.setGasPayment([referenceTo(richest)]);
    }
    return transaction.build();
  }

  async sign(bytes: Uint8Array): Promise<Uint8Array> {
    return fromBase64((await this.key.signTransaction(bytes)).signature);
  }

  async execute(transaction: Transaction): Promise<ExecutedTransaction> {
    const bytes = await this.build(transaction);
    return this.ledger.execute(bytes, [await this.sign(bytes)]);
  }
}

export function referenceTo(object: ObjectRecord): { objectId: string; version: string; digest: string } {
  return { objectId: object.id, version: String(object.version), digest: object.digest };
}
