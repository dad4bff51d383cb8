import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { apiKeys, executorKeys, sessionCookieOf, sessionTokens } from '../../../lib/credentials/token.ts';
import { kvUnavailable, type ProblemError, problem } from '../../../lib/errors/index.ts';
import { type Exchange, splitUrl } from '../../../lib/http/exchange.ts';
import type { RouteDescription } from '../../../lib/http/route.ts';

/** Whose request this is. */
export type Caller =
  /** `address` as limits count it. */
  | { kind: 'anonymous'; address: string }
  | { kind: 'key'; keyId: string; integrator: string }
  | { kind: 'admin' }
  | { kind: 'cron' }
  /** A key was sent, and the store that knows it is out: reads go on, what needs a key must not. */
  | { kind: 'unchecked' };

const callers = new WeakMap<Exchange, Caller>();

/** Keeps whose request it is, for the routes. */
export function setCaller(exchange: Exchange, caller: Caller): void {
  callers.set(exchange, caller);
}

/** A step for requests that this process sends itself: they are the caller's whose request they serve. */
export function sameCaller(origin: Exchange): (exchange: Exchange) => false {
  return (exchange) => {
    const caller = callerOf(origin);
    if (caller) setCaller(exchange, caller);
    return false;
  };
}

/** Whose request it is; undefined where this host has no key-value store, without which that is not determined. */
export function callerOf(exchange: Exchange): Caller | undefined {
  return callers.get(exchange);
}

/** Requests whose credential has been counted among the attempts of its address. */
export const countedAttempts = new WeakSet<Exchange>();

/** What a route may ask for; the admin may do all of it. */
type Right = 'admin' | 'cron' | 'key';

/**
 * The caller, where the route is theirs to use.
 * @throws ProblemError 503 without a key-value store, or where it is out and a key cannot be looked up; 401 for
 *   anybody else
 */
export function requireCaller<R extends Right>(
  exchange: Exchange,
  ...rights: R[]
): Extract<Caller, { kind: R | 'admin' }> {
  const caller = callerOf(exchange);
  if (!caller) throw kvNotConfigured();
  if (caller.kind === 'unchecked') throw kvUnavailable;
  const allowed = [...new Set<Right>([...rights, 'admin'])];
  if (allowed.some((right) => right === caller.kind)) return caller as Extract<Caller, { kind: R | 'admin' }>;
  const names = allowed.map((right) => credentialNames[right]);
  throw problem('unauthorized', `This operation needs ${names.join(' or ')}.`);
}

const credentialNames: Record<Right, string> = {
  admin: 'the admin secret (authorization: Bearer <secret>)',
  cron: 'the cron secret (authorization: Bearer <secret>)',
  key: 'an API key (x-api-key: mk_...)',
};

/** What a request that needs a key or the admin secret meets where the key-value store is missing. */
export const keyStoreProblems = ['kv_not_configured', 'kv_unavailable'] as const;

/** Which callers may use a route: what the description shows, and the check. */
const access = (right: Right, security: NonNullable<RouteDescription['security']>) => ({
  security,
  authorize: (exchange: Exchange): void => void requireCaller(exchange, right),
});

export const forAdmin = access('admin', [{ bearer: [] }]);
export const forKeyHolders = access('key', [{ apiKey: [] }, { bearer: [] }]);
export const forScheduler = access('cron', [{ bearer: [] }]);

function kvNotConfigured(): ProblemError {
  return problem(
    'kv_not_configured',
    'This service has no key-value store, so it has no API keys and no webhooks. The operator sets REDIS_URL, ' +
      'KV_REST_API_URL with KV_REST_API_TOKEN, or UPSTASH_REDIS_REST_URL with UPSTASH_REDIS_REST_TOKEN.',
  );
}

/** What a request shows of who sends it, as far as the gateway judges it. */
type Credential =
  | { kind: 'none' }
  | { kind: 'key'; key: string }
  /** An executor key or a session: the agent service judges it, and its paths alone ask for it. */
  | { kind: 'agent'; token: string }
  /** A bearer token of no form of ours: one of the host's secrets, or a wrong one. */
  | { kind: 'secret'; secret: string };

/** Other schemes than Bearer are left to the proxies that ask for them. */
const bearer = /^bearer(?:\s+(.*))?$/i;

