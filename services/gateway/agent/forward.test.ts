import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { problem } from '../../../lib/errors/index.ts';
import { sendError, sendProblem } from '../../../lib/http/exchange.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { listenLocally } from '../../../test/support/listen-locally.ts';
import { createAttempts, createCredentialGuard } from '../access/attempts.ts';
import { createCallerIdentity, createSenderCheck } from '../access/caller.ts';
import { openAgentService } from './forward.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function listen(listener: RequestListener): Promise<string> {
  const { url, close } = await listenLocally(createServer(listener));
  closing.push(close);
  return url;
}

/** A gateway that only forwards to the agent service. */
const gatewayTo = (
  agentUrl: string | undefined,
  mayBeInternal: (req: IncomingMessage) => boolean = () => false,
) => {
  const guard = createCredentialGuard({
    attempts: createAttempts(undefined),
    trustProxy: 0,
    hasLimits: false,
  });
  const { forward } = openAgentService(agentUrl, {
    log: silentLogger,
    guard,
    mayBeInternal,
    identifyCaller: createCallerIdentity(1),
  });
  return listen((req, res) => {
    const exchange = { req, res, requestId: 'the-request', startedAtMs: 0, route: '' };
    forward(exchange, 'credential').catch((error) => sendError(exchange, error, silentLogger));
  });
};

test('each line of a run is with its caller before the next one is there', async () => {
  const { promise: answering, resolve } = Promise.withResolvers<ServerResponse>();
  const gateway = await gatewayTo(
    await listen((_req, res) => {
      const ofRun = { 'x-run-id': '7', 'x-run-attempt': '2' };
      res.writeHead(200, { 'content-type': 'application/x-ndjson', ...ofRun }).write('1\n');
      resolve(res);
    }),
  );
  const answer = await fetch(`${gateway}/api/agent/run`, { method: 'POST', body: '{}' });
  const headers = ['content-type', 'x-run-id', 'x-run-attempt'].map((name) => answer.headers.get(name));
  expect(headers).toEqual(['application/x-ndjson', '7', '2']);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader.read()).value).toBe('1\n');
  const res = await answering;
  res.write('2\n');
  expect((await reader.read()).value).toBe('2\n');
  res.end();
  expect((await reader.read()).done).toBe(true);
});

test('the agent service gets the body, the credentials and the address of the caller, and no other header', async () => {
  let seen: IncomingMessage['headers'] = {};
  const gateway = await gatewayTo(
    await listen(async (req, res) => {
      seen = req.headers;
      res.writeHead(401, { 'www-authenticate': 'Bearer', 'x-inner': 'no' }).end(await text(req));
    }),
  );
  const headers = {
    authorization: 'Bearer ek_x',
    cookie: 'a=b; agent_session=as_x',
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
    origin: gateway,
    'x-forwarded-for': '1.2.3.4',
    te: 'trailers',
    'x-svc-internal-agent': 'the-internal-secret',
    'x-svc-caller': '192.0.2.9',
  };
  const answer = await fetch(`${gateway}/api/agent/runs?x=1`, { method: 'POST', body: 'body', headers });
  expect([answer.status, await answer.text(), answer.headers.get('x-inner')]).toEqual([401, 'body', null]);
  const credentials = { authorization: 'Bearer ek_x', cookie: 'agent_session=as_x' };
  const own = { 'x-request-id': 'the-request', 'x-svc-caller': '1.2.3.4' };
  expect(seen).toMatchObject({ ...credentials, ...own });
  expect(Object.keys(seen)).not.toContain('x-forwarded-for');
  expect(Object.keys(seen)).not.toContain('x-svc-internal-agent');
});

