import { expect, test } from 'vitest';
import { z } from 'zod';
import { examples } from './examples.ts';
import { actionRequest } from './request.ts';

const refusedPaths = (body: unknown) =>
  actionRequest
    .safeParse(body)
    .error?.issues.map((issue) => issue.path.join('.'))
    .filter((path, at, all) => all.indexOf(path) === at);

test('the twenty actions of the specification and call are those that are taken, and each example is one', () => {
  expect(Object.keys(examples).sort()).toEqual(
    [
      'spend',
      'swap',
      'lendingADeposit',
      'lendingAWithdraw',
      'lendingBDeposit',
      'lendingBWithdraw',
      'lendingCDeposit',
      'lendingCWithdraw',
      'stablecoinBorrow',
      'stablecoinRepay',
      'stablecoinSavingsDeposit',
      'stablecoinSavingsWithdraw',
      'liquidStakeStake',
      'liquidStakeUnstake',
      'vaultDeposit',
      'clmmLiquidity',
      'perpOrder',
      'perpMarginDeposit',
      'currentSupply',
      'compose',
      'call',
    ].sort(),
  );
  for (const [action, example] of Object.entries(examples)) {
    expect(actionRequest.parse(example)).toMatchObject({ action });
  }
});

test('who names another action sees all of them, and those of a step in a compose', () => {
  const names = Object.keys(examples);
  const message = (body: unknown) => actionRequest.safeParse(body).error?.issues[0]?.message.split(/[ ,:]+/);
  expect(message({ ...examples.spend, action: 'fly' })).toEqual(expect.arrayContaining(names));
  const step = message({ ...examples.compose, steps: [{ action: 'fly' }, { action: 'fly' }] });
  expect(step).toEqual(expect.arrayContaining(names.filter((name) => name !== 'compose')));
  expect(step).not.toContain('compose');
});

test('a request without an action is a spend', () => {
  const { action: _, ...unnamed } = examples.spend;
  expect(actionRequest.parse(unnamed)).toEqual(actionRequest.parse(examples.spend));
});

test('addresses and types come out in their long forms', () => {
  const parsed = actionRequest.parse({ ...examples.spend, recipient: '0xAB', walletId: '0x1' });
  expect(parsed).toMatchObject({
    coinType: `0x${'2'.padStart(64, '0')}::sui::SUI`,
    recipient: `0x${'ab'.padStart(64, '0')}`,
    walletId: `0x${'1'.padStart(64, '0')}`,
  });
});

test.each([
  ['0'],
  ['-1'],
  ['1.5'],
  ['1e3'],
  ['01'],
  [' 1'],
  ['18446744073709551616'],
  ['9'.repeat(1000)],
  [1],
  [null],
])('no amount is %j', (amount) => {
  expect(refusedPaths({ ...examples.spend, amount })).toEqual(['amount']);
});

test('the largest amount is that of the chain', () => {
  expect(actionRequest.safeParse({ ...examples.spend, amount: '18446744073709551615' }).success).toBe(true);
});

test.each([
  ['a primitive', 'u64'],
  ['a name only a name service knows', '@org/app::m::T'],
  ['no type', 'SUI'],
  ['nothing', ''],
  ['a type whose addresses are too many in full', `${'0x2::a::B<'.repeat(12)}u8${'>'.repeat(12)}`],
  ['a type that has no end', `0x2::a::B<${'0x2::a::B<'.repeat(200)}`],
])('no coin is %s', (_, coinType) => {
  expect(refusedPaths({ ...examples.spend, coinType })).toEqual(['coinType']);
});

test('a field of another action, or a mistyped one, is refused and not ignored', () => {
  expect(refusedPaths({ ...examples.vaultDeposit, minOut: '1' })).toEqual(['']);
  expect(refusedPaths({ ...examples.clmmLiquidity, operation: 'close' })).toEqual(['']);
});

test('steps have no wallet of their own, are not compositions, and number two to eight', () => {
  const step = { action: 'liquidStakeStake', amount: '1' };
  const withSteps = (steps: unknown[]) => refusedPaths({ ...examples.compose, steps });
  expect(withSteps([step, step])).toBeUndefined();
  expect(withSteps([step])).toEqual(['steps']);
  expect(withSteps(Array(9).fill(step))).toEqual(['steps']);
  expect(withSteps([step, { ...step, walletId: '0x1' }])).toEqual(['steps.1']);
  expect(withSteps([step, { action: 'compose', steps: [step, step] }])).toEqual(['steps.1.action']);
});

test.each(['', 'x'.repeat(129), 'a\nb', 'a\0'])('no request id is %j', (requestId) => {
  expect(refusedPaths({ ...examples.spend, requestId })).toEqual(['requestId']);
});

test('the body has a JSON Schema', () => {
  const schema = z.toJSONSchema(actionRequest, { io: 'input' });
  expect(JSON.stringify(schema)).toContain('positionName');
});
