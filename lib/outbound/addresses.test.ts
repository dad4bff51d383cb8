import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAddressRules } from './guard.ts';

const rules = createAddressRules([]);

test.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '2a00:1450:4001:80b::200e'])(
  'a public address may be reached: %s',
  (address) => expect(rules(address)).toEqual({ reach: 'global' }),
);

test.each([
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '100::1',
  '2001:db8::1',
  '3fff::1',
  '5f00::1',
  '4000::1',
  '::127.0.0.1',
])('an address that is not public is forbidden: %s', (address) => {
  expect(rules(address).reach).toBe('forbidden');
});

const octet = fc.nat(255);
const hex = (a: number, b: number) => ((a << 8) | b).toString(16);

test('no IPv6 form that embeds an IPv4 address leads where that address may not', () => {
  fc.assert(
    fc.property(octet, octet, octet, octet, (a, b, c, d) => {
      const plain = rules(`${a}.${b}.${c}.${d}`);
      const [high, low] = [hex(a, b), hex(c, d)];
      expect(rules(`::ffff:${a}.${b}.${c}.${d}`)).toEqual(plain);
      expect(rules(`::ffff:${high}:${low}`)).toEqual(plain);
      expect(rules(`0:0:0:0:0:ffff:${high}:${low}`)).toEqual(plain);
      for (const embedding of [
        `::${high}:${low}`,
        `::ffff:0:${high}:${low}`,
        `64:ff9b::${high}:${low}`,
        `64:ff9b:1::${high}:${low}`,
        `2002:${high}:${low}::1`,
        `2001:0:${high}:${low}::1`,
      ]) {
        expect(rules(embedding).reach).toBe('forbidden');
      }
    }),
  );
});

test('what is not an address in its one canonical form is forbidden', () => {
  for (const text of ['', 'localhost', '0x7f.1', '2130706433', '127.1', '010.0.0.1', '[::1]']) {
    expect(rules(text).reach).toBe('forbidden');
  }
});

test('an allowed range opens itself and nothing beside it', () => {
  const open = createAddressRules(['10.1.0.0/16', 'fd00::/8']);
  expect(open('10.1.2.3')).toEqual({ reach: 'allowed' });
  expect(open('::ffff:10.1.2.3')).toEqual({ reach: 'allowed' });
  expect(open('fd00::1')).toEqual({ reach: 'allowed' });
  expect(open('10.2.0.1').reach).toBe('forbidden');
  expect(open('::1').reach).toBe('forbidden');
});
