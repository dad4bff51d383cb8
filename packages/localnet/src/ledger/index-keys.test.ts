import { expect, test } from 'vitest';
import { indexKey, indexKeys } from './index-keys.ts';

const address = `0x${'ab'.repeat(32)}`;
const coin = `0x${'2'.padStart(64, '0')}::coin::Coin<u64>`;

function keysOf(eventType: string): Set<string> {
  return indexKeys({
    sender: address,
    gasOwner: address,
    commands: [],
    changes: [],
    balanceChanges: [],
    events: [
      { packageId: address, module: 'caller', sender: address, type: eventType, contents: new Uint8Array() },
    ],
  });
}

test('a generic event is found by its bare name and by the exact type, not by another instantiation', () => {
  const keys = keysOf(`${address}::pool::Swapped<${coin},u8>`);
  const found = (eventType: string) => keys.has(indexKey({ kind: 'eventType', eventType }));
  expect(found(address)).toBe(true);
  expect(found(`${address}::pool`)).toBe(true);
  expect(found(`${address}::pool::Swapped`)).toBe(true);
  expect(found(`${address}::pool::Swapped<0x2::coin::Coin<u64>, u8>`)).toBe(true);
  expect(found(`${address}::pool::Swapped<u8,${coin}>`)).toBe(false);
  expect(found(`${address}::poo`)).toBe(false);
});

test('an event is found by the module that was called, which need not be the one of its type', () => {
  const keys = keysOf(`0x${'cd'.repeat(32)}::m::E`);
  expect(keys.has(indexKey({ kind: 'emitModule', module: `${address}::caller` }))).toBe(true);
  expect(keys.has(indexKey({ kind: 'eventType', eventType: address }))).toBe(false);
});

test('a type that is none is refused', () => {
  for (const eventType of [
    '0x2::coin::Coin<',
    '0x2::coin::Coin<>',
    '0x2::coin::Coin<u7>',
    '0x2::c c::Coin<u8>',
  ]) {
    expect(() => indexKey({ kind: 'eventType', eventType })).toThrow(/is not a Move type/);
  }
});