test.each([
  ['of another site', { 'sec-fetch-site': 'cross-site' }],
  ['of another port of the host, to which SameSite does not apply', { 'sec-fetch-site': 'same-site' }],
  ['from the address bar', { 'sec-fetch-site': 'none' }],
  ['of a program that is not a browser', { 'sec-fetch-site': undefined }],
  ['of another origin', { origin: 'http://127.0.0.1:1' }],
  ['of a form', { 'content-type': 'text/plain' }],
])(
  'the session of an owner does not pass with a request %s, but a bearer token does',
  async (_what, other) => {
    let seen: IncomingMessage['headers'] = {};
    const gateway = await gatewayTo(
      await listen((req, res) => {
        seen = req.headers;
        res.end();
      }),
    );
    const own = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', origin: gateway };
    const given = { ...own, ...other, cookie: 'agent_session=as_x', authorization: 'Bearer as_y' };
    const headers = Object.entries(given).filter(
      (header): header is [string, string] => header[1] !== undefined,
    );
    await fetch(`${gateway}/api/agent/run`, { method: 'POST', body: '{}', headers });
    expect([seen.cookie, seen.authorization]).toEqual([undefined, 'Bearer as_y']);
  },
);

test('the header of internal services passes from where the operator listed their addresses, and from nowhere else', async () => {
  const agent = await listen((req, res) => res.end(String(req.headers['x-svc-internal-agent'])));
  const headers = { 'x-svc-internal-agent': 'the-internal-secret' };
  const told = async (cidrs: string[], proxies: number, forwarded = '10.1.2.3') => {
    const mayBeInternal = createSenderCheck(cidrs, proxies);
    const answer = await fetch(await gatewayTo(agent, mayBeInternal), {
      headers: { ...headers, 'x-forwarded-for': forwarded },
    });
    return await answer.text();
  };
  expect(await told([], 0)).toBe('undefined');
  expect(await told(['10.0.0.0/8'], 0)).toBe('undefined');
  expect(await told(['127.0.0.0/8'], 0)).toBe('the-internal-secret');
  expect(await told(['10.0.0.0/8'], 1)).toBe('the-internal-secret');
  expect(await told(['127.0.0.0/8'], 1)).toBe('undefined');
  expect(await told(['10.0.0.0/8'], 1, '10.1.2.3, 192.0.2.1')).toBe('undefined');
  expect(await told(['::/0'], 1)).toBe('undefined');
  expect(await told(['2001:db8::/32'], 1, '[2001:db8::7]:443')).toBe('the-internal-secret');
});

/** Returns the response to a raw request, read to the end of the connection. */
async function answerTo(url: string, raw: string): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(raw);
  return await text(socket);
}

test.each([
  ['of a length that says so', `content-length: 65537\r\n\r\n${'x'.repeat(65_537)}`],
  ['in chunks', `transfer-encoding: chunked\r\n\r\n10001\r\n${'x'.repeat(0x10001)}\r\n0\r\n\r\n`],
])('a body that is too large, %s, is refused as that, and does not leave', async (_what, body) => {
  let reached = false;
  const gateway = await gatewayTo(
    await listen((_req, res) => {
      reached = true;
      res.end();
    }),
  );
  for (const path of ['keys', 'run', 'session', 'plans', 'freezes']) {
    const head = `POST /api/agent/${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n`;
    expect(await answerTo(gateway, head + body)).toMatch(/^HTTP\/1.1 413 .*"code":"body_too_large"/s);
  }
  expect(reached).toBe(false);
});

test('what the agent service says to a body that it did not read reaches the caller', async () => {
  const refusing = await listen((req, res) => {
    const detail = 'The body may have 10 bytes.';
    const tooLarge = problem('body_too_large', detail);
    sendProblem({ req, res, requestId: 'x' }, tooLarge);
  });
  const gateway = await gatewayTo(refusing);
  for (let n = 0; n < 50; n++) {
    const answer = await fetch(`${gateway}/api/agent/keys`, { method: 'POST', body: 'x'.repeat(60_000) });
    expect([answer.status, (await answer.json()).code]).toEqual([413, 'body_too_large']);
  }
});

