import { normalizeSuiAddress } from '@mysten/sui/utils';
import { idBytes } from '../state/encoding.ts';
import { SUI } from '../vm/framework.ts';
import type { FundsWrite } from '../vm/runtime/funds.ts';
import { dynamicFieldId } from '../vm/runtime/transaction-context.ts';
import {
  accumulatorRootId,
  balanceCoinOf,
  balanceOf,
  canonicalType,
  suiBalanceType,
  suiType,
  typeTagBytes,
} from './move-types.ts';
import { refusedInput, sizeExceeded, unsupported } from './refusals.ts';
import { checkTypes } from './type-arguments.ts';
import type { BalanceChange, TransactionData } from './types.ts';

/** What an address or an object has without coins. `coinType`: canonical. */
export type ReadFunds = (owner: string, coinType: string) => bigint;

type Data = TransactionData['V1'];
type Inputs = NonNullable<Data['kind']['ProgrammableTransaction']>['inputs'];
type FundsWithdrawal = NonNullable<Inputs[number]['FundsWithdrawal']>;

interface Withdrawal {
  owner: string;
  coinType: string;
  amount: bigint;
}

/** The chain's bound on withdrawals of one transaction. */
const maxWithdrawals = 10;

/**
 * Everything that can be said of withdrawals without reading funds.
 *
 * @param others How many more there are, outside of the inputs.
 * @throws LedgerError
 */
export function checkWithdrawals(inputs: Inputs, isSponsored: boolean, others: number): void {
  const withdrawals = inputs.flatMap((input) => input.FundsWithdrawal ?? []);
  const count = withdrawals.length + others;
  if (count > maxWithdrawals) {
    throw sizeExceeded('maximum number of balance withdraw reservations', maxWithdrawals, count);
  }
  for (const { reservation, typeArg, withdrawFrom } of withdrawals) {
    checkTypes([typeArg.Balance]);
    if (withdrawFrom.$kind === 'SenderAllowance') throw unsupported('withdrawing by an allowance');
    if (withdrawFrom.$kind === 'Sponsor' && !isSponsored) {
      throw invalidWithdrawal('Sponsor withdrawals need a transaction with a sponsor');
    }
    if (BigInt(reservation.MaxAmountU64) === 0n) {
      throw invalidWithdrawal('Balance withdraw reservation amount must be non-zero');
    }
  }
}

/** Whose funds an input withdraws, and how much at most. */
export function withdrawalOf(
  { reservation, typeArg, withdrawFrom }: FundsWithdrawal,
  { sender, gasData }: Data,
): Withdrawal {
  return {
    owner: withdrawFrom.$kind === 'Sponsor' ? normalizeSuiAddress(gasData.owner) : sender,
    coinType: canonicalType(typeArg.Balance),
    amount: BigInt(reservation.MaxAmountU64),
  };
}

/** What gas takes of its payer's funds. */
export function gasWithdrawal({ gasData }: Data, amount: bigint): Withdrawal {
  return { owner: gasData.owner, coinType: suiType, amount };
}

/** Refuses a transaction that reserves more than there is. @throws LedgerError */
export function checkReserved(withdrawals: readonly Withdrawal[], read: ReadFunds): void {
  const sums = new Map<string, Withdrawal>();
  for (const each of withdrawals) {
    const key = `${each.owner} ${each.coinType}`;
    const sum = (sums.get(key)?.amount ?? 0n) + each.amount;
    sums.set(key, { ...each, amount: sum });
  }
  for (const { owner, coinType, amount } of sums.values()) {
    const available = read(owner, coinType);
    if (available >= amount) continue;
    const id = accumulatorId(owner, balanceOf(coinType));
    throw invalidWithdrawal(
      `Available amount in account for object id ${id} is less than requested: ${available} < ${amount}`,
    );
  }
}

function invalidWithdrawal(text: string) {
  return refusedInput('InvalidWithdrawReservation', `Invalid withdraw reservation: ${text}`);
}

/** Where the funds of an owner are counted, as the chain names it. */
export function accumulatorId(owner: string, type: string): string {
  return dynamicFieldId(accumulatorRootId, idBytes(owner), typeTagBytes(`${SUI}::accumulator::Key<${type}>`));
}

/** MIST that an owner's funds gain, or lose. */
export interface SuiChange {
  owner: string;
  amount: bigint;
}

/** What execution did to funds, and on the same accounts what gas did. */
export function withChanges(writes: readonly FundsWrite[], changes: readonly SuiChange[]): FundsWrite[] {
  return changes
    .filter(({ amount }) => amount !== 0n)
    .reduce<FundsWrite[]>(
      (all, { owner, amount }) => {
        const moved = all.find((each) => each.owner === owner && each.type === suiBalanceType);
        const net = (moved === undefined ? 0n : signed(moved)) + amount;
        const write: FundsWrite = {
          accumulator: accumulatorId(owner, suiBalanceType),
          owner,
          type: suiBalanceType,
          operation: net < 0n ? 'split' : 'merge',
          amount: net < 0n ? -net : net,
        };
        return [...all.filter((each) => each !== moved), write];
      },
      [...writes],
    );
}

function signed({ operation, amount }: FundsWrite): bigint {
  return operation === 'merge' ? amount : -amount;
}

/** What funds gained or lost. */
export function fundsChanges(writes: readonly FundsWrite[]): BalanceChange[] {
  return writes.flatMap((write) => {
    const amount = signed(write);
    return amount === 0n ? [] : [{ address: write.owner, coinType: balanceCoinOf(write.type), amount }];
  });
}
