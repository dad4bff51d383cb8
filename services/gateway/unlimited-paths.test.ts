import { expect, test } from 'vitest';
import { createUnlimitedCheck } from './access/limits.ts';
import { routes } from './routes.ts';

test.each([
  '/',
  '/agents',
  '/errors/not_found',
  '/a/testnet/0x2::m::T',
  '/p/0x2',
  '/assets/site-AB12CD34.css',
  '/coins/testnet/0x2::sui::SUI/logo',
  `/coins/testnet/${encodeURIComponent('0x2::pool::SHARE<0x2::sui::SUI, vector<u8>>')}/logo`,
  '/publishers/testnet/0x2/icon',
])('the page %s does not count', (path) => expect(createUnlimitedCheck(routes)(path)).toBe(true));

const notPages = [
  '/a/testnet/../../api/adaptors',
  '/a/testnet/x/../0x2::m::T',
  '/p/0x2/',
  '/assets/../status',
  '/errors/x',
  '/coins/testnet/0x2::a::A/../logo',
  '/coins/testnet/0x2%2F..%2F..%2Fapi/logo',
  '/coins/testnet/0x2%2e%2e/logo',
  '/publishers/testnet/0x2/../icon',
  '/publishers/testnet/reef/icon',
];
test.each([...notPages, '/docs/../api/adaptors', '/docs/%2e%2e/x', '/docs//', '/healthz/../x', '//docs'])(
  '%s counts: only whole paths are free',
  (path) => expect(createUnlimitedCheck(routes)(path)).toBe(false),
);
