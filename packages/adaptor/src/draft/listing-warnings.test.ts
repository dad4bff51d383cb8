import { expect, test } from 'vitest';
import type { AddressFact } from '../chain/publisher.ts';
import { otherPublisherWarnings, publisherWarnings } from './listing-warnings.ts';

const known = (address: string): AddressFact => ({ status: 'known', address: long(address) });
const none: AddressFact = { status: 'none', reason: 'The UpgradeCap is not held by an address.' };
const pruned: AddressFact = { status: 'unknown', reason: 'It was pruned.', retryable: false };
const long = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;

test.each<[string, AddressFact, AddressFact, string, string]>([
  ['the publisher', known('0x1'), known('0x2'), '0x1', ''],
  ['the owner of the UpgradeCap', known('0x1'), known('0x2'), '0x2', ''],
  ['the publisher, though the owner is not known', known('0x1'), pruned, '0x1', ''],
  ['a stranger', known('0x1'), known('0x1'), '0x3', `${long('0x1')} did, and does: sign with its key.`],
  [
    'a stranger to two',
    known('0x1'),
    known('0x2'),
    '0x3',
    `${long('0x1')} published it, ${long('0x2')} owns the UpgradeCap: sign with one of their keys.`,
  ],
  ['a stranger to one', known('0x1'), none, '0x3', `${long('0x1')} published it: sign with its key.`],
  ['someone of whom a pruned node cannot say', pruned, pruned, '0x3', 'It was pruned.'],
  ['anyone, of a package that is not there', none, none, '0x3', 'The UpgradeCap is not held by an address.'],
])(
  '%s learns whether the catalog shows a listing by default, and whose it shows',
  (_, sender, owner, who, end) => {
    const facts = { publishSender: sender, upgradeCapOwner: owner };
    const [warning, ...more] = publisherWarnings('0x5', long(who), facts);
    expect(more).toEqual([]);
    if (end === '') expect(warning).toBeUndefined();
    else expect(warning?.detail).toMatch(new RegExp(`${end.replace(/[.]/g, '\\.')}$`));
    const code = sender === pruned ? 'publisher_unknown' : 'publisher_not_verified';
    expect(warning?.code).toBe(end === '' ? undefined : code);
  },
);

test('where another verified publisher is shown, the second learns it, and the first does not', () => {
  expect(otherPublisherWarnings('0x1', undefined)).toEqual([]);
  expect(otherPublisherWarnings('0x1', { publisher: '0x1' })).toEqual([]);
  expect(otherPublisherWarnings('0x1', { publisher: '0x2' })).toMatchObject([
    { code: 'listed_by_other_publisher', detail: expect.stringContaining('by 0x2, who is verified too') },
  ]);
});
