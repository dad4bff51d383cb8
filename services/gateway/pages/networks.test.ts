import { expect, test } from 'vitest';
import { testPackages, useTestGateway } from '../../../test/support/gateway.ts';
import { offlineNetwork } from '../../../test/support/offline-gateway.ts';

const gateway = useTestGateway(async () => undefined, {
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
