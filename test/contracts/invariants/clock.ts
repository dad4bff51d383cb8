import type { TestChain } from '@adaptor-marketplace/localnet/execution/testing/chain';
import type { MoveObject, StoredObject } from '@adaptor-marketplace/localnet/state/objects';
import { bcs } from '@mysten/sui/bcs';

export const clockId = `0x${'6'.padStart(64, '0')}`;
const startMs = 1_700_000_000_000n;

export function startClock(chain: TestChain): void {
  chain.objects.set(clockId, clock(startMs));
}

function clock(nowMs: bigint): MoveObject {
  return {
    kind: 'move',
    id: clockId,
    version: 1n,
    type: `0x${'2'.padStart(64, '0')}::clock::Clock`,
    owner: { kind: 'shared', initialSharedVersion: 1n },
    contents: bcs
      .struct('Clock', { id: bcs.Address, now: bcs.u64() })
      .serialize({ id: clockId, now: nowMs })
      .toBytes(),
    hasPublicTransfer: false,
    previousTransaction: '',
  };
}

export function readClock(objects: ReadonlyMap<string, StoredObject>): bigint {
  const object = objects.get(clockId);
  if (object?.kind !== 'move') throw new Error('no clock');
  return Buffer.from(object.contents).readBigUInt64LE(32);
}

export function passTime(chain: TestChain, ms: bigint): void {
  chain.objects.set(clockId, clock(readClock(chain.objects) + ms));
}
