import { isProblemCode, listStatuses } from '../../lib/errors/problems.ts';
import { parseJson } from '../../lib/json.ts';
import type { ApiDescription, DescribedOperation } from './description.ts';
import type { FuzzRequest, FuzzResponse } from './exchange.ts';
import { markup } from './values.ts';

/** A rule that a response breaks. */
export class Fault extends Error {
  readonly rule: string;
  /** The rule and the route: faults with the same one are reported once. */
  readonly signature: string;

  constructor(rule: string, route: string, detail: string) {
    super(`${rule}: ${detail}`);
    this.rule = rule;
    this.signature = `${rule} ${route}`;
  }
}

/** Text of a response that only the service itself may know. */
const leaks: [name: string, pattern: RegExp][] = [
  ['a stack', /\bat .{1,80}\.[jt]s:\d+:\d+|node:internal/],
  ['a path of the machine', /node_modules\/|file:\/\/\/(?!etc\/passwd)/],
  ['a url of the database', /postgres(ql)?:\/\/\w+:/],
  ['an error of the driver', /ECONNREFUSED|invalid input syntax for type|violates \w+ constraint/],
  ['an error of the language', /Cannot read propert|is not a function|is not iterable|\[object Object\]/],
];

/** Rules of every response, whatever was requested. @throws Fault */
export function judgeAny(
  request: FuzzRequest,
  response: FuzzResponse,
  { route, secrets }: { route: string; secrets: readonly string[] },
): void {
  const { status, headers, body } = response;
  const check = (holds: boolean, rule: string, detail: string) => {
    if (!holds) throw new Fault(rule, route, detail);
  };
  const shown = `${status} ${body.slice(0, 600)}`;
  check(status !== 500, 'internal error', shown);
  check(headers['x-request-id'] !== undefined, 'no request id', shown);
  check(headers['x-content-type-options'] === 'nosniff', 'no nosniff', shown);
  check(headers['x-injected'] === undefined, 'injected header', shown);
  for (const secret of secrets) check(!body.includes(secret), 'secret in a body', shown);
  const type = headers['content-type'] ?? '';
  const sent = request.target + decodeBody(request);
  for (const [name, pattern] of listLeaks(status, type, route)) {
    const found = pattern.exec(body)?.[0];
    const isEcho = found !== undefined && (sent.includes(found) || sent.includes(encodeURIComponent(found)));
    check(found === undefined || isEcho, `${name} in a body`, `${found} in ${shown}`);
  }
  if (type.startsWith('text/html')) check(!body.includes(markup), 'markup of a stranger in a page', shown);
  if (request.method === 'HEAD' || status === 204 || status === 304)
    check(body === '', 'body of a response that has none', shown);
  else if (status >= 400 && !type.startsWith('text/html')) judgeProblem(response, check);
}

/** The leaks that a response may not have. Documents, scripts and pages explain errors, and SQL returns any text. */
function listLeaks(status: number, type: string, route: string): typeof leaks {
  if (status >= 400) return leaks;
  if (route === '/api/sql' || /^text\/(javascript|markdown|plain|css)/.test(type)) return [];
  return type.startsWith('text/html') ? leaks.slice(-1) : leaks;
}

const decodeBody = ({ body = '' }: FuzzRequest) => Buffer.from(body, 'base64').toString('utf8');

function judgeProblem(
  { status, headers, body }: FuzzResponse,
  check: (holds: boolean, rule: string, detail: string) => void,
): void {
  const type = headers['content-type'] ?? '';
  if (!type.startsWith('application/problem+json')) {
    check(
      /^application\/(json|graphql-response\+json)/.test(type),
      'error without problem+json',
      `${status} ${type}`,
    );
    return;
  }
  const problem = parseJson(body) as Record<string, unknown> | undefined;
  const code = String(problem?.code);
  check(isProblemCode(code), 'unknown code', body);
  check(
    isProblemCode(code) && listStatuses(code).includes(status),
    'status that the code does not have',
    body,
  );
  check(problem?.status === status, 'status in the body differs', body);
  check(problem?.requestId === headers['x-request-id'], 'request id in the body differs', body);
}

/** Rules of a response of the API: what its description says. @throws Fault */
export function judgeDescribed(
  api: ApiDescription,
  described: DescribedOperation,
  request: FuzzRequest,
  response: FuzzResponse,
): void {
  const { status, headers, body } = response;
  const route = `${described.method} ${described.path}`;
  const expected = api.findResponse(described, status);
  const shown = `${status} ${body.slice(0, 600)}`;
  // The request never reached the operation: its path or its headers are malformed.
  if (isRefusedBefore(request, response)) return;
  if (!expected) throw new Fault(`status ${status} is not described`, route, shown);
  if (status >= 400) {
    const code = (parseJson(body) as { code?: string } | undefined)?.code;
    if (code !== undefined && !expected.description?.includes(`\`${code}\``))
      throw new Fault(`code ${code} is not described`, route, shown);
  }
  const mediaTypes = Object.keys(expected.content ?? {});
  if (request.method === 'HEAD' || mediaTypes.length === 0 || response.cut) return;
  const type = (headers['content-type'] ?? '').split(';')[0]!;
  if (!mediaTypes.includes(type)) throw new Fault(`media type ${type} is not described`, route, shown);
  if (!/json$/.test(type) || expected.content![type]!.schema === undefined) return;
  const value = parseJson(body);
  if (value === undefined) throw new Fault('body is not JSON', route, shown);
  const difference = api.compare(described, status, type, value);
  if (difference !== undefined)
    throw new Fault('body differs from its schema', route, `${difference}: ${shown}`);
}

const beforeOperations = new Set<string>([
  'bad_request',
  'repeated_header',
  'uri_too_long',
  'headers_too_large',
  'not_found',
]);

function isRefusedBefore({ method }: FuzzRequest, { status, body }: FuzzResponse): boolean {
  if (status < 400) return false;
  // Without a body, only the status says why.
  if (method === 'HEAD')
    return [...beforeOperations].some((code) => isProblemCode(code) && listStatuses(code).includes(status));
  const code = (parseJson(body) as { code?: string } | undefined)?.code;
  return code !== undefined && beforeOperations.has(code);
}
