import { bcs } from '@mysten/sui/bcs';
import { fromBase58 } from '@mysten/sui/utils';
import { blake2b256 } from '../internal/blake2b.ts';
import type { PackageCache } from '../vm/loader/package.ts';
import { dynamicFieldId } from '../vm/runtime/transaction-context.ts';
import { digestOf } from './digests.ts';
import type { MoveRecord, ReadLive } from './input-objects.ts';
import { randomId, typeTagBytes } from './move-types.ts';
import { onlyEpoch } from './protocol.ts';
import type { Settlement } from './settlement.ts';
import { callAsSystem, frameworkCall } from './system-calls.ts';
import { settleWrites, systemTransaction } from './system-transactions.ts';

/** `0x2::random::Random`, whose `Versioned` has its content in a field. */
const Random = bcs.struct('Random', { id: bcs.Address, inner: bcs.Address, version: bcs.u64() });

/** `0x2::dynamic_field::Field<u64, 0x2::random::RandomInner>`. */
const Inner = bcs.struct('RandomInner', {
  id: bcs.Address,
  name: bcs.u64(),
  version: bcs.u64(),
  epoch: bcs.u64(),
  round: bcs.u64(),
  bytes: bcs.byteVector(),
});

/** The transaction that renews the random bytes. */
interface RandomnessUpdate {
  digest: string;
  bytes: Uint8Array;
  round: bigint;
  randomBytes: Uint8Array;
}

/**
 * The random bytes of a checkpoint. They follow from the chain, so that anyone who has it can work them out: on public
 * networks the validators make them together.
 *
 * @param previous Digest of the checkpoint before, base58.
 */
export function randomBytesOf(previous: string | undefined, sequence: bigint): Uint8Array {
  const digest = previous === undefined ? new Uint8Array() : fromBase58(previous);
  return blake2b256(digest, bcs.u64().serialize(sequence).toBytes());
}

export function randomnessUpdate(randomBytes: Uint8Array, read: ReadLive): RandomnessUpdate {
  const random = moveRecord(randomId, read);
  const { inner, version } = Random.parse(Uint8Array.from(random.contents));
  const fieldId = dynamicFieldId(inner, bcs.u64().serialize(version).toBytes(), typeTagBytes('u64'));
  const { round, bytes: earlier } = Inner.parse(Uint8Array.from(moveRecord(fieldId, read).contents));
  const next = earlier.length === 0 ? 0n : BigInt(round) + 1n;
  const bytes = systemTransaction({
    RandomnessStateUpdate: {
      epoch: onlyEpoch,
      randomnessRound: next,
      randomBytes,
      randomnessObjInitialSharedVersion:
        random.owner.kind === 'shared' ? random.owner.initialSharedVersion : 0,
    },
  });
  return { digest: digestOf('TransactionData', bytes), bytes, round: next, randomBytes };
}

/** What the update comes to. */
export function settleRandomness(
  update: RandomnessUpdate,
  read: ReadLive,
  packages: PackageCache,
): Settlement {
  const { digest: transactionDigest, round, randomBytes } = update;
  const calls = {
    transactionDigest,
    commands: [frameworkCall(['random', 'update_randomness_state'], [0, 1, 2])],
    inputs: [
      { kind: 'object' as const, object: moveRecord(randomId, read), mutable: true },
      { kind: 'pure' as const, bytes: bcs.u64().serialize(round).toBytes() },
      { kind: 'pure' as const, bytes: bcs.byteVector().serialize(randomBytes).toBytes() },
    ],
    readObject: read,
  };
  return settleWrites(transactionDigest, callAsSystem(calls, packages), read);
}

function moveRecord(id: string, read: ReadLive): MoveRecord {
  const record = read(id);
  if (record?.kind !== 'move') throw new Error(`the state file has no randomness: ${id} is missing`);
  return record;
}
