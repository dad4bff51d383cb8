import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { useTestGateway } from '../../test/support/gateway.ts';
import { problem } from './openapi/parts.ts';

const gateway = useTestGateway((seed) => seed.listing());

/** The problem that a request is refused with, checked against its description. */
async function refusal(path: string, init: RequestInit = {}) {
  const answer = await fetch(gateway.url + path, init);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  const body = problem.parse(await answer.json());
  expect(body.status).toBe(answer.status);
  expect(body.requestId).toBe(answer.headers.get('x-request-id'));
  expect(body.detail).not.toMatch(/select |\bat .*:\d+/i);
  return { status: answer.status, code: body.code, paths: body.errors?.map((row) => row.path), answer, body };
}

describe('400', () => {
  test.each([
    ['an unknown network', 'network=devnet', 'query.network'],
    ['a repeated parameter', 'network=testnet&network=mainnet', 'query.network'],
    ['a category of 41 characters', `category=${'x'.repeat(41)}`, 'query.category'],
    ['a sort that does not exist', 'sort=price', 'query.sort'],
    ['limit 0', 'limit=0', 'query.limit'],
    ['limit 1001', 'limit=1001', 'query.limit'],
    ['a fractional limit', 'limit=1.5', 'query.limit'],
    ['an empty limit', 'limit=', 'query.limit'],
    ['a publisher that is not an address', 'publisher=bob', 'query.publisher'],
    ['a coin that is not a type', 'coin=%3Cscript%3E', 'query.coin'],
    ['a search of a thousand letters', `q=${'a'.repeat(1000)}`, 'query.q'],
    ['U+0000, which no database stores', 'q=%00', 'query.q'],
    ['broken percent-encoding', 'q=%zz', 'query.q'],
    ['bytes that are not UTF-8', 'q=%ff', 'query.q'],
    ['a cursor that is not ours', 'cursor=abc', 'query.cursor'],
  ])('%s', async (_, query, path) => {
    const { status, paths } = await refusal(`/api/adaptors?${query}`);
    expect([status, paths]).toEqual([400, [path]]);
  });

  test('every wrong parameter is named at once', async () => {
    const { paths } = await refusal('/api/adaptors?limit=x&sort=y&z=1');
    expect(paths?.toSorted()).toEqual(['query.limit', 'query.sort']);
  });

  test('a path that is not percent-encoded UTF-8', async () => {
    expect((await refusal('/docs/%ff')).status).toBe(404);
  });

  test('bytes that are not HTTP', async () => {
    const said = await sendBytes('GARBAGE\r\n\r\n');
    expect(said).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    const body = problem.parse(JSON.parse(said.slice(said.indexOf('\r\n\r\n'))));
    expect(said).toContain(`x-request-id: ${body.requestId}\r\n`);
  });
});

test('an unknown parameter changes nothing about the answer', async () => {
  const plain = await fetch(`${gateway.url}/api/adaptors`);
  const body = await plain.text();
  for (const query of ['_=1', 'networks=mainnet', '__proto__=1', 'utm=%zz', 'network=testnet&fbclid=x']) {
    const answer = await fetch(`${gateway.url}/api/adaptors?${query}`);
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, plain.headers.get('etag')]);
    expect(await answer.text()).toBe(body);
  }
  for (const path of ['/api/adaptors/schema', '/api/adaptors/events', '/status', '/healthz']) {
    expect((await fetch(`${gateway.url}${path}?_=1`)).status).toBe(200);
  }
});

test.each([
  ['host', 'host: a\r\nHost: b'],
  ['host', 'host: a\r\nhost: a'],
  ['authorization', 'host: a\r\nauthorization: Bearer x\r\nAuthorization: Bearer y'],
  ['content-type', 'host: a\r\ncontent-type: application/json\r\ncontent-type: text/plain'],
  ['x-api-key', 'host: a\r\nx-api-key: x\r\nx-api-key: y'],
])('400: the header %s twice, since each hop may take another', async (name, headers) => {
  const said = await sendBytes(`GET /api/adaptors HTTP/1.1\r\n${headers}\r\nconnection: close\r\n\r\n`);
  expect(said).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
  const body = problem.parse(JSON.parse(said.slice(said.indexOf('\r\n\r\n'))));
  expect(body).toMatchObject({ code: 'repeated_header', detail: expect.stringContaining(name) });
  expect(said).toContain(`x-request-id: ${body.requestId}\r\n`);
});

describe.each(['/api/adaptors', '/graphql?query={networks}', '/'])('the header host of %s', (path) => {
  const send = (host: string) =>
    sendBytes(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);

  test.each(['\u0080a', 'a b', 'a/b', 'a?b', 'a#b', 'x@a', 'a:b', 'a:99999', '[::1', '1.2.3.999', '%', '^'])(
    '400: %j',
    async (host) => {
      expect(await send(host)).toMatch(/^HTTP\/1.1 400 /);
    },
  );

  test.each(['', 'a', 'a.example:8080', '127.0.0.1', '[::1]:1', 'b\u00fccher.example'])(
    '200: %j',
    async (host) => {
      expect(await send(host)).toMatch(/^HTTP\/1.1 200 /);
    },
  );
});

test('400: no host at all', async () => {
  expect(await sendBytes('GET /api/adaptors HTTP/1.1\r\nconnection: close\r\n\r\n')).toMatch(
    /^HTTP\/1.1 400 /,
  );
});

