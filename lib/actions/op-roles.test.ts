import type { ListedManifest } from '@adaptor-marketplace/adaptor/manifest';
import { expect, test } from 'vitest';
import { brokenOpsOfRole, openersOf, opsOfRole } from './choose-op.ts';

const op = (entry: string, kind: 'swap' | 'lend', module = 'm') => ({
  ...{ kind, module, entry, call: { typeArgs: [], args: [] } },
});
const manifest: ListedManifest = {
  ...{ name: 'N', category: 'Lend', summary: 'S', serviceType: '0x1::m::W', packageId: '0x1' },
  ops: [
    op('supply', 'lend'),
    op('put', 'lend', 'other'),
    op('put', 'lend'),
    op('exchange', 'swap'),
    { kind: 'swap', module: 'm', entry: 'quote' },
  ],
};
const found = (...args: Parameters<typeof opsOfRole> extends [unknown, ...infer Rest] ? Rest : never) =>
  opsOfRole(manifest, ...args).map(({ module, entry }) => `${module}::${entry}`);

test('an op serves a role by its name, or by the name that the setting gives it and no other', () => {
  expect(found('deposit', undefined)).toEqual(['m::supply']);
  expect(found('deposit', { deposit: 'other::put' })).toEqual(['other::put']);
  expect(found('withdraw', { deposit: 'other::put' })).toEqual([]);
});

test('what swaps serves to swap, whatever it is called, as far as it can be executed', () => {
  expect(found('swap', undefined)).toEqual(['m::exchange']);
});

test('an op that is not well-formed is never executed, and stands in the way of no other', () => {
  const odd = [
    { ...op('supply', 'lend'), kind: undefined },
    { ...op('supply', 'lend'), call: { typeArgs: [], args: [{ role: 'owner' }] } },
    { ...op('supply', 'lend'), label: 'x'.repeat(129) },
    { ...op('supply', 'lend'), entry: ['supply'] },
    { ...op('supply', 'lend'), call: { typeArgs: [], args: Array(129).fill({ role: 'wallet' }) } },
  ];
  const mixed = { ops: [...odd, ...manifest.ops] };
  expect(opsOfRole(mixed, 'deposit', undefined)).toEqual([manifest.ops[0]]);
  expect(opsOfRole({ ops: odd }, 'deposit', { deposit: 'm::supply' })).toEqual([]);
  const opener = { ...op('open_account', 'lend'), kind: undefined };
  expect(openersOf({ ops: [opener] }, 'lendingC', undefined)).toEqual([]);
});

test('why an op that would serve a role cannot be executed is known', () => {
  const ops = [
    { module: 'm', entry: 'flip', call: { typeArgs: [], args: [] } },
    { kind: 'lend', module: 'm', entry: 'supply' },
    op('withdraw', 'lend'),
  ];
  const missing = { code: 'invalid_op', detail: 'kind: missing.' };
  expect(brokenOpsOfRole({ ops }, 'swap', undefined)).toEqual([{ index: 0, reason: missing }]);
  expect(brokenOpsOfRole({ ops }, 'deposit', undefined)).toMatchObject([
    { index: 1, reason: { code: 'no_call' } },
  ]);
  expect(brokenOpsOfRole({ ops }, 'withdraw', undefined)).toEqual([]);
});
