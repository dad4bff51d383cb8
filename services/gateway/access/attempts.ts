import { LRUCache } from 'lru-cache';
import { digestToken } from '../../../lib/credentials/token.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { Exchange, Step } from '../../../lib/http/exchange.ts';
import { type Kv, KvUnavailableError, type WindowCount } from '../../../lib/kv/kv.ts';
import { countedAttempts, extractAgentCredential, getCallerAddress, isAgentToken } from './caller.ts';

/** Headers that scripts may read across origins. */
const exposedHeaders = [
  'etag',
  'link',
  'x-indexed-checkpoint',
  'x-request-id',
  'retry-after',
  'x-run-id',
  'x-run-attempt',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit',
  'ratelimit-policy',
];

/** Headers of every response. Any origin may read. Browsers must not run or frame data, or guess another type for it. */
export const commonHeaders: readonly [string, string][] = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', exposedHeaders.join(', ')],
];

export function sendCommonHeaders({ res, requestId }: Exchange): boolean {
  for (const [name, value] of commonHeaders) res.setHeader(name, value);
  res.setHeader('x-request-id', requestId);
  return false;
}

/** A year, after which a browser that does not return may use http again. */
const transportSecurity = `max-age=${365 * 86_400}`;

/** The step that makes browsers use https from then on, if the public url has it. Names below may use http. */
export const requireTransport = (publicUrl: string | undefined): Step[] =>
  publicUrl?.startsWith('https:')
    ? [
        ({ res }) => {
          res.setHeader('strict-transport-security', transportSecurity);
          return false;
        },
      ]
    : [];

/** `true` for a CORS preflight request, which browsers send without the key of the actual request. */
export const isPreflight = ({ req }: Exchange): boolean =>
  req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined;

export function answerPreflight(exchange: Exchange): boolean {
  if (!isPreflight(exchange)) return false;
  const { res } = exchange;
  exchange.route = 'preflight';
  res.writeHead(204, {
    'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers':
      'accept, authorization, content-type, if-none-match, last-event-id, x-api-key, x-request-id',
    'access-control-max-age': '86400',
    vary: 'access-control-request-method, access-control-request-headers',
  });
  res.end();
  return true;
}

export const windowMs = 60_000;

/** A rate limit of a caller. The rate limit headers show its `name`. */
export interface Policy {
  name: 'anonymous' | 'key' | 'credential' | 'session' | 'attempts';
  perMinute: number;
}

/** Whole seconds until the window ends, at least one, so that no caller retries within it. */
const countSecondsLeft = ({ endsInMs }: WindowCount) => Math.max(1, Math.ceil(endsInMs / 1000));

/** Builds the `X-RateLimit-*` headers, and those of draft-ietf-httpapi-ratelimit-headers-10. */
export function buildRateHeaders({ name, perMinute }: Policy, window: WindowCount): [string, string][] {
  const remaining = Math.max(0, perMinute - window.count);
  const seconds = countSecondsLeft(window);
  return [
    ['x-ratelimit-limit', String(perMinute)],
    ['x-ratelimit-remaining', String(remaining)],
    ['x-ratelimit-reset', String(Math.floor(Date.now() / 1000) + seconds)],
    ['ratelimit-policy', `"${name}";q=${perMinute};w=${windowMs / 1000}`],
    ['ratelimit', `"${name}";r=${remaining};t=${seconds}`],
  ];
}

export function setRateHeaders({ res }: Exchange, policy: Policy, window: WindowCount): void {
  for (const [name, value] of buildRateHeaders(policy, window)) res.setHeader(name, value);
}

const remedies: Record<Policy['name'], string> = {
  anonymous: ' An API key of this host has a limit of its own.',
  key: '',
  credential: '',
  session: '',
  attempts: ' Too many credentials were tried from this address. Requests without one are still served.',
};

/** Creates a 429 problem with the seconds until the window ends. */
export function createRateProblem({ name, perMinute }: Policy, window: WindowCount): ProblemError {
  const seconds = countSecondsLeft(window);
  const detail = `The limit is ${perMinute} requests a minute. Try again in ${seconds} s.${remedies[name]}`;
  return problem('rate_limited', detail, { headers: { 'retry-after': String(seconds) } });
}

/** Limit of the credentials that an address may try: each secret of the host, and other wrong ones. */
export const attemptPolicy: Policy = { name: 'attempts', perMinute: 60 };

/**
 * Counts the credentials that an address tries, so that no one finds one by brute force. It counts in memory as well as
 * in the store, so that the limit also holds while the store is unavailable, or if the host has none.
 */
export interface Attempts {
  /** Counts one attempt before its credential is checked. Beyond `attemptPolicy`, it must not be checked at all. */
  count(address: string): Promise<WindowCount>;
  /** Takes back one attempt whose credential proved right. It affects memory only: the store's count stays. */
  refund(address: string): void;
  /** The window of an address that has no attempt left, as far as this process knows. */
  used(address: string): WindowCount | undefined;
}

interface AttemptWindow {
  count: number;
  endsAtMs: number;
}

