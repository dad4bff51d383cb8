import { describe, expect, test } from 'vitest';
import { quarantine } from '../../../db/queries/catalog/quarantines.ts';
import { testPackages, useTestGateway } from '../../../test/support/gateway.ts';
import { offlineNetwork } from '../../../test/support/offline-gateway.ts';
import { address } from '../../../test/support/read-model.ts';

/** A listing on the network that is not the default one. */
const listing = { serviceType: `${address(0x71)}::jar::Jar`, publisher: address(0x72) };
const gateway = useTestGateway((seed) => seed.listing(listing), {
  networks: [
    { ...offlineNetwork, ...testPackages, network: 'mainnet' },
    { ...offlineNetwork, ...testPackages },
  ],
  defaultNetwork: 'mainnet',
});

async function readLinks(path: string): Promise<string[]> {
  const answer = await fetch(gateway.url + path, { headers: { accept: 'text/html' } });
  const hrefs = (await answer.text()).matchAll(/<a [^>]*href="([^"]*)"/g);
  return [...hrefs].map(([, href]) => href!.replaceAll('&amp;', '&'));
}

test.each(['//other.example/x', '///other.example', '/\\other.example/x'])(
  'the page of the path %s has no link to another host',
  async (path) => {
    const links = await readLinks(path);
    expect(links.length).toBeGreaterThan(10);
    for (const link of links) expect(new URL(link, gateway.url).origin).toBe(gateway.url);
  },
);

describe('a page of a network leads to wallets and adaptors of that network', () => {
  test.each([
    '/wallet?network=testnet&owner=0x1',
    '/wallet/grant?network=testnet',
    `/wallet/grant?network=testnet&service=${listing.serviceType}`,
    `/report?network=testnet&service=${listing.serviceType}`,
    `/a/testnet/${listing.serviceType}`,
    `/p/${listing.publisher}?network=testnet`,
    '/agents?network=testnet',
    '/jobs?network=testnet',
    '/compare?network=testnet',
  ])('%s', async (path) => {
    const subject = listing.serviceType;
    const decision = { network: 'testnet', reason: 'It drains.', operator: 'Ada' };
    await quarantine(gateway.db.pool, { ...decision, subject });
    const links = (await readLinks(path)).filter((link) => /^\/(?:wallet|agents|jobs|\?|$)/.test(link));
    expect(links.filter((link) => !link.includes('network='))).toEqual([]);
  });
});

test('the other network is shown from the start of its lists', async () => {
  const links = await readLinks('/wallet?network=testnet&owner=0x1&delegates=x&caps=y');
  expect(links).toContain('/wallet?network=mainnet&owner=0x1');
});
