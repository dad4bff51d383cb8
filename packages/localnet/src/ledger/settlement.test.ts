import { toBase58 } from '@mysten/sui/utils';
import { expect, test } from 'vitest';
import type { ObjectWrite } from '../execution/types.ts';
import { limits } from './protocol.ts';
import { settle } from './settlement.ts';

const type = `0x${'2'.padStart(64, '0')}::clock::Clock`;
const created = (index: number): ObjectWrite => ({
  change: 'created',
  id: `0x${index.toString(16).padStart(64, '0')}`,
  type,
  contents: new Uint8Array(40),
  hasPublicTransfer: false,
  owner: { kind: 'address', address: type.slice(0, 66) },
});

const settling = (objects: number) =>
  settle({
    transactionDigest: toBase58(new Uint8Array(32)),
    commands: [],
    objects: {
      records: new Map(),
      inputs: [],
      gas: { owner: type.slice(0, 66), coins: [], funds: 0n, fundsFirst: false },
    },
    outcome: {
      failure: undefined,
      writes: Array.from({ length: objects }, (_, index) => created(index)),
      packages: [],
      events: [],
      funds: [],
      loaded: [],
      computationUnits: 1n,
      commandOutputs: [],
    },
    gasPrice: 1_000n,
    gasBudget: limits.maxGasBudget,
    reserved: 0n,
    packageDependencies: [],
    read: () => undefined,
  });

test('a transaction whose effects would be larger than 512 KiB fails, and changes nothing', () => {
  // 101 bytes for each object.
  const most = settling(5_100);
  expect(most.failureDescription).toBeUndefined();
  expect(most.effectsBcs.length).toBeGreaterThan(limits.maxEffectsBytes - 10_000);
  const tooMany = settling(5_300);
  expect(tooMany.failureDescription).toMatch(/^EffectsTooLarge: \d+ bytes, at most 524288$/);
  expect(tooMany.changes).toEqual([]);
  expect(tooMany.gas).toMatchObject({ storageCost: 0n });
});
