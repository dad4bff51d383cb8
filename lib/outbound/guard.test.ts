import { createServer } from 'node:http';
import { beforeEach, expect, test } from 'vitest';
import { listenLocally } from '../../test/support/listen-locally.ts';
import { createAddressRules, createGuardedAgent } from './guard.ts';

let received: string[];
let port: number;

beforeEach(async () => {
  received = [];
  const server = createServer(async (request, response) => {
    received.push(`${request.method} ${await request.reduce((text: string, chunk) => text + chunk, '')}`);
    response.end('ok');
  });
  let close: () => Promise<void>;
  ({ port, close } = await listenLocally(server));
  return close;
});

/** Posts as a webhook sender does, straight through the agent. */
async function post(allowCidrs: string[], host: string, protocol = 'http') {
  const agent = createGuardedAgent({
    rules: { addresses: createAddressRules(allowCidrs), plainHttp: false },
    lookup: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  try {
    const origin = `${protocol}://${host}:${port}`;
    const response = await agent.request({ origin, path: '/', method: 'POST', body: 'event' });
    return await response.body.text();
  } finally {
    await agent.destroy();
  }
}

test('a request of any method passes to an allowed address', async () => {
  expect(await post(['127.0.0.0/8'], 'receiver.example')).toBe('ok');
  expect(received).toEqual(['POST event']);
});

test.each(['receiver.example', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]'])(
  'no method reaches a private address, though no one judged the url before: %s',
  async (host) => {
    await expect(post([], host, 'https')).rejects.toMatchObject({ kind: 'forbidden_address' });
    await expect(post([], host)).rejects.toMatchObject({ kind: 'forbidden_address' });
    expect(received).toEqual([]);
  },
);

test('a host that is left alone is forgotten, so that strangers cannot fill the memory with names', async () => {
  const agent = createGuardedAgent({
    rules: { addresses: createAddressRules([]), plainHttp: false },
    lookup: (_name, _options, callback) => callback(null, [{ address: '10.0.0.1', family: 4 }]),
  });
  for (let index = 0; index < 20; index++) {
    const origin = `https://host-${index}.example`;
    await expect(agent.request({ origin, path: '/', method: 'GET' })).rejects.toThrow();
  }
  expect(agent.stats).toEqual({});
  await agent.destroy();
});
