import { GrpcTypes } from '@mysten/sui/grpc';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createObjectReader } from './objects.ts';

let nowMs: number;
beforeEach(() => {
  nowMs = 1_000;
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Lets time pass. The cache asks for the time again after a timer. */
function pass(ms: number) {
  nowMs += ms;
  vi.advanceTimersByTime(ms);
}

const { Owner_OwnerKind: OwnerKind } = GrpcTypes;
const id = `0x${'a'.repeat(64)}`;

/** A node that has one object until it is deleted, and counts the requests. */
function openNode(kind: GrpcTypes.Owner_OwnerKind) {
  const object = {
    objectId: id,
    version: 7n,
    digest: 'd',
    objectType: '0x2::pool::Pool',
    owner: { kind, version: 3n },
  } as GrpcTypes.Object;
  const node = { has: true, reads: 0 };
  const batchGetObjects = async () => {
    node.reads += 1;
    const result = node.has ? { oneofKind: 'object', object } : { oneofKind: 'error', error: {} };
    return { response: { objects: [{ result }] } as GrpcTypes.BatchGetObjectsResponse };
  };
  return { node, reader: createObjectReader({ ledgerService: { batchGetObjects } }) };
}

test('a shared object that was deleted is missing a minute later', async () => {
  const { node, reader } = openNode(OwnerKind.SHARED);
  const read = async () => [...(await reader.read([id])).keys()];
  expect([await read(), await read(), node.reads]).toEqual([[id], [id], 1]);
  node.has = false;
  pass(60_001);
  expect(await read()).toEqual([]);
});

test('an immutable object is read once', async () => {
  const { node, reader } = openNode(OwnerKind.IMMUTABLE);
  await reader.read([id]);
  pass(3_600_000);
  expect((await reader.read([id])).size).toBe(1);
  expect(node.reads).toBe(1);
});
