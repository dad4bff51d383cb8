import { type BcsType, bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import type { Ledger } from '../../ledger/ledger.ts';
import { systemStateId, typeTagBytes } from '../../ledger/move-types.ts';
import { dynamicFieldId } from '../../vm/runtime/transaction-context.ts';

// What is parsed has the names and the form that the messages have.

const u64 = bcs.u64().transform({ output: BigInt });
const bytes = bcs.byteVector();
const text = bcs.string();

/** `0x2::bag::Bag` and `0x2::table::Table`, whose entries are fields. */
const Table = bcs.struct('Table', { id: bcs.Address, size: u64 });

function optional<Value, Input>(type: BcsType<Value, Input>) {
  return bcs.option(type).transform({ output: (value) => value ?? undefined });
}

const StakingPool = bcs.struct('StakingPool', {
  id: bcs.Address,
  activationEpoch: optional(u64),
  deactivationEpoch: optional(u64),
  suiBalance: u64,
  rewardsPool: u64,
  poolTokenBalance: u64,
  exchangeRates: Table,
  pendingStake: u64,
  pendingTotalSuiWithdraw: u64,
  pendingPoolTokenWithdraw: u64,
  extraFields: Table,
});

const Validator = bcs.struct('Validator', {
  metadata: bcs.struct('ValidatorMetadata', {
    address: bcs.Address,
    protocolPublicKey: bytes,
    networkPublicKey: bytes,
    workerPublicKey: bytes,
    proofOfPossession: bytes,
    name: text,
    description: text,
    imageUrl: text,
    projectUrl: text,
    networkAddress: text,
    p2PAddress: text,
    primaryAddress: text,
    workerAddress: text,
    nextEpochProtocolPublicKey: optional(bytes),
    nextEpochProofOfPossession: optional(bytes),
    nextEpochNetworkPublicKey: optional(bytes),
    nextEpochWorkerPublicKey: optional(bytes),
    nextEpochNetworkAddress: optional(text),
    nextEpochP2PAddress: optional(text),
    nextEpochPrimaryAddress: optional(text),
    nextEpochWorkerAddress: optional(text),
    extraFields: Table,
  }),
  votingPower: u64,
  operationCapId: bcs.Address,
  gasPrice: u64,
  stakingPool: StakingPool,
  commissionRate: u64,
  nextEpochStake: u64,
  nextEpochGasPrice: u64,
  nextEpochCommissionRate: u64,
  extraFields: Table,
});

/** `0x2::dynamic_field::Field<u64, 0x3::sui_system_state_inner::SuiSystemStateInnerV2>`. */
const StateField = bcs.struct('SuiSystemStateInnerV2', {
  id: bcs.Address,
  name: u64,
  epoch: u64,
  protocolVersion: u64,
  version: u64,
  validators: bcs.struct('ValidatorSet', {
    totalStake: u64,
    activeValidators: bcs.vector(Validator),
    pendingActiveValidators: Table,
    pendingRemovals: bcs.vector(u64),
    stakingPoolMappings: Table,
    inactiveValidators: Table,
    validatorCandidates: Table,
    atRiskValidators: bcs.map(bcs.Address, u64),
    extraFields: Table,
  }),
  storageFund: bcs.struct('StorageFund', {
    totalObjectStorageRebates: u64,
    nonRefundableBalance: u64,
  }),
  parameters: bcs.struct('SystemParametersV2', {
    epochDurationMs: u64,
    stakeSubsidyStartEpoch: u64,
    minValidatorCount: u64,
    maxValidatorCount: u64,
    minValidatorJoiningStake: u64,
    validatorLowStakeThreshold: u64,
    validatorVeryLowStakeThreshold: u64,
    validatorLowStakeGracePeriod: u64,
    extraFields: Table,
  }),
  referenceGasPrice: u64,
  validatorReportRecords: bcs.map(bcs.Address, bcs.vector(bcs.Address)),
  stakeSubsidy: bcs.struct('StakeSubsidy', {
    balance: u64,
    distributionCounter: u64,
    currentDistributionAmount: u64,
    stakeSubsidyPeriodLength: u64,
    stakeSubsidyDecreaseRate: bcs.u16(),
    extraFields: Table,
  }),
  safeMode: bcs.bool(),
  safeModeStorageRewards: u64,
  safeModeComputationRewards: u64,
  safeModeStorageRebates: u64,
  safeModeNonRefundableStorageFee: u64,
  epochStartTimestampMs: u64,
  extraFields: Table,
});

/** The version that the framework's state has: the name of the field below `0x5`. */
const version = bcs.u64().serialize(2).toBytes();

const stateId = dynamicFieldId(systemStateId, version, typeTagBytes('u64'));

/** The system state as the object at `0x5` has it. */
export function systemStateMessage(ledger: Ledger): GrpcTypes.SystemState {
  const field = ledger.getObject(stateId);
  if (field?.kind !== 'move') throw new Error('the state file has no system state');
  const { validators, validatorReportRecords, ...state } = StateField.parse(Uint8Array.from(field.contents));
  return GrpcTypes.SystemState.create({
    ...state,
    validatorReportRecords: [...validatorReportRecords].map(([reported, reporters]) => ({
      reported,
      reporters,
    })),
    validators: {
      ...validators,
      atRiskValidators: Object.fromEntries(validators.atRiskValidators),
      activeValidators: validators.activeValidators.map(({ metadata, ...validator }) => ({
        ...metadata,
        metadataExtraFields: metadata.extraFields,
        ...validator,
      })),
    },
  });
}
