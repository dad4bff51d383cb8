import { expect, test } from 'vitest';
import { startTestGateway } from '../../../test/support/gateway.ts';

const start = (publicUrl: string | undefined) => startTestGateway(undefined, { publicUrl });

const paths = ['/', '/api/adaptors', '/api/adaptors?limit=1', '/healthz', '/assets/none.js', '/nothing'];

test('browsers stay on https where the public url has it, for every kind of response', async () => {
  const gateway = await start('https://market.example');
  for (const path of paths) {
    const { headers } = await fetch(gateway.url + path);
    expect([path, headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000']);
  }
  await gateway.close();
});

test.each([undefined, 'http://market.example'])(
  'nothing asks for https if the public url is %s',
  async (url) => {
    const gateway = await start(url);
    for (const path of paths) {
      expect((await fetch(gateway.url + path)).headers.get('strict-transport-security')).toBeNull();
    }
    await gateway.close();
  },
);

test('a page keeps other origins away from its window, but not the windows that wallets open', async () => {
  const gateway = await start(undefined);
  const getPolicy = async (path: string, headers = {}) =>
    (await fetch(gateway.url + path, { headers: { accept: 'text/html', ...headers } })).headers.get(
      'cross-origin-opener-policy',
    );
  for (const path of ['/', '/docs', '/publish', '/wallet/grant', '/nothing', '/graphql']) {
    expect([path, await getPolicy(path)]).toEqual([path, 'same-origin-allow-popups']);
  }
  await gateway.close();
});
