import fc from 'fast-check';
import type { Host } from './host.ts';
import { hostileText } from './values.ts';

type Header = readonly [name: string, value: string];

/** Removes what a header line cannot carry, and all that Node does not send as it is. */
const toHeaderValue = (text: string): string =>
  text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 4_000);

const hostileHeader = hostileText.map(toHeaderValue);

const choices: Readonly<Record<string, readonly string[]>> = {
  accept: ['*/*', 'text/html', 'application/json;q=0', 'image/*', 'text/event-stream', ',,;q=', 'a/b;q=9'],
  'accept-encoding': [
    'gzip',
    'br',
    'identity;q=0',
    '*;q=0',
    'gzip;q=0, br;q=0, identity',
    'zstd',
    'gzip, gzip, br',
  ],
  'accept-language': ['de', '*', 'x-y-z'],
  'content-type': [
    'application/json',
    'application/json; charset=utf-16',
    'text/plain',
    'multipart/form-data; boundary=a',
    'a',
  ],
  'content-encoding': ['gzip', 'identity', 'br'],
  cookie: ['agent_session=x', 'a=b; a=c', `agent_session=${'x'.repeat(3_000)}`, '=;=;;', 'agent_session=%ZZ'],
  'if-none-match': ['*', '""', 'W/"x"', '"a", "b"', '"'],
  'if-modified-since': ['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT', 'x'],
  range: ['bytes=0-0', 'bytes=-1', 'bytes=9-1', 'bytes=0-0,1-1'],
  origin: ['null', 'https://example.com', 'x'],
  'x-request-id': ['abcdefgh', 'a', 'x'.repeat(200)],
  'x-forwarded-proto': ['https', 'x'],
  'x-forwarded-host': ['example.com', '"><'],
  'x-http-method-override': ['DELETE'],
  'x-svc-internal-agent': ['x'],
  'last-event-id': ['0.0.0', '-1', 'x', '1.2.3.4.5'],
  expect: ['100-continue', 'x'],
  upgrade: ['websocket', 'h2c'],
  te: ['trailers'],
  'mcp-protocol-version': ['2025-11-25', '1', 'x'],
  'mcp-session-id': ['x'],
};

/** Headers that a caller may send, with values that are odd. */
export const oddHeaders: fc.Arbitrary<Header[]> = fc.array(
  fc.oneof(
    ...Object.entries(choices).map(([name, values]) =>
      fc
        .oneof({ weight: 5, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: hostileHeader })
        .map((value): Header => [name, value]),
    ),
  ),
  { maxLength: 2 },
);

/** An address of a sender behind the proxy: each has its own limits. */
export const sender: fc.Arbitrary<Header> = fc
  .nat(2 ** 24 - 1)
  .map((n) => ['x-forwarded-for', `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`]);

/** Credentials as the callers send them: those of the host, and wrong ones. */
export function credentialHeaders({ credentials }: Host): fc.Arbitrary<Header[]> {
  const wrong = fc.oneof(
    hostileHeader.map((value): Header => ['authorization', `Bearer ${value}`]),
    hostileHeader.map((value): Header => ['authorization', value]),
    hostileHeader.map((value): Header => ['x-api-key', value]),
    fc.constantFrom<Header>(['authorization', 'Basic YTpi'], ['x-api-key', `mk_${'a'.repeat(43)}`]),
  );
  if (!credentials)
    return fc.oneof(
      fc.constant<Header[]>([]),
      wrong.map((header) => [header]),
    );
  const { adminSecret, executorKey, apiKey } = credentials;
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant<Header[]>([]) },
    { weight: 3, arbitrary: fc.constant<Header[]>([['authorization', `Bearer ${adminSecret}`]]) },
    { weight: 3, arbitrary: fc.constant<Header[]>([['authorization', `Bearer ${executorKey}`]]) },
    { weight: 2, arbitrary: fc.constant<Header[]>([['x-api-key', apiKey]]) },
    { weight: 1, arbitrary: wrong.map((header) => [header]) },
  );
}