/** An `x-api-key` decides, whatever else is sent. */
export function credentialOf({ headers }: Pick<IncomingMessage, 'headers'>): Credential {
  const key = headers['x-api-key'];
  if (key !== undefined) return { kind: 'key', key: String(key) };
  const token = bearerOf(headers.authorization);
  if (token?.startsWith(apiKeys.prefix)) return { kind: 'key', key: token };
  if (token !== undefined && !isAgentToken(token)) return { kind: 'secret', secret: token };
  const agentToken = token ?? sessionCookieOf(headers.cookie);
  return agentToken === undefined ? { kind: 'none' } : { kind: 'agent', token: agentToken };
}

/** What the agent service judges a request by, whatever else is sent; undefined where it shows nothing. */
export function agentCredentialOf({ headers }: IncomingMessage): string | undefined {
  return bearerOf(headers.authorization) ?? sessionCookieOf(headers.cookie);
}

/** Whether a token has 256 random bits, so that nobody finds one by trying. */
export const isAgentToken = (token: string) =>
  executorKeys.looksLike(token) || sessionTokens.looksLike(token);

/** Empty where somebody's setting is: that is a wrong token, and not the lack of one. */
function bearerOf(authorization: string | undefined): string | undefined {
  const scheme = bearer.exec(authorization ?? '');
  return scheme ? (scheme[1] ?? '') : undefined;
}

/**
 * Where a request comes from, as limits count it: an IPv4 address, or the /64 of an IPv6 one, which is what one
 * household or server is given. `X-Forwarded-For` is believed only for as many entries as there are proxies in
 * front of this host, each of which appends the address that it saw; the caller can write anything before them.
 */
export function callerAddress(req: IncomingMessage, proxies: number): string {
  const address = senderOf(req, proxies);
  return address === undefined ? unknown : groupOf(address);
}

/** Whether a request comes from one of these ranges, by the same rules. */
export function sentFrom(cidrs: readonly string[], proxies: number): (req: IncomingMessage) => boolean {
  const ranges = cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  return (req) => {
    const address = ranges.length > 0 ? senderOf(req, proxies) : undefined;
    if (address === undefined) return false;
    return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
  };
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function senderOf(req: IncomingMessage, proxies: number): Address | undefined {
  const header = proxies === 0 ? '' : String(req.headers['x-forwarded-for'] ?? '');
  const seen = header === '' ? [] : header.split(',').slice(-proxies);
  // An entry that is not an address is passed over for the next nearer one, down to the socket's own.
  for (const entry of [...seen, req.socket.remoteAddress ?? '']) {
    const address = parseAddress(entry);
    if (address !== undefined) return address;
  }
  return undefined;
}

/** A socket that has gone away tells no address. */
const unknown = 'unknown';

/** The address as counted; undefined for what is none. */
export function addressGroup(text: string): string | undefined {
  const address = parseAddress(text);
  return address && groupOf(address);
}

/** Undefined for what is not an address. Some proxies append the port. */
function parseAddress(text: string): Address | undefined {
  const bare = /^\s*(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+|(.*?))\s*$/.exec(text);
  const candidate = bare?.[1] ?? bare?.[2] ?? bare?.[3] ?? '';
  if (!ipaddr.IPv6.isValid(candidate) && !ipaddr.IPv4.isValidFourPartDecimal(candidate)) return undefined;
  return ipaddr.process(candidate);
}

function groupOf(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  const groups = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${groups.join(':')}::/64`;
}

/**
 * Whom a path is for: anyone (`open`), holders of a credential that the gateway judges (`host`), or of one that the
 * agent service does (`agent`).
 */
type Surface = 'open' | 'host' | 'agent';

const hostPaths = ['/api/adaptors/keys', '/api/adaptors/webhooks', '/api/admin', '/api/sql', '/api/portal'];
const agentPaths = ['/api/agent'];

export function surfaceOf(url: string): Surface {
  // Routes are found by the path alone, also where a request names its host in the url, as to a proxy.
  const { path } = splitUrl(url.replace(/^[^/?]+:\/\/[^/?]*/, ''));
  const isBelow = (base: string) => path === base || path.startsWith(`${base}/`);
  if (hostPaths.some(isBelow)) return 'host';
  return agentPaths.some(isBelow) ? 'agent' : 'open';
}
