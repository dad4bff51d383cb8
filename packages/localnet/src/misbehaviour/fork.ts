import type { GrpcTypes } from '@mysten/sui/grpc';
import { fromBase58, toBase58 } from '@mysten/sui/utils';
import { blake2b256 } from '../internal/blake2b.ts';
import { type Interceptor, isStream } from './interceptor.ts';
import type { MisbehaviourSettings } from './schema.ts';

type Settings = NonNullable<MisbehaviourSettings['fork']>;

/** Answers GetCheckpoint with other digests from a checkpoint on, as a node that follows another fork. */
export function fork({ from }: Settings): Interceptor {
  return ({ method, request }, next) => {
    const answer = next();
    if (method !== 'GetCheckpoint' || isStream(answer)) return answer;
    const { checkpointId } = request as GrpcTypes.GetCheckpointRequest;
    return answer.then(({ checkpoint }: GrpcTypes.GetCheckpointResponse) => {
      const asked = checkpointId.oneofKind === 'sequenceNumber' ? checkpointId.sequenceNumber : undefined;
      const sequence = asked ?? checkpoint?.sequenceNumber;
      if (!checkpoint?.digest || sequence === undefined || sequence < from) return { checkpoint };
      return { checkpoint: { ...checkpoint, digest: toBase58(blake2b256(fromBase58(checkpoint.digest))) } };
    });
  };
}
