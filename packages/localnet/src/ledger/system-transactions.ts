import { bcs } from '@mysten/sui/bcs';
import type { ObjectWrite } from '../execution/types.ts';
import type { ObjectRecord } from '../state/objects.ts';
import { digestOf, zeroDigest } from './digests.ts';
import { balanceChanges, encodeEffects, type ObjectChange, touchedObjects } from './effects.ts';
import { noGas } from './gas.ts';
import type { MoveRecord, ReadLive } from './input-objects.ts';
import { systemAddress, withU64 } from './move-types.ts';
import { recordObject } from './object-bcs.ts';
import { onlyEpoch } from './protocol.ts';
import type { Settlement } from './settlement.ts';

type Kind = Parameters<typeof bcs.TransactionKind.serialize>[0];

/** `TransactionData` of a system transaction: sent by 0x0, free, unsigned. */
export function systemTransaction(kind: Kind): Uint8Array {
  return bcs.TransactionData.serialize({
    V1: {
      kind,
      sender: systemAddress,
      gasData: {
        payment: [{ objectId: systemAddress, version: 0, digest: zeroDigest }],
        owner: systemAddress,
        price: 1,
        budget: 0,
      },
      expiration: { None: true },
    },
  }).toBytes();
}

/**
 * The transaction that opens a checkpoint and sets the clock, as the chain's does for each consensus commit.
 * There is no consensus here: `round` is the checkpoint's sequence number.
 */
export function clockPrologue(round: bigint, timestampMs: number): Uint8Array {
  return systemTransaction({
    ConsensusCommitPrologue: { epoch: onlyEpoch, round, commitTimestampMs: timestampMs },
  });
}

/** What the prologue comes to: the clock's next version. It pays nothing, and the clock's storage stays paid. */
export function settlePrologue(
  transactionDigest: string,
  clock: MoveRecord,
  timestampMs: number,
): Settlement {
  const contents = withU64(clock.contents, BigInt(timestampMs));
  const version = clock.version + 1n;
  const next = recordObject(
    { ...clock, contents, version, previousTransaction: transactionDigest },
    () => clock.storageRebate,
  );
  const change: ObjectChange = { id: clock.id, kind: 'mutated', previous: clock, next };
  return settleSystem(transactionDigest, version, [change], [clock.previousTransaction]);
}

/** The genesis transaction creates every object there is. */
export function settleGenesis(transactionDigest: string, objects: readonly ObjectRecord[]): Settlement {
  const changes = objects.map((next) => ({
    id: next.id,
    kind: 'created' as const,
    previous: undefined,
    next,
  }));
  return settleSystem(transactionDigest, 1n, changes, []);
}

/**
 * What a transaction of the system comes to that ran private functions of the framework. It pays nothing: storage that was
 * paid stays paid, and what it creates is free.
 */
export function settleWrites(
  transactionDigest: string,
  writes: readonly ObjectWrite[],
  read: ReadLive,
): Settlement {
  const live = writes.map(({ id }) => {
    const record = read(id);
    return record?.kind === 'move' ? record : undefined;
  });
  const previous = live.filter((record) => record !== undefined);
  const version = previous.reduce((top, each) => (each.version > top ? each.version : top), 0n) + 1n;
  const changes = writes.map((write, i): ObjectChange => {
    const before = live[i];
    const { id, change: kind } = write;
    if (!('contents' in write)) return { id, kind, previous: before, next: undefined };
    const { type, contents, hasPublicTransfer, owner } = write;
    const next = recordObject(
      {
        kind: 'move',
        id,
        version,
        type,
        contents,
        hasPublicTransfer,
        owner,
        previousTransaction: transactionDigest,
      },
      () => before?.storageRebate ?? 0n,
    );
    return { id, kind, previous: before, next };
  });
  const dependencies = previous.map((each) => each.previousTransaction);
  return settleSystem(transactionDigest, version, changes, dependencies);
}

/** What a transaction of the system comes to, with its changes made. */
function settleSystem(
  transactionDigest: string,
  lamportVersion: bigint,
  changes: ObjectChange[],
  dependencies: string[],
): Settlement {
  const effectsBcs = encodeEffects({
    transactionDigest,
    lamportVersion,
    changes,
    dependencies,
    failure: undefined,
    commands: [],
    gas: noGas,
    gasObjectId: undefined,
    funds: [],
    readShared: [],
    readConfigs: [],
    eventsDigest: undefined,
  });
  return {
    changes,
    gas: noGas,
    effectsBcs,
    effectsDigest: digestOf('TransactionEffects', effectsBcs),
    eventsBcs: undefined,
    eventsDigest: undefined,
    events: [],
    failureDescription: undefined,
    ...balanceChanges(changes, []),
    objects: touchedObjects(changes, [], []),
  };
}
