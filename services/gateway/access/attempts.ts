import { LRUCache } from 'lru-cache';
import { tokenDigest } from '../../../lib/credentials/token.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { type Kv, KvUnavailableError, type WindowCount } from '../../../lib/kv/kv.ts';
import { agentCredentialOf, callerAddress, countedAttempts, isAgentToken } from './caller.ts';

/** Names of the headers, for scripts that may read them across origins. */
const rateHeaderNames = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit',
  'ratelimit-policy',
] as const;

const exposedHeaders = [
  'etag',
  'link',
  'x-indexed-checkpoint',
  'x-request-id',
  'retry-after',
  'x-run-id',
  'x-run-attempt',
  ...rateHeaderNames,
];

/**
 * On every answer. Reads are for any origin, and scripts may see the headers that mean something to them;
 * nothing served as data may be run, framed or sniffed into something else. Pages put their own policy in place
 * of this one.
 */
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

/** Browsers send it by themselves, without the key that the request will have. */
export const isPreflight = ({ req }: Exchange): boolean =>
  req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined;

/** Answers what a browser asks before a request that is not simple. */
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

/** A limit that a caller is under. `name` tells the caller which. */
export interface Policy {
  name: 'anonymous' | 'key' | 'credential' | 'session' | 'attempts';
  perMinute: number;
}

/** Whole seconds until the window ends; at least one, so that nobody retries in it. */
const secondsLeft = ({ endsInMs }: WindowCount) => Math.max(1, Math.ceil(endsInMs / 1000));

/**
 * Says how much is left: in the form that is in common use, and as the RateLimit header fields of
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export function setRateHeaders({ res }: Exchange, { name, perMinute }: Policy, window: WindowCount): void {
  const remaining = Math.max(0, perMinute - window.count);
  const seconds = secondsLeft(window);
  res.setHeader('x-ratelimit-limit', perMinute);
  res.setHeader('x-ratelimit-remaining', remaining);
  res.setHeader('x-ratelimit-reset', Math.floor(Date.now() / 1000) + seconds);
  res.setHeader('ratelimit-policy', `"${name}";q=${perMinute};w=${windowMs / 1000}`);
  res.setHeader('ratelimit', `"${name}";r=${remaining};t=${seconds}`);
}

const remedies: Record<Policy['name'], string> = {
  anonymous: ' An API key of this host has a limit of its own.',
  key: '',
  credential: '',
  session: '',
  attempts: ' Too many credentials were tried from this address. Requests without one are still served.',
};

/** 429, with the seconds until the window ends. */
export function tooMany({ name, perMinute }: Policy, window: WindowCount): ProblemError {
  const seconds = secondsLeft(window);
  const detail = `The limit is ${perMinute} requests a minute. Try again in ${seconds} s.${remedies[name]}`;
  return problem('rate_limited', detail, { headers: { 'retry-after': String(seconds) } });
}

/** Credentials that an address may try: the host's secrets, right or wrong, and what else proves to be wrong. */
export const attemptPolicy: Policy = { name: 'attempts', perMinute: 60 };

/**
 * Counts the credentials that an address tries, so that nobody finds one by trying. It counts in memory as well as in
 * the store: a store that is out, or that a host does not have, opens nothing.
 */
export interface Attempts {
  /** Counts one, before it is judged where it can be guessed. Beyond the policy it must not be judged at all. */
  count(address: string): Promise<WindowCount>;
  /** Takes one back that proved right, in memory: the store's count stands. */
  refund(address: string): void;
  /** The window of an address that has no attempt left, as far as this process knows. */
  used(address: string): WindowCount | undefined;
}

interface Tried {
  count: number;
  endsAtMs: number;
}

/** Addresses of which it is known at a time; beyond them, the ones that have been quiet longest are forgotten. */
const addressesMax = 100_000;

