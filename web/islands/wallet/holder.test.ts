import type { SuiClientTypes } from '@mysten/sui/client';
import { expect, test } from 'vitest';
import { isHeldBy } from './holder.ts';

const address = `0x${'ab'.repeat(32)}`;
const other = `0x${'cd'.repeat(32)}`;

test.each<[string, SuiClientTypes.ObjectOwner, boolean]>([
  ['the address', { $kind: 'AddressOwner', AddressOwner: address }, true],
  ['another address', { $kind: 'AddressOwner', AddressOwner: other }, false],
  ['an object with the same id', { $kind: 'ObjectOwner', ObjectOwner: address }, false],
  [
    'the address, through consensus',
    { $kind: 'ConsensusAddressOwner', ConsensusAddressOwner: { owner: address, startVersion: '1' } },
    true,
  ],
  ['everyone', { $kind: 'Shared', Shared: { initialSharedVersion: '1' } }, false],
])('only a cap that its holder can destroy has a button for it: owned by %s', (_, owner, isHeld) => {
  expect(isHeldBy(owner, address)).toBe(isHeld);
});
