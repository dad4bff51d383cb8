import { GrpcTypes } from '@mysten/sui/grpc';
import { fromBase64 } from '@mysten/sui/utils';
import type { Command } from '../../execution/types.ts';
import { decodeTransaction } from '../../ledger/transaction-checks.ts';
import type { TransactionExpiration, UnresolvedInput, UnresolvedTransaction } from '../../ledger/types.ts';
import { parseAddress, parseType } from '../query/move-path.ts';
import { unimplemented } from '../server/status.ts';
import { invalidField, missingField } from '../server/status-details.ts';
import { commandOf } from './command.ts';
import type { Timestamp } from './common.ts';

const {
  FundsWithdrawal_Source: Source,
  Input_InputKind: InputKind,
  Input_Mutability: Mutability,
  TransactionExpiration_TransactionExpirationKind: ExpirationKind,
} = GrpcTypes;

/**
 * The draft that a client wants simulated: either whole as BCS, or as a message that may leave out gas and
 * the versions of objects.
 *
 * @throws GrpcError or LedgerError INVALID_ARGUMENT, or UNIMPLEMENTED for inputs that this network lacks.
 */
export function draftOf(transaction: GrpcTypes.Transaction | undefined): UnresolvedTransaction {
  if (!transaction) throw missingField('transaction');
  if (transaction.bcs?.value) return draftOfBcs(transaction.bcs.value);
  const data = transaction.kind?.data;
  if (data?.oneofKind !== 'programmableTransaction') {
    throw invalidField('transaction.kind', 'only programmable transactions can be simulated');
  }
  const { inputs, commands } = data.programmableTransaction;
  const draft: UnresolvedTransaction = {
    sender: parseAddress(transaction.sender, 'transaction.sender'),
    inputs: inputs.map(inputOf),
    commands: commands.map(commandOf),
    gas: gasOf(transaction.gasPayment),
  };
  const expiration = transaction.expiration && expirationOf(transaction.expiration);
  if (expiration) draft.expiration = expiration;
  return draft;
}

function draftOfBcs(bytes: Uint8Array): UnresolvedTransaction {
  const v1 = decodeTransaction(bytes).V1;
  const programmable = v1.kind.ProgrammableTransaction;
  if (!programmable) throw invalidField('transaction.bcs', 'not a programmable transaction');
  const { owner, price, budget, payment } = v1.gasData;
  return {
    sender: v1.sender,
    inputs: programmable.inputs.map((input): UnresolvedInput => {
      if (input.Pure) return { kind: 'pure', bytes: fromBase64(input.Pure.bytes) };
      if (input.FundsWithdrawal) {
        const { reservation, typeArg, withdrawFrom } = input.FundsWithdrawal;
        if (withdrawFrom.$kind === 'SenderAllowance') throw noAllowances();
        const from = withdrawFrom.$kind === 'Sponsor' ? 'sponsor' : 'sender';
        const amount = BigInt(reservation.MaxAmountU64);
        return { kind: 'withdrawal', coinType: typeArg.Balance, amount, from };
      }
      const shared = input.Object?.SharedObject;
      if (shared) {
        const version = BigInt(shared.initialSharedVersion);
        return {
          kind: 'object',
          usage: 'shared',
          objectId: shared.objectId,
          version,
          mutable: shared.mutable,
        };
      }
      const reference = input.Object?.ImmOrOwnedObject ?? input.Object?.Receiving;
      if (!reference) throw invalidField('transaction.bcs', 'an input of an unknown kind');
      const usage = input.Object?.Receiving ? 'receiving' : 'owned';
      return { kind: 'object', usage, ...reference, version: BigInt(reference.version) };
    }),
    commands: programmable.commands as Command[],
    gas: {
      owner,
      price: BigInt(price),
      budget: BigInt(budget),
      payment: payment.map((coin) => ({ ...coin, version: BigInt(coin.version) })),
    },
    expiration: v1.expiration,
  };
}

function inputOf(input: GrpcTypes.Input): UnresolvedInput {
  if (input.kind === InputKind.FUNDS_WITHDRAWAL || input.fundsWithdrawal) {
    return withdrawalOf(input.fundsWithdrawal);
  }
  if (input.kind === InputKind.PURE || input.pure) {
    return { kind: 'pure', bytes: input.pure ?? new Uint8Array() };
  }
  if (input.literal) throw unimplemented('input.literal: give pure values as BCS');
  const mutable = input.mutability === undefined ? input.mutable : input.mutability !== Mutability.IMMUTABLE;
  const usage = input.kind === undefined ? undefined : usages[input.kind];
  return {
    kind: 'object',
    objectId: parseAddress(input.objectId, 'input.object_id'),
    ...(usage && { usage }),
    ...(input.version !== undefined && { version: input.version }),
    ...(input.digest !== undefined && { digest: input.digest }),
    ...(mutable !== undefined && { mutable }),
  };
}

function withdrawalOf(withdrawal: GrpcTypes.FundsWithdrawal | undefined): UnresolvedInput {
  const { amount, coinType, source } = withdrawal ?? {};
  if (amount === undefined) throw missingField('input.funds_withdrawal.amount');
  if (source === Source.SENDER_ALLOWANCE) throw noAllowances();
  return {
    kind: 'withdrawal',
    coinType: parseType(coinType, 'input.funds_withdrawal.coin_type'),
    amount,
    from: source === Source.SPONSOR ? 'sponsor' : 'sender',
  };
}

const usages: Partial<Record<GrpcTypes.Input_InputKind, 'owned' | 'shared' | 'receiving'>> = {
  [InputKind.IMMUTABLE_OR_OWNED]: 'owned',
  [InputKind.SHARED]: 'shared',
  [InputKind.RECEIVING]: 'receiving',
};

function gasOf(gas: GrpcTypes.GasPayment | undefined): UnresolvedTransaction['gas'] {
  if (!gas) return {};
  return {
    owner: parseAddress(gas.owner, 'transaction.gas_payment.owner'),
    ...(gas.price !== undefined && { price: gas.price }),
    ...(gas.budget !== undefined && { budget: gas.budget }),
    payment: gas.objects.map(({ objectId, version, digest }) => ({
      objectId: parseAddress(objectId, 'transaction.gas_payment.objects'),
      ...(version !== undefined && { version }),
      ...(digest !== undefined && { digest }),
    })),
  };
}

function expirationOf(expiration: GrpcTypes.TransactionExpiration): TransactionExpiration | undefined {
  const { kind, epoch, minEpoch, minTimestamp, maxTimestamp, chain, nonce } = expiration;
  if (kind === undefined || kind === ExpirationKind.NONE) return undefined;
  if (kind === ExpirationKind.EPOCH) return { $kind: 'Epoch', Epoch: Number(epoch ?? 0n) };
  if (kind !== ExpirationKind.VALID_DURING) {
    throw unimplemented('transaction.expiration: only NONE, EPOCH and VALID_DURING are supported');
  }
  return {
    $kind: 'ValidDuring',
    ValidDuring: {
      minEpoch: minEpoch === undefined ? null : String(minEpoch),
      maxEpoch: epoch === undefined ? null : String(epoch),
      minTimestamp: milliseconds(minTimestamp),
      maxTimestamp: milliseconds(maxTimestamp),
      chain: chain ?? '',
      nonce: nonce ?? 0,
    },
  };
}

function milliseconds(time: Timestamp | undefined): string | null {
  return time ? String(time.seconds * 1000n + BigInt(Math.floor(time.nanos / 1_000_000))) : null;
}

const noAllowances = () => unimplemented('inputs: withdrawals by an allowance are not supported');