test.each([
  ['DELETE', '/api/agent/keys/a%00'],
  ['PATCH', '/api/agent/keys/%00'],
  ['DELETE', '/api/agent/plans/0x1%00'],
  ['DELETE', '/api/adaptors/keys/a%00'],
  ['DELETE', '/api/adaptors/webhooks/a%00'],
  ['GET', '/api/adaptors/webhooks/a%00/deliveries'],
  ['POST', '/api/adaptors/webhooks/a/deliveries/%00/resend'],
])('404: %s %s, since no id has U+0000', async (method, path) => {
  expect(await refusal(path, { method })).toMatchObject({ status: 404, code: 'not_found' });
});

test('400: a body where only the query counts, since one that names a wallet would end the freeze of all', async () => {
  const init = {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: '{"walletId":"0x1"}',
  };
  expect(await refusal('/api/agent/freezes', init)).toMatchObject({ status: 400, code: 'unexpected_body' });
  expect(await refusal('/api/agent/freezes', { method: 'DELETE' })).toMatchObject({
    code: 'agent_not_configured',
  });
});

test('404: an unknown path', async () => {
  const { status, code, body } = await refusal('/api/nothing?x=1');
  expect([status, code]).toEqual([404, 'not_found']);
  expect(body.detail).toContain('Not found: /api/nothing');
});

test.each(['/nope', '/<script>alert(1)</script>', '/api/nothing'])(
  'a browser that opens %s, where nothing is, gets a page that says so',
  async (path) => {
    const answer = await fetch(gateway.url + path, { headers: { accept: 'text/html,*/*;q=0.8' } });
    const html = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(html).toContain('Not found: /');
    expect(html).not.toContain('<script>alert');
    const { code } = (await (await fetch(gateway.url + path)).json()) as { code: string };
    expect(code).toBe('not_found');
  },
);

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
  '405: %s on a read, with the methods that are allowed',
  async (method) => {
    const { status, answer } = await refusal('/api/adaptors', { method });
    expect([status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  },
);

test('406: an answer in a form that the caller refuses', async () => {
  for (const path of ['/api/adaptors', '/api/adaptors?sort=name', '/status', '/docs']) {
    const { status, code } = await refusal(path, { headers: { accept: 'image/png' } });
    expect([status, code]).toEqual([406, 'not_acceptable']);
  }
});

test('414: a url beyond its bound', async () => {
  expect((await refusal(`/api/adaptors?q=${'a'.repeat(13_000)}`)).status).toBe(414);
});

test('431: headers beyond their bound', async () => {
  expect(await sendBytes(`GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 431 /,
  );
});

test('400: a network that this host does not serve, with those that it does', async () => {
  expect(await refusal('/api/adaptors?network=mainnet')).toMatchObject({
    status: 400,
    code: 'network_not_configured',
    body: { detail: 'This host does not serve mainnet. It serves testnet.' },
  });
});

test('a request id of the caller is kept where it is well-formed, and replaced where it is not', async () => {
  const fetchRequestId = async (given: string) =>
    (await fetch(`${gateway.url}/healthz`, { headers: { 'x-request-id': given } })).headers.get(
      'x-request-id',
    );
  expect(await fetchRequestId('trace-0123456789')).toBe('trace-0123456789');
  for (const bad of ['short', 'with spaces in it', '<script>alert(1)</script>', 'x'.repeat(300)]) {
    expect(await fetchRequestId(bad)).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('a browser on any origin may read, and the preflight says so before a request that is not simple', async () => {
  const answer = await fetch(`${gateway.url}/api/adaptors`, {
    method: 'OPTIONS',
    headers: { origin: 'https://wallet.example', 'access-control-request-method': 'GET' },
  });
  expect(answer.status).toBe(204);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('access-control-expose-headers')).toContain('etag');
});

test('a script of another origin may resume a stream where it left off', async () => {
  for (const path of ['/api/adaptors/events/stream', '/graphql']) {
    const headers = {
      origin: 'https://wallet.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'last-event-id',
    };
    const answer = await fetch(gateway.url + path, { method: 'OPTIONS', headers });
    expect(answer.headers.get('access-control-allow-headers')?.split(', ')).toContain('last-event-id');
  }
});

test('no query string brings anything but 200 or a 4xx with a problem', async () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 40 }).map((text) => encodeURIComponent(text.toWellFormed())),
    fc.stringMatching(/^[!-~]{0,30}$/).map((text) => text.replaceAll('#', '')),
    fc.constantFrom(
      "'",
      '%27%20or%201=1',
      '%00',
      '%E0%A4%A',
      '[]',
      '{}',
      'null',
      '-1',
      '1e9',
      '%5C',
      '%25',
      '_',
    ),
  );
  const name = fc.constantFrom(
    'q',
    'limit',
    'cursor',
    'coin',
    'category',
    'publisher',
    'integrator',
    'sort',
    'x',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, piece), { maxLength: 5 }), async (pairs) => {
      const answer = await fetch(
        `${gateway.url}/api/adaptors?${pairs.map((pair) => pair.join('=')).join('&')}`,
      );
      expect([200, 400]).toContain(answer.status);
      await answer.text();
    }),
    { numRuns: 150 },
  );
});

/** Sends bytes on a bare connection. Returns what the server sends until it closes the connection. */
function sendBytes(bytes: string): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk;
    });
    socket.on('close', () => resolve(said));
    socket.on('error', reject);
  });
}
