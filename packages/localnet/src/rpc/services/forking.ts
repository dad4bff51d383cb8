import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import type { NetworkClock } from '../../internal/clock.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { clockId, coinBalance } from '../../ledger/move-types.ts';
import { bindService } from '../server/service.ts';
import { invalidField } from '../server/status-details.ts';

const defaultAdvanceMs = 1n;

/** What a forked network has for tests: its clock and its checkpoints move when told. Nothing is forked here. */
export function forkingService(ledger: Ledger, clock: NetworkClock) {
  return bindService<SuiGrpcClient['forkingService']>(GrpcTypes.ForkingService, {
    async advanceClock({ durationMs = defaultAdvanceMs }) {
      try {
        clock.advance(Number(durationMs));
      } catch {
        throw invalidField('duration_ms', `${durationMs} ms is beyond the year 9999`);
      }
      const { digest } = ledger.setClock();
      return { timestampMs: clockTime(ledger), txDigest: digest };
    },

    async advanceCheckpoint() {
      const { sequence, timestampMs } = ledger.createCheckpoint();
      return { checkpointSequenceNumber: sequence, timestampMs: BigInt(timestampMs) };
    },

    async getStatus() {
      return {
        epoch: ledger.getEpoch()?.epoch ?? 0n,
        checkpointSequenceNumber: ledger.highestCheckpoint,
        timestampMs: clockTime(ledger),
        forkedAtCheckpoint: 0n,
      };
    },
  });
}

/** Milliseconds of the clock at `0x6`: a UID and a u64, as a coin is. */
function clockTime(ledger: Ledger): bigint {
  const clock = ledger.getObject(clockId);
  if (clock?.kind !== 'move') throw new Error('the network has no clock');
  return coinBalance(clock.contents);
}
