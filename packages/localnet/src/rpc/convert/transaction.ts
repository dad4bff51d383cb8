import { GrpcTypes } from '@mysten/sui/grpc';
import { fromBase64 } from '@mysten/sui/utils';
import type { Command } from '../../execution/types.ts';
import { canonicalType } from '../../ledger/move-types.ts';
import type { ExecutedTransaction, TransactionData } from '../../ledger/types.ts';
import { commandMessage } from './command.ts';
import { bcsMessage, timestamp } from './common.ts';
import type { ReadMask } from './read-mask.ts';

const {
  FundsWithdrawal_Source: Source,
  Input_InputKind: InputKind,
  Input_Mutability: Mutability,
  TransactionExpiration_TransactionExpirationKind: ExpirationKind,
  TransactionKind_Kind: Kind,
} = GrpcTypes;

type DataV1 = NonNullable<TransactionData['V1']>;
type ProgrammableTransaction = NonNullable<DataV1['kind']['ProgrammableTransaction']>;
type CallArg = ProgrammableTransaction['inputs'][number];

const parsedFields = ['sender', 'kind', 'gas_payment', 'expiration'];

type Source = Pick<ExecutedTransaction, 'digest' | 'bcs' | 'data'>;

/** A transaction's data as a message; parsed and converted only as far as the mask needs it. */
export function transactionMessage(
  transaction: Source,
  mask: ReadMask<GrpcTypes.Transaction>,
): GrpcTypes.Transaction {
  const { digest } = transaction;
  const message: GrpcTypes.Transaction = {
    bcs: bcsMessage('TransactionData', transaction.bcs),
    digest,
    version: 1,
  };
  if (!parsedFields.some((field) => mask.has(field))) return message;
  const { V1: v1 } = transaction.data;
  if (!v1) return message;
  const { payment, owner, price, budget } = v1.gasData;
  return {
    ...message,
    sender: v1.sender,
    ...(mask.has('kind') && { kind: kindMessage(v1.kind) }),
    gasPayment: {
      objects: payment.map(({ objectId, version, digest: objectDigest }) => ({
        objectId,
        version: BigInt(version),
        digest: objectDigest,
      })),
      owner,
      price: BigInt(price),
      budget: BigInt(budget),
    },
    expiration: expirationMessage(v1.expiration),
  };
}

/** System transactions (genesis, clock) say what they are; their contents stand in the BCS alone. */
function kindMessage(kind: DataV1['kind']): GrpcTypes.TransactionKind {
  const programmable = kind.ProgrammableTransaction ?? kind.ProgrammableSystemTransaction;
  if (programmable) {
    return {
      kind: kind.ProgrammableTransaction
        ? Kind.PROGRAMMABLE_TRANSACTION
        : Kind.PROGRAMMABLE_SYSTEM_TRANSACTION,
      data: {
        oneofKind: 'programmableTransaction',
        programmableTransaction: {
          inputs: programmable.inputs.map(inputMessage),
          commands: programmable.commands.map((command) => commandMessage(command as Command)),
        },
      },
    };
  }
  return { kind: systemKinds[kind.$kind] ?? Kind.KIND_UNKNOWN, data: { oneofKind: undefined } };
}

const systemKinds: Record<string, GrpcTypes.TransactionKind_Kind | undefined> = {
  Genesis: Kind.GENESIS,
  ChangeEpoch: Kind.CHANGE_EPOCH,
  RandomnessStateUpdate: Kind.RANDOMNESS_STATE_UPDATE,
  ConsensusCommitPrologue: Kind.CONSENSUS_COMMIT_PROLOGUE_V1,
};

function inputMessage(input: CallArg): GrpcTypes.Input {
  const { FundsWithdrawal: withdrawal } = input;
  if (input.Pure) return { kind: InputKind.PURE, pure: fromBase64(input.Pure.bytes) };
  const owned = input.Object?.ImmOrOwnedObject;
  if (owned) return { kind: InputKind.IMMUTABLE_OR_OWNED, ...reference(owned) };
  const receiving = input.Object?.Receiving;
  if (receiving) return { kind: InputKind.RECEIVING, ...reference(receiving) };
  const shared = input.Object?.SharedObject;
  if (shared) {
    return {
      kind: InputKind.SHARED,
      objectId: shared.objectId,
      version: BigInt(shared.initialSharedVersion),
      mutable: shared.mutable,
      mutability: shared.mutable ? Mutability.MUTABLE : Mutability.IMMUTABLE,
    };
  }
  return {
    kind: InputKind.FUNDS_WITHDRAWAL,
    ...(withdrawal && { fundsWithdrawal: withdrawalMessage(withdrawal) }),
  };
}

function withdrawalMessage(withdrawal: NonNullable<CallArg['FundsWithdrawal']>): GrpcTypes.FundsWithdrawal {
  const { reservation, typeArg, withdrawFrom } = withdrawal;
  return {
    amount: BigInt(reservation.MaxAmountU64),
    coinType: canonicalType(typeArg.Balance),
    source: withdrawFrom.$kind === 'Sponsor' ? Source.SPONSOR : Source.SENDER,
  };
}

function reference(ref: { objectId: string; version: string; digest: string }) {
  return { objectId: ref.objectId, version: BigInt(ref.version), digest: ref.digest };
}

function expirationMessage(expiration: DataV1['expiration']): GrpcTypes.TransactionExpiration {
  if (expiration.$kind === 'Epoch') return { kind: ExpirationKind.EPOCH, epoch: BigInt(expiration.Epoch) };
  if (expiration.$kind === 'None') return { kind: ExpirationKind.NONE };
  const validity = expiration.$kind === 'ValidDuring' ? expiration.ValidDuring : expiration.Validity;
  const message: GrpcTypes.TransactionExpiration = {
    kind: expiration.$kind === 'ValidDuring' ? ExpirationKind.VALID_DURING : ExpirationKind.VALIDITY,
    chain: validity.chain,
    nonce: validity.nonce,
  };
  if (validity.minEpoch != null) message.minEpoch = BigInt(validity.minEpoch);
  if (validity.maxEpoch != null) message.epoch = BigInt(validity.maxEpoch);
  if (validity.minTimestamp != null) message.minTimestamp = timestamp(Number(validity.minTimestamp));
  if (validity.maxTimestamp != null) message.maxTimestamp = timestamp(Number(validity.maxTimestamp));
  return message;
}
