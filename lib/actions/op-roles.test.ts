import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';
import { expect, test } from 'vitest';
import { opsOfRole } from './op-roles.ts';

const op = (entry: string, kind: 'swap' | 'lend', module = 'm') => ({
  ...{ kind, module, entry, call: { typeArgs: [], args: [] } },
});
const manifest: Manifest = {
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
