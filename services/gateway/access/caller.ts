import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { apiKeys, executorKeys, findSessionCookie, sessionTokens } from '../../../lib/credentials/token.ts';
import { kvUnavailable, problem } from '../../../lib/errors/index.ts';
import { type Exchange, splitUrl } from '../../../lib/http/exchange.ts';
import type { RouteDescription } from '../../../lib/http/route.ts';

export type Caller =
  /** `address` is the one that limits count: see `getCallerAddress`. */
  | { kind: 'anonymous'; address: string }
  | { kind: 'key'; keyId: string; integrator: string }
  | { kind: 'admin' }
  | { kind: 'cron' }
  /** A credential was sent while the store was unavailable. Reads are served, and what needs a key is refused. */
  | { kind: 'unchecked' };

const callers = new WeakMap<Exchange, Caller>();

export function setCaller(exchange: Exchange, caller: Caller): void {
  callers.set(exchange, caller);
}

/** Returns a step that gives a request the caller of another, on whose behalf this process sends it to itself. */
export function copyCaller(origin: Exchange): (exchange: Exchange) => false {
  return (exchange) => {
    const caller = findCaller(origin);
    if (caller) setCaller(exchange, caller);
    return false;
  };
}

/** Returns the caller of a request. Undefined for a route that is not counted, and without a key-value store. */
export function findCaller(exchange: Exchange): Caller | undefined {
  return callers.get(exchange);
}

/** Returns the id by which the shares of a caller are counted. Undefined for the operator's secrets: they have no share. */
export type IdentifyCaller = (exchange: Exchange) => string | undefined;

/**
 * Identifies a caller by its API key, else by its address as `getCallerAddress` returns it. That works without a key-value
 * store too. Executor keys and sessions do not count, since anyone makes as many as they like.
 */
export function createCallerIdentity(proxies: number): IdentifyCaller {
  return (exchange) => {
    const caller = findCaller(exchange);
    if (caller?.kind === 'admin' || caller?.kind === 'cron') return undefined;
    return caller?.kind === 'key' ? caller.keyId : getCallerAddress(exchange.req, proxies);
  };
}

/** Requests whose credential has been counted among the attempts of its address. */
export const countedAttempts = new WeakSet<Exchange>();

/** Right that a route can require. The admin has all of them. */
type Right = 'admin' | 'cron' | 'key';

/**
 * Returns the caller if it has one of the rights.
 * @throws ProblemError 503 if a key cannot be looked up, 401 for any other caller
 */
