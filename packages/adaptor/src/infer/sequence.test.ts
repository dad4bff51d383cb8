import { expect, test } from 'vitest';
import { normalizeAddress } from '../chain/names.ts';
import type { LinkedCall, PastArgument, PastCall } from './past-call.ts';
import { createSequenceTally } from './sequence.ts';

const address = (digits: string) => normalizeAddress(`0x${digits}`)!;
const shared = (digits: string): PastArgument => ({
  kind: 'object',
  objectId: address(digits),
  initialSharedVersion: '1',
  type: undefined,
});
const pure = (base64: string): PastArgument => ({ kind: 'pure', base64 });
const result = (command: number, index = 0): PastArgument => ({ kind: 'result', command, index });
const owned: PastArgument = { kind: 'owned' };

/** A call of `dex::repay` of package 0xa, after a call of `vault::borrow` with these arguments. */
function repay(borrowed: PastArgument[], args: PastArgument[], typeArguments = ['u8']): PastCall {
  const make = (packageId: string, name: [string, string], of: PastArgument[], isSubject: boolean) => ({
    packageId: address(packageId),
    module: name[0],
    name: name[1],
    typeArguments,
    args: of,
    isSubject,
  });
  const linked: LinkedCall[] = [
    make('b', ['vault', 'borrow'], borrowed, false),
    make('a', ['dex', 'repay'], [...args, result(0)], true),
  ];
  return {
    typeArguments,
    args: linked[1]!.args,
    sender: undefined,
    digest: '',
    atMs: 0,
    linked: () => linked,
  };
}

const alone: PastCall = { ...repay([], []), linked: () => undefined };

function tally(calls: readonly PastCall[]) {
  const sequences = createSequenceTally(new Set([address('a')]));
  for (const call of calls) sequences.add(call);
  return sequences.sequence();
}

test('what all samples share is known: the flow of results, equal objects, and arguments of the own call', () => {
  const found = tally([
    repay([shared('c1'), shared('d1'), pure('AQ==')], [shared('d1'), pure('AQ==')]),
    repay([shared('c1'), shared('d2'), pure('Ag==')], [shared('d2'), pure('Ag==')]),
  ]);
  expect(found?.samples).toBe(2);
  expect(found?.calls).toEqual([
    {
      packageId: address('b'),
      module: 'vault',
      entry: 'borrow',
      isOwn: false,
      typeArgs: ['T0'],
      args: [{ objectId: address('c1') }, { argument: 0 }, { argument: 1 }],
    },
    {
      packageId: null,
      module: 'dex',
      entry: 'repay',
      isOwn: true,
      typeArgs: ['T0'],
      args: [{ argument: 0 }, { argument: 1 }, { result: { call: 0, index: 0 } }],
    },
  ]);
});

test('an open argument says why, for one sample and for many', () => {
  const borrows = [
    [owned, pure('AQ=='), shared('c1'), owned, shared('6')],
    [owned, pure('AQ=='), shared('c2'), shared('c1'), shared('6')],
    [owned, pure('AQ=='), shared('c1'), owned, shared('6')],
  ];
  const own = { open: "it was an object of the sender's" };
  const value = { open: 'it is a value of its own' };
  const differs = { open: 'it differed between past calls' };
  const listFirstArgs = (count: number) =>
    tally(borrows.slice(0, count).map((args) => repay(args, [])))?.calls[0]?.args;
  const clock = { objectId: address('6') };
  expect(listFirstArgs(1)).toEqual([own, value, { objectId: address('c1') }, own, clock]);
  expect(listFirstArgs(2)).toEqual([own, value, differs, differs, clock]);
  expect(listFirstArgs(3)).toEqual([own, value, differs, differs, clock]);
});

test('there is no sequence if a call was made alone, or combined in another way', () => {
  const one = repay([shared('c1')], []);
  expect(tally([])).toBeNull();
  expect(tally([one])?.samples).toBe(1);
  expect(tally([one, alone])).toBeNull();
  expect(tally([alone, one])).toBeNull();
  expect(tally([one, repay([shared('c1'), shared('c1')], [])])).toBeNull();
});
