import { connect } from 'node:net';
import fc from 'fast-check';
import type { Door } from './door.ts';
import { patienceMs } from './exchange.ts';
import type { Host } from './host.ts';
import { Fault } from './judge.ts';

/** Bytes for one connection, in the pieces in which they are sent. */
interface Conversation {
  pieces: readonly string[];
  /** `true` if the bytes have no single meaning: the service must refuse them and close the connection. */
  ambiguous: boolean;
}

const smuggled = 'GET /smuggled-request HTTP/1.1\r\nHost: a\r\n\r\n';
const tail = 'HTTP/1.1\r\nHost: a\r\n';

/** Framings that two servers could read in two ways. Each ends where its body begins. */
const ambiguousFramings = [
  `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
  `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n`,
  `Content-Length: 5\r\nContent-Length: 6\r\n\r\n`,
  `Content-Length: 5, 6\r\n\r\n`,
  `Content-Length: +5\r\n\r\n`,
  `Content-Length: 0x5\r\n\r\n`,
  `Content-Length: 5 5\r\n\r\n`,
  `Content-Length: -1\r\n\r\n`,
  `Content-Length: 99999999999999999999999\r\n\r\n`,
  `Transfer-Encoding : chunked\r\n\r\n`,
  `Transfer-Encoding: chunked, identity\r\n\r\n`,
  `Transfer-Encoding: xchunked\r\n\r\n`,
  `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n`,
  `Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n\r\n`,
  `Transfer-Encoding: \x0bchunked\r\n\r\n`,
  `X: a\nContent-Length: 5\r\n\r\n`,
  `Content-Length: 5\rX: a\r\n\r\n`,
];

const chunkBodies = [
  '0\r\n\r\n',
  '5\r\nabcde\r\n0\r\n\r\n',
  'zz\r\n',
  '-1\r\n',
  'ffffffffffffffff1\r\n',
  '5;a="\r\nabcde\r\n0\r\n\r\n',
  '0\r\nX-Trailer: a\r\n\r\n',
];

const requests = [
  `GET /healthz ${tail}\r\n`,
  `GET /healthz HTTP/1.0\r\n\r\n`,
  `GET http://example.com/healthz ${tail}\r\n`,
  `GET //example.com/healthz ${tail}\r\n`,
  `GET /healthz?%00 ${tail}\r\n`,
  `OPTIONS * ${tail}\r\n`,
  `CONNECT example.com:443 ${tail}\r\n`,
  `TRACE / ${tail}\r\n`,
  `GET / HTTP/1.1\r\n\r\n`,
  `GET / HTTP/2.0\r\nHost: a\r\n\r\n`,
  `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
  `GET / ${tail}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: a\r\n\r\n`,
  `GET / ${tail}Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: \r\n\r\n`,
  `GET / ${tail}${'X: a\r\n'.repeat(1_990)}\r\n`,
  `GET / ${tail}X: ${'a'.repeat(17_000)}\r\n\r\n`,
  `GET /${'a'.repeat(17_000)} ${tail}\r\n`,
  `GET / ${tail}X\0Y: a\r\n\r\n`,
  `GET / ${tail}: a\r\n\r\n`,
  `GET / ${tail}Host: b\r\n\r\n`,
  `GET /\xff ${tail}\r\n`,
  `G@T / ${tail}\r\n`,
  `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03`,
  `\r\n\r\n\r\nGET /healthz ${tail}\r\n`,
  `POST /graphql ${tail}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{}`,
  `POST /api/agent/session ${tail}Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
  'GET ',
  '',
];

const conversation: fc.Arbitrary<Conversation> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(...ambiguousFramings),
      fc.constantFrom('0\r\n\r\n', 'abcde', ''),
      fc.constantFrom('POST', 'GET'),
    )
    .map(([framing, body, method]) => ({
      pieces: [
        `${method} /api/agent/session ${tail}Content-Type: application/json\r\n${framing}${body}${smuggled}`,
      ],
      ambiguous: true,
    })),
  fc.constantFrom(...chunkBodies).map((body) => ({
    pieces: [
      `POST /graphql ${tail}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body}`,
    ],
    ambiguous: false,
  })),
  fc
    .array(fc.constantFrom(...requests), { minLength: 1, maxLength: 4 })
    .map((pipelined) => ({ pieces: pipelined, ambiguous: false })),
  fc
    .tuple(
      fc.constantFrom(...requests),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
      fc.integer({ min: 1, max: 40 }),
    )
    .map(([request, changes, size]) => {
      const bytes = Buffer.from(request, 'latin1');
      for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
      const text = bytes.toString('latin1');
      const pieces = text.match(new RegExp(`[^]{1,${Math.max(size, Math.ceil(text.length / 50))}}`, 'g'));
      return { pieces: pieces ?? [], ambiguous: false };
    }),
  fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => ({
    pieces: [Buffer.from(bytes).toString('latin1')],
    ambiguous: false,
  })),
);

/** Bytes of connections: smuggling, pipelining, upgrades, oversize, and requests that end early. */
export function openSocketsDoor(host: Host): Door<Conversation> {
  return {
    name: 'sockets',
    batchSize: 200,
    inputs: conversation,
    async play(input) {
      judge(input, await converse(host.baseUrl, input));
    },
    render: ({ pieces }) => {
      const { hostname, port } = new URL(host.baseUrl);
      const bytes = Buffer.from(pieces.join(''), 'latin1').toString('base64');
      return `echo ${bytes} | base64 -d | nc -N ${hostname} ${port}`;
    },
  };
}

/**
 * Sends the pieces, and closes the sending side. Returns all that the service sends.
 * @throws Error if the service does not close the connection within `patienceMs`
 */
async function converse(baseUrl: string, { pieces }: Conversation): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.setNoDelay();
  const chunks: Buffer[] = [];
  const finish = () => resolve(Buffer.concat(chunks).toString('latin1'));
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A reset is an end too: the service does not read on after it has refused.
  socket.once('error', finish);
  socket.once('close', finish);
  const late = setTimeout(
    () => reject(new Error(`the connection stays open for ${patienceMs} ms`)),
    patienceMs,
  );
  try {
    for (const piece of pieces) {
      await new Promise((sent) => socket.write(piece, 'latin1', sent));
    }
    socket.end();
    return await promise;
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
}

function judge({ ambiguous }: Conversation, said: string): void {
  const shown = JSON.stringify(said.slice(0, 600));
  if (said !== '' && !/^HTTP\/1\.1 \d{3} /.test(said)) throw new Fault('not a response', 'socket', shown);
  const statuses = [...said.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
  if (statuses.some((status) => status >= 500)) throw new Fault('status 5xx', 'socket', shown);
  if (/\bat .{1,80}\.[jt]s:\d+/.test(said)) throw new Fault('a stack in a body', 'socket', shown);
  if (!ambiguous) return;
  if (said.includes('/smuggled-request'))
    throw new Fault('a smuggled request has a response', 'socket', shown);
  if (statuses.length > 1) throw new Fault('an ambiguous request has several responses', 'socket', shown);
  if (statuses.some((status) => status < 400))
    throw new Fault('an ambiguous request is accepted', 'socket', shown);
}