export function credentialAttempts(
  kv: Kv | undefined,
  nowMs: () => number = () => performance.now(),
): Attempts {
  const byAddress = new LRUCache<string, Tried>({ max: addressesMax });

  function triedBy(address: string): Tried {
    const known = byAddress.get(address);
    if (known && known.endsAtMs > nowMs()) return known;
    const begun = { count: 0, endsAtMs: nowMs() + windowMs };
    byAddress.set(address, begun);
    return begun;
  }

  const windowOf = (count: number, { endsAtMs }: Tried) => ({ count, endsInMs: endsAtMs - nowMs() });

  return {
    async count(address) {
      const tried = triedBy(address);
      tried.count += 1;
      // Taken before the store is asked, so that attempts made at once each get a number of their own.
      const own = tried.count;
      if (!kv || own > attemptPolicy.perMinute) return windowOf(own, tried);
      try {
        const shared = await kv.count(`secret:${address}`, windowMs);
        tried.count = Math.max(tried.count, shared.count);
        return shared.count > own ? shared : windowOf(own, tried);
      } catch (error) {
        if (!(error instanceof KvUnavailableError)) throw error;
        return windowOf(own, tried);
      }
    },
    refund(address) {
      const tried = byAddress.get(address);
      if (tried && tried.count > 0) tried.count -= 1;
    },
    used(address) {
      const tried = byAddress.get(address);
      if (!tried || tried.endsAtMs <= nowMs() || tried.count < attemptPolicy.perMinute) return undefined;
      return windowOf(tried.count, tried);
    },
  };
}

/** Takes the status of the answer; undefined: there was none. */
type Settle = (status: number | undefined) => void;

/**
 * By what a request proves itself to the other service: the credentials of its headers, a signature in its body, what
 * only the addresses that the operator listed may send, or nothing at all.
 */
export type Proof = 'credential' | 'signature' | 'internal' | 'none';

/**
 * Stands before another service that judges credentials.
 * @throws ProblemError 429 where the caller's address has no attempt left
 */
export type CredentialGuard = (exchange: Exchange, proof: Proof) => Promise<Settle>;

interface GuardOptions {
  attempts: Attempts;
  trustProxy: number;
  /** Whether limits are on, so that responses have their headers. */
  limits: boolean;
}

/** Tokens that were found right, and for how long they are then taken for it. */
const rightTokens = { max: 10_000, ttl: 3_600_000 };

/**
 * Counts what another service refuses with 401 against the caller's address. What somebody could find by trying is
 * counted before it is judged. A token of 256 random bits is counted only until it has proved right: callers who share
 * an address with somebody who guesses go on.
 */
export function credentialGuard({ attempts, trustProxy, limits }: GuardOptions): CredentialGuard {
  const right = new LRUCache<string, true>(rightTokens);
  /** Tokens that are being judged for the first time: those who send the same wait for that. */
  const judging = new Map<string, Promise<void>>();

  return async (exchange, proof) => {
    const address = callerAddress(exchange.req, trustProxy);

    function refuse(window: WindowCount): never {
      if (limits) setRateHeaders(exchange, attemptPolicy, window);
      throw tooMany(attemptPolicy, window);
    }

    async function attempt(): Promise<void> {
      const window = await attempts.count(address);
      if (window.count > attemptPolicy.perMinute) refuse(window);
    }

    /** What nobody finds by trying is counted where it proves wrong. */
    function beforeFailure(): Settle {
      const window = attempts.used(address);
      if (window) refuse(window);
      return failLater;
    }

    const failLater: Settle = (status) => {
      if (status === 401) void attempts.count(address);
    };

    async function judgeToken(digest: string): Promise<Settle> {
      while (judging.has(digest) && !right.has(digest)) await judging.get(digest);
      if (right.has(digest)) {
        return (status) => {
          if (status === 401) right.delete(digest);
          failLater(status);
        };
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      judging.set(digest, promise);
      const done = () => {
        judging.delete(digest);
        resolve();
      };
      await attempt().catch((error: unknown) => {
        done();
        throw error;
      });
      return (status) => {
        if (isAccepted(status)) {
          right.set(digest, true);
          attempts.refund(address);
        }
        done();
      };
    }

    const unguarded: Settle = () => undefined;
    if (proof === 'none' || countedAttempts.has(exchange)) return unguarded;
    if (proof !== 'credential') return beforeFailure();
    const credential = agentCredentialOf(exchange.req);
    if (credential === undefined) return unguarded;
    if (isAgentToken(credential)) return await judgeToken(tokenDigest(credential));
    await attempt();
    return (status) => {
      if (isAccepted(status)) attempts.refund(address);
    };
  };
}

/** Whether a credential must have been right for this answer. Bodies are read before it, so a 400 says nothing. */
const isAccepted = (status: number | undefined) =>
  status !== undefined && (status < 400 || [402, 403, 409].includes(status));
