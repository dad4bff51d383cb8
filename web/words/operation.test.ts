import { normalizeStructTag } from '@mysten/sui/utils';
import { expect, test } from 'vitest';
import { describeOperation } from './operation.ts';

const spellType = (symbol: string) => (symbol === 'SUI' ? '0x2::sui::SUI' : `0x7::coin::${symbol}`);
const coins = (...symbols: string[]) =>
  symbols.map((symbol) => ({ coinType: spellType(symbol), name: symbol }));
const sui = coins('SUI');
const open = { coinIn: null, coinOut: null };
const objectId = `0x${'1c34'.padEnd(60, '0')}b980`;

test('a swap says what it takes, what it gives at least, and what it changes', () => {
  const call = {
    typeArgs: ['coinIn', 'coinOut'],
    args: [
      { role: 'wallet' },
      { role: 'object', objectId, mutable: true },
      { role: 'amount' },
      { role: 'minOut' },
      { role: 'clock' },
    ],
  };
  expect(describeOperation({ ...open, call, calls: null }, [])).toEqual([
    'Takes the amount you name of any coin from your wallet and gives back at least the minimum you set of any coin.',
    `It changes the object ${objectId} and reads the clock.`,
  ]);
});

test('an operation that asks for no amount says that only the grant bounds it', () => {
  const call = { typeArgs: [], args: [{ role: 'wallet' }, { role: 'object', objectId }] };
  expect(describeOperation({ ...open, call, calls: null }, sui)).toEqual([
    'Asks for no amount: your grant alone bounds what it takes from your wallet.',
    `It reads the object ${objectId}.`,
  ]);
});

test('a missing minimum is named, and so are values that the publisher fixed and values that the caller gives', () => {
  const call = {
    typeArgs: ['coinIn', 'coinOut'],
    args: [
      { role: 'wallet' },
      { role: 'amount' },
      { role: 'pure', type: 'u64', name: 'slippage', value: '100' },
      { role: 'pure', type: '0x1::string::String', name: 'name' },
    ],
  };
  expect(describeOperation({ ...open, call, calls: null }, sui)).toEqual([
    'Takes the amount you name of SUI from your wallet.',
    'It sets no minimum for what you get back.',
    'It asks you for name.',
    'It passes "100" as slippage.',
  ]);
});

test('an operation of several calls says so, whose packages it calls, and what all of them take and give', () => {
  const packageId = `0x${'ab12'.padEnd(60, '0')}00ff`;
  const typeArgs = ['coinIn', 'coinOut'];
  const own = { module: 'relay_swap', typeArgs };
  const calls = [
    { ...own, entry: 'begin', args: [{ role: 'wallet' }, { role: 'amount' }, { role: 'minOut' }] },
    {
      packageId,
      module: 'pool',
      entry: 'swap',
      typeArgs,
      args: [
        { role: 'object', objectId, mutable: true },
        { role: 'result', call: 0 },
      ],
    },
    { ...own, entry: 'finish', args: [{ role: 'wallet' }, { role: 'result', call: 1 }] },
  ];
  expect(describeOperation({ ...open, call: null, calls }, [])).toEqual([
    'Takes the amount you name of any coin from your wallet and gives back at least the minimum you set of any coin.',
    `It is 3 calls of one transaction, also of the package ${packageId}.`,
    `It changes the object ${objectId}.`,
  ]);
});

test('the coins of an operation have the names that the caller gives them', () => {
  const call = { typeArgs: ['coinIn', 'coinOut'], args: [{ role: 'amount' }, { role: 'minOut' }] };
  expect(describeOperation({ ...open, call, calls: null }, coins('SUI', 'HUSD'))).toEqual([
    'Takes the amount you name of SUI or HUSD from your wallet and gives back at least the minimum you set of SUI or HUSD.',
  ]);
});

test('objects of the network have names, and a long list of others ends in its number', () => {
  const id = (digits: string) => `0x${digits.padStart(64, '0')}`;
  const shared = Array.from({ length: 9 }, (_, at) => id(`a${at}`));
  const args = [...shared, '0x6', id('403'), '0x8'].map((one) => ({ role: 'object', objectId: one }));
  expect(describeOperation({ ...open, call: { typeArgs: [], args }, calls: null }, [])).toEqual([
    'Does not touch your wallet.',
    `It reads the objects ${shared.slice(0, 6).join(', ')}, 3 more, the clock, the deny list of the network and the random numbers of the network.`,
  ]);
});

test('a coin that the fixed objects settle is named alone, however its type is spelled', () => {
  const call = { typeArgs: ['coinIn', 'coinOut'], args: [{ role: 'amount' }, { role: 'minOut' }] };
  const supported = coins('SUI', 'REEF_SUI');
  const settle = (coinIn: string, coinOut: string) => {
    const spell = (symbol: string) => normalizeStructTag(spellType(symbol));
    return describeOperation(
      { call, calls: null, coinIn: spell(coinIn), coinOut: spell(coinOut) },
      supported,
    );
  };
  expect([settle('SUI', 'REEF_SUI'), settle('REEF_SUI', 'SUI'), settle('SUI', 'OTHER')]).toEqual([
    [
      'Takes the amount you name of SUI from your wallet and gives back at least the minimum you set of REEF_SUI.',
    ],
    [
      'Takes the amount you name of REEF_SUI from your wallet and gives back at least the minimum you set of SUI.',
    ],
    [
      `Takes the amount you name of SUI from your wallet and gives back at least the minimum you set of ${normalizeStructTag(spellType('OTHER'))}.`,
    ],
  ]);
});