/** Maximum number of addresses that are tracked at a time. */
const addressesMax = 100_000;

export function createAttempts(kv: Kv | undefined, nowMs: () => number = () => performance.now()): Attempts {
  const byAddress = new LRUCache<string, AttemptWindow>({ max: addressesMax });

  function findOrBeginWindow(address: string): AttemptWindow {
    const current = byAddress.get(address);
    if (current && current.endsAtMs > nowMs()) return current;
    const begun = { count: 0, endsAtMs: nowMs() + windowMs };
    byAddress.set(address, begun);
    return begun;
  }

  const toWindow = (count: number, { endsAtMs }: AttemptWindow) => ({ count, endsInMs: endsAtMs - nowMs() });

  return {
    async count(address) {
      const tried = findOrBeginWindow(address);
      tried.count += 1;
      // Read before the call of the store, so that concurrent attempts each get a number of their own.
      const number = tried.count;
      if (!kv || number > attemptPolicy.perMinute) return toWindow(number, tried);
      try {
        const shared = await kv.count(`secret:${address}`, windowMs);
        tried.count = Math.max(tried.count, shared.count);
        return shared.count > number ? shared : toWindow(number, tried);
      } catch (error) {
        if (!(error instanceof KvUnavailableError)) throw error;
        return toWindow(number, tried);
      }
    },
    refund(address) {
      const tried = byAddress.get(address);
      if (tried && tried.count > 0) tried.count -= 1;
    },
    used(address) {
      const tried = byAddress.get(address);
      if (!tried || tried.endsAtMs <= nowMs() || tried.count < attemptPolicy.perMinute) return undefined;
      return toWindow(tried.count, tried);
    },
  };
}

/** Takes the status of the response, or undefined if there was none. */
type Settle = (status: number | undefined) => void;

/**
 * Kind of proof that the other service checks: a credential in the headers, a signature in the body, the credential of
 * internal services, which only addresses that the operator listed may send, or no proof at all.
 */
export type ProofKind = 'credential' | 'signature' | 'internal' | 'none';

/**
 * Limits the credentials that a caller can try at another service, whose status is passed to the returned function.
 * @throws ProblemError 429 if the caller's address has no attempt left
 */
export type CredentialGuard = (exchange: Exchange, proof: ProofKind) => Promise<Settle>;

interface GuardOptions {
  attempts: Attempts;
  trustProxy: number;
  /** `true` if this host has rate limits. Then a refusal has their headers. */
  hasLimits: boolean;
}

/**
 * Counts credentials that another service refuses with 401 against the address. A token of 256 random bits counts only
 * until it was accepted once: its holder is served while another caller at the same address guesses.
 */
export function createCredentialGuard({ attempts, trustProxy, hasLimits }: GuardOptions): CredentialGuard {
  const accepted = new LRUCache<string, true>({ max: 10_000, ttl: 3_600_000 });
  /** Tokens whose first check is running. Concurrent requests with the same token wait for its result. */
  const firstChecks = new Map<string, Promise<void>>();

  return async (exchange, proof) => {
    const address = getCallerAddress(exchange.req, trustProxy);

    function refuse(window: WindowCount): never {
      if (hasLimits) setRateHeaders(exchange, attemptPolicy, window);
      throw createRateProblem(attemptPolicy, window);
    }

    async function countAttempt(): Promise<void> {
      const window = await attempts.count(address);
      if (window.count > attemptPolicy.perMinute) refuse(window);
    }

    const countFailure: Settle = (status) => {
      if (status === 401) void attempts.count(address);
    };

    async function guardToken(digest: string): Promise<Settle> {
      while (firstChecks.has(digest) && !accepted.has(digest)) await firstChecks.get(digest);
      if (accepted.has(digest)) {
        return (status) => {
          if (status === 401) accepted.delete(digest);
          countFailure(status);
        };
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      firstChecks.set(digest, promise);
      const done = () => {
        firstChecks.delete(digest);
        resolve();
      };
      try {
        await countAttempt();
      } catch (error) {
        done();
        throw error;
      }
      return (status) => {
        if (isAccepted(status)) {
          accepted.set(digest, true);
          attempts.refund(address);
        }
        done();
      };
    }

    const unguarded: Settle = () => undefined;
    if (proof === 'none' || countedAttempts.has(exchange)) return unguarded;
    if (proof !== 'credential') {
      // A proof that cannot be guessed is counted only after a 401.
      const window = attempts.used(address);
      if (window) refuse(window);
      return countFailure;
    }
    const credential = extractAgentCredential(exchange.req);
    if (credential === undefined) return unguarded;
    if (isAgentToken(credential)) return await guardToken(digestToken(credential));
    await countAttempt();
    return (status) => {
      if (isAccepted(status)) attempts.refund(address);
    };
  };
}

/** `true` if the credential was right for this status. A 400 says nothing: the body is read before the check. */
const isAccepted = (status: number | undefined) =>
  status !== undefined && (status < 400 || [402, 403, 409].includes(status));