test.each(['GET', 'DELETE'])('no second request is slipped past in the body of a %s', async (method) => {
  const seen: string[] = [];
  const gateway = await gatewayTo(
    await listen((req, res) => {
      seen.push(`${req.method} ${req.url}`);
      res.end('done');
    }),
  );
  const inner = 'POST /api/agent/run HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n';
  const headers = 'host: a\r\nconnection: close\r\ntransfer-encoding: chunked';
  const body = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
  const answer = await answerTo(
    gateway,
    `${method} /api/agent/session HTTP/1.1\r\n${headers}\r\n\r\n${body}`,
  );
  expect(answer).toMatch(/^HTTP\/1.1 200 .*done$/s);
  expect(seen).toEqual([`${method} /api/agent/session`]);
});

test('a connection that the agent service closes after a response fails no later request', async () => {
  const used = new WeakSet<object>();
  const gateway = await gatewayTo(
    await listen((req, res) => {
      // Like an idle timeout that ends just when the next request is sent on the connection.
      if (used.has(req.socket)) return void req.socket.destroy();
      used.add(req.socket);
      res.end('{}');
    }),
  );
  for (let n = 0; n < 3; n++) {
    const answer = await fetch(`${gateway}/api/agent/keys`, { method: 'POST', body: '{}' });
    expect([answer.status, await answer.text()]).toEqual([200, '{}']);
  }
});

test('a url that names another host goes to the agent service all the same', async () => {
  const gateway = await gatewayTo(await listen((req, res) => res.end(req.url)));
  const raw =
    'GET http://elsewhere.example:81/api/agent/runs?x=1 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
  expect(await answerTo(gateway, raw)).toMatch(/^HTTP\/1.1 200 .*\/api\/agent\/runs\?x=1$/s);
});

test.each([
  '/api/agent/runs/..\\..\\..\\readyz',
  '/api/agent/runs/../../readyz',
  '/api/agent/runs/%2e%2e/stream',
  '/api/agent/runs/..\\session#/settle',
])('the path %s is asked for there as it was judged here', async (path) => {
  const gateway = await gatewayTo(await listen((req, res) => res.end(req.url)));
  const raw = `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`;
  expect((await answerTo(gateway, raw)).split('\r\n\r\n')[1]).toContain(path);
});

test('a caller that goes away is no longer written to, and the agent service learns it', async () => {
  const { promise: left, resolve } = Promise.withResolvers<void>();
  const gateway = await gatewayTo(
    await listen((_req, res) => {
      res.on('close', () => resolve());
      res.writeHead(200).write('1\n');
    }),
  );
  const leaving = new AbortController();
  await fetch(gateway, { signal: leaving.signal });
  leaving.abort();
  await left;
});

test('a stream that the agent service aborts is aborted here', async () => {
  const gateway = await gatewayTo(
    await listen((_req, res) => {
      res.writeHead(200).write('1\n', () => res.destroy());
    }),
  );
  await expect(fetch(gateway).then((answer) => answer.text())).rejects.toThrow();
});

test('a connection that is reset during a response aborts that response, and the gateway serves on', async () => {
  let isFirst = true;
  const gateway = await gatewayTo(
    await listen((_req, res) => {
      if (!isFirst) return void res.end('2\n');
      isFirst = false;
      res.writeHead(200).write('1\n');
      setImmediate(() => (res.socket as Socket).resetAndDestroy());
    }),
  );
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', note);
  try {
    await expect(fetch(gateway).then((answer) => answer.text())).rejects.toThrow();
    expect(await (await fetch(gateway)).text()).toBe('2\n');
    expect(uncaught).toEqual([]);
  } finally {
    process.off('uncaughtException', note);
  }
});

test.each([
  ['no agent service', undefined, [503, 'agent_not_configured']],
  ['one that does not listen', 'http://127.0.0.1:1', [502, 'agent_unavailable']],
])('%s is reported by a problem', async (_what, url, expected) => {
  const answer = await fetch(await gatewayTo(url));
  expect([answer.status, (await answer.json()).code]).toEqual(expected);
});
