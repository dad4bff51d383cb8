import { Inputs, Transaction } from '@mysten/sui/transactions';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coinBalance } from './move-types.ts';
import { type Account, referenceTo, TestNetwork } from './testing/network.ts';
import { LedgerError, type ObjectRecord } from './types.ts';

/** What a random step does: numbers choose among what there is at that moment. */
const step = fc.record({
  kind: fc.constantFrom(
    'transfer' as const,
    'split' as const,
    'merge' as const,
    'stale' as const,
    'foreign' as const,
    'checkpoint' as const,
  ),
  from: fc.nat(2),
  to: fc.nat(2),
  coin: fc.nat(20),
  amount: fc.integer({ min: 1, max: 3_000_000 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

class Model {
  readonly network: TestNetwork;
  readonly accounts: Account[];
  /** Every coin version that was ever spent. */
  readonly spent: ObjectRecord[] = [];
  /** MIST that left circulation: computation, storage that is never given back. */
  burned = 0n;

  constructor(network: TestNetwork, accounts: Account[]) {
    this.network = network;
    this.accounts = accounts;
  }

  async run({ kind, from, to, coin, amount }: Step): Promise<void> {
    const sender = this.accounts[from]!;
    const receiver = this.accounts[to]!;
    const [gas, ...others] = sender.coins();
    const chosen = others[coin % Math.max(others.length, 1)];
    const transaction = new Transaction();
    if (gas === undefined || coinBalance(contents(gas)) < 100_000_000n) return;
    switch (kind) {
      case 'checkpoint':
        this.network.ledger.createCheckpoint();
        return;
      case 'split':
        transaction.transferObjects([transaction.splitCoins(transaction.gas, [amount])], receiver.address);
        return this.execute(sender, transaction, [gas]);
      case 'transfer':
        if (chosen === undefined) return;
        transaction.transferObjects(
          [transaction.object(Inputs.ObjectRef(referenceTo(chosen)))],
          receiver.address,
        );
        return this.execute(sender, transaction, [gas, chosen]);
      case 'merge':
        if (chosen === undefined) return;
        transaction.mergeCoins(transaction.gas, [transaction.object(Inputs.ObjectRef(referenceTo(chosen)))]);
        return this.execute(sender, transaction, [gas, chosen]);
      case 'stale': {
        const old = this.spent[coin % Math.max(this.spent.length, 1)];
        if (old === undefined || old.id === gas.id) return;
        transaction.transferObjects(
          [transaction.object(Inputs.ObjectRef(referenceTo(old)))],
          receiver.address,
        );
        return this.refused(sender, transaction, [
          'ObjectVersionUnavailableForConsumption',
          'ObjectNotFound',
        ]);
      }
      case 'foreign': {
        const theirs = receiver.coins()[coin % Math.max(receiver.coins().length, 1)];
        if (theirs === undefined || sender === receiver) return;
        transaction.transferObjects(
          [transaction.object(Inputs.ObjectRef(referenceTo(theirs)))],
          sender.address,
        );
        return this.refused(sender, transaction, ['IncorrectUserSignature']);
      }
    }
  }

  async execute(sender: Account, transaction: Transaction, used: ObjectRecord[]): Promise<void> {
    const { effects } = await sender.execute(transaction);
    this.burned += BigInt(effects.gasUsed.computationCost) + BigInt(effects.gasUsed.nonRefundableStorageFee);
    this.spent.push(...used);
  }

  async refused(sender: Account, transaction: Transaction, reasons: string[]): Promise<void> {
    const error = await sender.execute(transaction).catch((refusal: unknown) => refusal);
    if (!(error instanceof LedgerError)) throw new Error('the transaction executed');
    expect(reasons).toContain(error.reason);
  }

  /** MIST in coins, and MIST that the coins' storage holds and deleting them gives back. */
  total(): bigint {
    const coins = this.accounts.flatMap((account) => account.coins());
    expect(new Set(coins.map(({ id }) => id)).size).toBe(coins.length);
    return coins.reduce((sum, coin) => sum + coinBalance(contents(coin)) + coin.storageRebate, 0n);
  }
}

function contents(coin: ObjectRecord): Uint8Array {
  if (coin.kind !== 'move') throw new Error('a coin is a Move object');
  return coin.contents;
}

test('whatever is sent: no SUI appears or vanishes, objects have one live version, stale and foreign ones are refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const network = await TestNetwork.open();
      const accounts = [
        await network.account(5_000_000_000n, 1_000_000_000n),
        await network.account(5_000_000_000n),
        await network.account(2_000_000_000n, 2_000_000_000n, 100n),
      ];
      const model = new Model(network, accounts);
      const before = model.total();
      for (const each of steps) await model.run(each);
      expect(model.total() + model.burned).toBe(before);
      for (const account of accounts) {
        const held = account.coins().reduce((sum, coin) => sum + coinBalance(contents(coin)), 0n);
        expect(account.balance()).toBe(held);
      }
      for (const old of model.spent) {
        const live = network.ledger.getObject(old.id);
        if (live !== undefined) expect(live.version).toBeGreaterThan(old.version);
        expect(network.ledger.getObject(old.id, old.version)?.digest).toBe(old.digest);
      }
      network.ledger.close();
    }),
    { numRuns: 15 },
  );
});
