import { kvUnavailable, type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
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
