import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../server/exchange.ts';

/** Whose request this is. */
export type Caller =
  /** `address` as limits count it. */
  | { kind: 'anonymous'; address: string }
  | { kind: 'key'; keyId: string; integrator: string }
  | { kind: 'admin' }
  | { kind: 'cron' }
  /** A key was sent, and the store that knows it is out: reads go on, what needs a key must not. */
  | { kind: 'unchecked' };

/** What a route may ask for; the admin may do all of it. */
export type Right = 'admin' | 'cron' | 'key';

/**
 * The caller, where the route is theirs to use.
 * @throws ProblemError 503 without a key-value store, or where it is out and a key cannot be looked up; 401 for
 *   anybody else
 */
export function requireCaller<R extends Right>(
  { caller }: Exchange,
  ...rights: R[]
): Extract<Caller, { kind: R | 'admin' }> {
  if (!caller) throw kvNotConfigured();
  if (caller.kind === 'unchecked') throw kvUnavailable();
  const allowed = [...new Set<Right>([...rights, 'admin'])];
  if (allowed.some((right) => right === caller.kind)) return caller as Extract<Caller, { kind: R | 'admin' }>;
  const names = allowed.map((right) => credentialNames[right]);
  throw problem('unauthorized', `This path needs ${names.join(' or ')}.`);
}

const credentialNames: Record<Right, string> = {
  admin: "the host's admin secret (authorization: Bearer <secret>)",
  cron: "the host's cron secret (authorization: Bearer <secret>)",
  key: 'an API key (x-api-key: mk_...)',
};

function kvNotConfigured(): ProblemError {
  return problem(
    'kv_not_configured',
    'This service has no key-value store, so it has no API keys and no webhooks. The operator sets REDIS_URL, ' +
      'KV_REST_API_URL with KV_REST_API_TOKEN, or UPSTASH_REDIS_REST_URL with UPSTASH_REDIS_REST_TOKEN.',
  );
}

export function kvUnavailable(): ProblemError {
  return problem('kv_unavailable', 'The key-value store cannot be reached. Try again shortly.');
}