export function requireCaller<R extends Right>(
  exchange: Exchange,
  ...rights: R[]
): Extract<Caller, { kind: R | 'admin' }> {
  const caller = findCaller(exchange);
  if (!caller) {
    throw problem(
      'kv_not_configured',
      'This service has no key-value store, so it has no API keys and no webhooks. The operator sets REDIS_URL, ' +
        'KV_REST_API_URL with KV_REST_API_TOKEN, or UPSTASH_REDIS_REST_URL with UPSTASH_REDIS_REST_TOKEN.',
    );
  }
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

/** Problems of a route that needs a key or the admin secret, if the key-value store is missing or unavailable. */
export const keyStoreProblems = ['kv_not_configured', 'kv_unavailable'] as const;

/** Returns the options of a route that needs a right: the security in its description, and the check. */
const requireRight = (right: Right, security: NonNullable<RouteDescription['security']>) => ({
  security,
  authorize: (exchange: Exchange): void => void requireCaller(exchange, right),
});

export const forAdmin = requireRight('admin', [{ bearer: [] }]);
export const forKeyHolders = requireRight('key', [{ apiKey: [] }, { bearer: [] }]);
export const forScheduler = requireRight('cron', [{ bearer: [] }]);

/** Credential in a request's headers, as the gateway classifies it. */
type Credential =
  | { kind: 'none' }
  | { kind: 'key'; key: string }
  /** An executor key or a session. The agent service checks it, and only its paths require one. */
  | { kind: 'agent'; token: string }
  /** A bearer token in none of our formats: one of the host's secrets, or a wrong one. */
  | { kind: 'secret'; secret: string };

/** The Bearer scheme. Other schemes are for the proxies that require them. */
const bearer = /^bearer(?:\s+(.*))?$/i;

/** Returns the credential of a request. An `x-api-key` header takes precedence over all others. */
export function extractCredential({ headers }: Pick<IncomingMessage, 'headers'>): Credential {
  const key = headers['x-api-key'];
  if (key !== undefined) return { kind: 'key', key: String(key) };
  const token = extractBearerToken(headers.authorization);
  if (token?.startsWith(apiKeys.prefix)) return { kind: 'key', key: token };
  if (token !== undefined && !isAgentToken(token)) return { kind: 'secret', secret: token };
  const agentToken = token ?? findSessionCookie(headers.cookie);
  return agentToken === undefined ? { kind: 'none' } : { kind: 'agent', token: agentToken };
}

/** Returns the credential that the agent service checks: the bearer token, else the session cookie. */
export function extractAgentCredential({ headers }: IncomingMessage): string | undefined {
  return extractBearerToken(headers.authorization) ?? findSessionCookie(headers.cookie);
}

/** `true` for the format of an executor key or a session. These have 256 random bits, too many to guess. */
export const isAgentToken = (token: string) =>
  executorKeys.looksLike(token) || sessionTokens.looksLike(token);

/** Returns the bearer token. It is empty if the client's setting is empty: that is a wrong token, not a missing one. */
function extractBearerToken(authorization: string | undefined): string | undefined {
  const scheme = bearer.exec(authorization ?? '');
  return scheme ? (scheme[1] ?? '') : undefined;
}

/**
 * Returns the address that limits count: an IPv4 address, or the /64 of an IPv6 one, which is what one household or
 * server is given. Only as many entries of `X-Forwarded-For` are trusted as there are proxies in front of this host.
 * Each proxy appends the address that it saw, and the caller can write anything before them.
 */
export function getCallerAddress(req: IncomingMessage, proxies: number): string {
  const address = findSenderAddress(req, proxies);
  // The socket has closed, and so has no address any longer.
  return address === undefined ? 'unknown' : formatAddressGroup(address);
}

/**
 * Returns the subnet of a caller: an IPv4 address, or the /48 of an IPv6 one, which is the most that a provider gives one
 * customer. It bounds what is stored until a person has read it. Requests are counted by `getCallerAddress`.
 */
export function getCallerSubnet(req: IncomingMessage, proxies: number): string {
  const address = findSenderAddress(req, proxies);
  return address === undefined ? 'unknown' : formatSubnet(address, 48);
}

/** Returns a check that is `true` if a request comes from one of the CIDR ranges. Proxies are trusted as above. */
export function createSenderCheck(
  cidrs: readonly string[],
  proxies: number,
): (req: IncomingMessage) => boolean {
  const ranges = cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  return (req) => {
    const address = ranges.length > 0 ? findSenderAddress(req, proxies) : undefined;
    if (address === undefined) return false;
    return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
  };
}

/** `true` if a request comes from this machine, and not through a proxy on it, which forwards what strangers send. */
export function isFromThisMachine({ headers, socket }: IncomingMessage): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false;
  return parseAddress(socket.remoteAddress ?? '')?.range() === 'loopback';
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function findSenderAddress(req: IncomingMessage, proxies: number): Address | undefined {
  const header = proxies === 0 ? '' : String(req.headers['x-forwarded-for'] ?? '');
  const seen = header === '' ? [] : header.split(',').slice(-proxies);
  // An invalid entry is skipped for the next nearer one. The nearest is the socket's own address.
  for (const entry of [...seen, req.socket.remoteAddress ?? '']) {
    const address = parseAddress(entry);
    if (address !== undefined) return address;
  }
  return undefined;
}

/**
 * Returns the address, as `getCallerAddress` does, whose connections are counted. Undefined for this machine, and behind
 * proxies, whose connections are those of all callers.
 */
export function findConnectionSender({ remoteAddress = '' }: Socket, proxies: number): string | undefined {
  const address = proxies === 0 ? parseAddress(remoteAddress) : undefined;
  return address === undefined || address.range() === 'loopback' ? undefined : formatAddressGroup(address);
}

export function parseAddressGroup(text: string): string | undefined {
  const address = parseAddress(text);
  return address && formatAddressGroup(address);
}

/** Parses an address, with or without the port that some proxies append. Returns undefined for any other text. */
function parseAddress(text: string): Address | undefined {
  const trimmed = text.trim();
  // Without blanks in the pattern: a header can have thousands, which it would compare in every way.
  const withPort = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(trimmed);
  const candidate = withPort?.[1] ?? withPort?.[2] ?? trimmed;
  if (!ipaddr.IPv6.isValid(candidate) && !ipaddr.IPv4.isValidFourPartDecimal(candidate)) return undefined;
  return ipaddr.process(candidate);
}

const formatAddressGroup = (address: Address): string => formatSubnet(address, 64);

/** Formats an IPv4 address, or the subnet of an IPv6 one. @param bits length of its prefix, a multiple of 16 */
function formatSubnet(address: Address, bits: number): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  const groups = address.parts.slice(0, bits / 16).map((part) => part.toString(16));
  return `${groups.join(':')}::/${bits}`;
}

/** Paths below `/api/agent` that need no credential. None of them checks a token, so a caller can make up any number. */
const openAgentPaths = ['/api/agent/address', '/api/agent/session/nonce'];

/** Audience of a path: anyone, or holders of a credential that the gateway or the agent service checks. */
type Surface = 'open' | 'host' | 'agent';

const hostPaths = ['/api/adaptors/keys', '/api/adaptors/webhooks', '/api/admin', '/api/sql', '/api/portal'];

export const isBelow = (path: string, bases: readonly string[]) =>
  bases.some((base) => path === base || path.startsWith(`${base}/`));

export function resolveSurface(url: string): Surface {
  const { path } = splitUrl(url);
  if (isBelow(path, hostPaths)) return 'host';
  return isBelow(path, ['/api/agent']) && !isBelow(path, openAgentPaths) ? 'agent' : 'open';
}
