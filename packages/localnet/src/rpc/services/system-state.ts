import { GrpcTypes } from '@mysten/sui/grpc';
import type { EpochRecord } from '../../ledger/types.ts';

/** The epoch's system state, of which this network has only the parts that need no validators or stakes. */
export function systemStateMessage(epoch: EpochRecord): GrpcTypes.SystemState {
  return GrpcTypes.SystemState.create({
    version: 2n,
    epoch: epoch.epoch,
    protocolVersion: epoch.protocolVersion,
    referenceGasPrice: epoch.referenceGasPrice,
    epochStartTimestampMs: BigInt(epoch.startMs),
    safeMode: false,
    safeModeStorageRewards: 0n,
    safeModeComputationRewards: 0n,
    safeModeStorageRebates: 0n,
    safeModeNonRefundableStorageFee: 0n,
    parameters: GrpcTypes.SystemParameters.create({ maxValidatorCount: 1n }),
    storageFund: { totalObjectStorageRebates: 0n, nonRefundableBalance: 0n },
    stakeSubsidy: GrpcTypes.StakeSubsidy.create({ balance: 0n }),
  });
}
