import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findConnectionSender, getCallerAddress, getCallerSubnet, parseAddressGroup } from './caller.ts';

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

test.each([
  ['203.0.113.7', '203.0.113.7'],
  [' 203.0.113.7:41234 ', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s is counted as %s', (text, group) => {
  expect(parseAddressGroup(text)).toBe(group);
});

test.each([
  '',
  'unknown',
  '0x7f.1',
  '2130706433',
  '1.2.3',
  '1.2.3.4.5',
  '1.2.3.4, 5.6.7.8',
  '::g',
  '_hidden',
])('%j is not an address, however some parsers read it', (text) =>
  expect(parseAddressGroup(text)).toBeUndefined(),
);

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:DB8:1:ffff::', '2001:db8:1::/48'],
  ['hidden', 'unknown'],
])('the subnet of %s is %s', (address, subnet) => {
  expect(getCallerSubnet(from(address), 0)).toBe(subnet);
});

test('whatever a header holds, an address comes of it or nothing', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (text) => {
      const group = parseAddressGroup(text);
      if (group !== undefined) expect(parseAddressGroup(group.replace('/64', ''))).toBe(group);
    }),
  );
});

test('without proxies, what a caller writes of itself counts for nothing', () => {
  expect(getCallerAddress(from('203.0.113.7', '198.51.100.1'), 0)).toBe('203.0.113.7');
});

test('behind proxies, the address is the one that the outermost of them saw', () => {
  const chain = '192.0.2.66, 198.51.100.1, 10.0.0.2';
  expect(getCallerAddress(from('10.0.0.3', chain), 1)).toBe('10.0.0.2');
  expect(getCallerAddress(from('10.0.0.3', chain), 2)).toBe('198.51.100.1');
  expect(getCallerAddress(from('10.0.0.3'), 1)).toBe('10.0.0.3');
  expect(getCallerAddress(from('10.0.0.3', 'unknown'), 1)).toBe('10.0.0.3');
});

test('a caller behind proxies cannot choose its address by what it sends along', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.ipV4(), fc.string())), (forged) => {
      const header = [...forged.map((text) => text.replaceAll(',', '')), '198.51.100.1'].join(',');
      expect(getCallerAddress(from('10.0.0.3', header), 1)).toBe('198.51.100.1');
    }),
  );
});

test.each([
  ['an address', '203.0.113.7', 0, '203.0.113.7'],
  ['a /64 network', '2001:db8:1:2:3:4:5:6', 0, '2001:db8:1:2::/64'],
  ['no address behind a proxy', '203.0.113.7', 1, undefined],
  ['no address on this machine', '127.0.0.1', 0, undefined],
  ['no address on this machine', '::ffff:127.0.0.1', 0, undefined],
  ['no address once the socket has closed', undefined, 0, undefined],
])('a connection counts for %s', (_, remoteAddress, proxies, sender) => {
  expect(findConnectionSender({ remoteAddress } as Socket, proxies)).toBe(sender);
});

test('blanks within an entry are read once each: their number squared would hold the process for a minute', () => {
  const blanks = ' '.repeat(300_000);
  const header = `198.51.100.1${blanks}x, [::1]${blanks}`;
  expect(getCallerAddress(from('10.0.0.3', header), 2)).toBe('0:0:0:0::/64');
});
