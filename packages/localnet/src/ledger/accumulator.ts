import { bcs } from '@mysten/sui/bcs';
import type { Command, ExecutionArgument } from '../execution/types.ts';
import type { PackageCache } from '../vm/loader/package.ts';
import { commandInput } from './command-bcs.ts';
import { digestOf } from './digests.ts';
import { accumulatorId } from './funds.ts';
import type { ReadLive } from './input-objects.ts';
import { accumulatorRootId, balanceCoinOf, balanceOf, canonicalType, suiType } from './move-types.ts';
import { onlyEpoch } from './protocol.ts';
import type { Settlement } from './settlement.ts';
import { callAsSystem, frameworkCall } from './system-calls.ts';
import { settleWrites, systemTransaction } from './system-transactions.ts';
import type { BalanceChange, ExecutedTransaction } from './types.ts';

/** Owners and types whose sums one transaction writes: the chain's bound. */
const maxUpdates = 100;

/** Keeps a transaction of the system: what it wrote is live from then on. */
type Keep = (
  transaction: { digest: string; bytes: Uint8Array; commands: Command[] },
  settlement: Settlement,
) => void;

/** What the transactions of a checkpoint do to funds, summed up for each owner and type. */
export class MovedFunds {
  readonly #sums = new Map<string, BalanceChange>();
  /** MIST that funds gained and lost. */
  #sui = { gained: 0n, lost: 0n };

  add(changes: readonly BalanceChange[]): void {
    for (const { address, coinType, amount } of changes) {
      const key = address + coinType;
      const sum = (this.#sums.get(key)?.amount ?? 0n) + amount;
      this.#sums.set(key, { address, coinType, amount: sum });
      if (coinType === suiType) this.#sui[amount > 0n ? 'gained' : 'lost'] += amount > 0n ? amount : -amount;
    }
  }

  /**
   * Writes the sums into the dynamic fields of the accumulator root, by the transactions that end the checkpoint, and
   * forgets them. The last transaction counts the fields that came and went.
   *
   * @param checkpoint Sequence number of the checkpoint.
   */
  settle(checkpoint: bigint, read: ReadLive, packages: PackageCache, keep: Keep): void {
    const updates = [...this.#sums.values()]
      .filter(({ amount }) => amount !== 0n)
      .map((each) => ({ ...each, field: accumulatorId(each.address, balanceOf(each.coinType)) }))
      .sort((a, b) => (a.field < b.field ? -1 : 1));
    let sui = this.#sui;
    this.#sums.clear();
    this.#sui = { gained: 0n, lost: 0n };
    if (updates.length === 0) return;
    let index = 0n;
    const run = (call: (transaction: RootTransaction) => void) => {
      const transaction = new RootTransaction(read);
      transaction.call(
        ['accumulator_settlement', 'settlement_prologue'],
        [onlyEpoch, checkpoint, index, sui.gained, sui.lost].map((value) => bcs.u64().serialize(value)),
      );
      call(transaction);
      transaction.run(packages, keep);
      index += 1n;
      sui = { gained: 0n, lost: 0n };
    };
    const before = updates.map(({ field }) => read(field) !== undefined);
    for (let from = 0; from < updates.length; from += maxUpdates) {
      run((transaction) => {
        for (const { address, coinType, amount } of updates.slice(from, from + maxUpdates)) {
          const [merge, split] = amount > 0n ? [amount, 0n] : [0n, -amount];
          transaction.call(
            ['accumulator_settlement', 'settle_u128'],
            [bcs.Address.serialize(address), bcs.u128().serialize(merge), bcs.u128().serialize(split)],
            [balanceOf(coinType)],
          );
        }
      });
    }
    const after = updates.map(({ field }) => read(field) !== undefined);
    const created = after.filter((exists, i) => exists && !before[i]).length;
    const destroyed = after.filter((exists, i) => !exists && before[i]).length;
    run((transaction) =>
      transaction.call(
        ['accumulator_metadata', 'record_accumulator_object_changes'],
        [created, destroyed].map((count) => bcs.u64().serialize(count)),
      ),
    );
  }
}

/** What a kept transaction moved, as its effects say. */
export function fundsMoved({ effects }: ExecutedTransaction): BalanceChange[] {
  return effects.changedObjects.flatMap(([, { outputState }]) => {
    const write = outputState.AccumulatorWriteV1;
    const value = BigInt(write?.value.Integer ?? 0);
    if (!write || value === 0n) return [];
    const coinType = balanceCoinOf(canonicalType(write.address.ty));
    return [{ address: write.address.address, coinType, amount: write.operation.Merge ? value : -value }];
  });
}

/** A programmable transaction of the system whose calls take the accumulator root first. */
class RootTransaction {
  readonly #read: ReadLive;
  readonly #root: Extract<ExecutionArgument, { kind: 'object' }>;
  readonly #pure: Uint8Array[] = [];
  readonly #commands: Command[] = [];

  constructor(read: ReadLive) {
    this.#read = read;
    const root = read(accumulatorRootId);
    if (root?.kind !== 'move') throw new Error('the state file has no accumulator root');
    this.#root = { kind: 'object', object: root, mutable: true };
  }

  call(
    target: [module: string, name: string],
    values: { toBytes(): Uint8Array }[],
    types: string[] = [],
  ): void {
    const inputs = values.map((value) => this.#pure.push(value.toBytes()));
    this.#commands.push(frameworkCall(target, [0, ...inputs], types));
  }

  run(packages: PackageCache, keep: Keep): void {
    const { owner } = this.#root.object;
    const bytes = systemTransaction({
      ProgrammableSystemTransaction: {
        inputs: [
          {
            Object: {
              SharedObject: {
                objectId: accumulatorRootId,
                initialSharedVersion: owner.kind === 'shared' ? owner.initialSharedVersion : 0,
                mutable: true,
              },
            },
          },
          ...this.#pure.map((value) => ({ Pure: { bytes: Buffer.from(value).toString('base64') } })),
        ],
        commands: this.#commands.map(commandInput),
      },
    });
    const digest = digestOf('TransactionData', bytes);
    const writes = callAsSystem(
      {
        transactionDigest: digest,
        commands: this.#commands,
        inputs: [this.#root, ...this.#pure.map((value) => ({ kind: 'pure' as const, bytes: value }))],
        readObject: this.#read,
      },
      packages,
    );
    keep({ digest, bytes, commands: this.#commands }, settleWrites(digest, writes, this.#read));
  }
}
