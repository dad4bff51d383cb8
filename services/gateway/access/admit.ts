import { LRUCache } from 'lru-cache';
import { Counter, type Registry } from 'prom-client';
import { secretCheck } from '../../../lib/credentials/secret-check.ts';
import { apiKeys, tokenDigest } from '../../../lib/credentials/token.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import { type Kv, KvUnavailableError, type WindowCount } from '../../../lib/kv/index.ts';
import { counterKey, parseKeyRecord, recordKey } from '../keys/store.ts';
import type { Exchange } from '../server/exchange.ts';
import { callerAddress } from './address.ts';
import { type Caller, kvUnavailable, unauthorized } from './caller.ts';
import { credentialOf } from './credential.ts';
import { type Policy, secondsLeft, setRateHeaders, windowMs } from './rate-headers.ts';

export interface AccessSettings {
  kv: Kv;
  adminSecret?: string | undefined;
  cronSecret?: string | undefined;
  /** Requests a minute of an address without a key. */
  anonymousPerMinute: number;
  /** Proxies whose entries in `X-Forwarded-For` are believed. */
  trustProxy: number;
}

interface AccessOptions extends AccessSettings {
  metrics: Registry;
  /** Told of each request that a key was good for. */
  onKeyUse(keyId: string, integrator: string): void;
}

/** Requests of an address with a host's secret, right or wrong: none can be found by trying. */
const secretPolicy: Policy = { name: 'secret', perMinute: 60 };
/** For how long a wrong key is known to be wrong, and how many are. */
const wrongKeys = { ttl: 5_000, max: 10_000 };

/**
 * Finds out whose request it is, then counts it, in one round trip to the store for everyone who may pass.
 * @throws ProblemError 401 for a wrong key or secret, 429 beyond the limit, 503 where a secret cannot be counted
 */
export function admission(options: AccessOptions): (exchange: Exchange) => Promise<Caller> {
  const { kv, trustProxy, metrics, onKeyUse } = options;
  const isAdmin = secretCheck(options.adminSecret);
  const isCron = secretCheck(options.cronSecret);
  const anonymousPolicy: Policy = { name: 'anonymous', perMinute: options.anonymousPerMinute };
  const knownWrong = new LRUCache<string, true>(wrongKeys);
  const decisions = new Counter({
    name: 'limited_requests_total',
    help: 'Requests under a limit: admitted, refused, or unchecked because the key-value store was out.',
    labelNames: ['policy', 'outcome'],
    registers: [metrics],
  });

  const addressOf = ({ req }: Exchange) => callerAddress(req, trustProxy);

  function decide({ res }: Exchange, policy: Policy, window: WindowCount): void {
    setRateHeaders(res, policy, window);
    const within = window.count <= policy.perMinute;
    decisions.inc({ policy: policy.name, outcome: within ? 'admitted' : 'refused' });
    if (!within) throw tooMany(policy, window);
  }

  function unchecked(policy: Policy['name'], error: unknown): void {
    if (!(error instanceof KvUnavailableError)) throw error;
    decisions.inc({ policy, outcome: 'unchecked' });
  }

  /** Counts the address. A store that is out takes no reads down. */
  async function countAnonymous(exchange: Exchange, address: string): Promise<void> {
    let window: WindowCount;
    try {
      window = await kv.count(`limit:${address}`, windowMs);
    } catch (error) {
      return unchecked('anonymous', error);
    }
    decide(exchange, anonymousPolicy, window);
  }

  async function byKey(exchange: Exchange, key: string): Promise<Caller> {
    if (!apiKeys.looksLike(key)) return await refuseKey(exchange);
    const digest = tokenDigest(key);
    if (knownWrong.has(digest)) return await refuseKey(exchange);
    let found: Awaited<ReturnType<Kv['countFor']>>;
    try {
      found = await kv.countFor(recordKey(digest), counterKey(digest), windowMs);
    } catch (error) {
      unchecked('key', error);
      return { kind: 'unchecked' };
    }
    const record = parseKeyRecord(found?.value);
    if (!found || !record) {
      knownWrong.set(digest, true);
      return await refuseKey(exchange);
    }
    const { id, integrator, ratePerMin } = record;
    decide(exchange, { name: 'key', perMinute: ratePerMin }, found);
    onKeyUse(id, integrator);
    return { kind: 'key', keyId: id, integrator };
  }

  /** Counted by address like a request without a key, so that wrong ones cannot be sent without end. */
  async function refuseKey(exchange: Exchange): Promise<never> {
    await countAnonymous(exchange, addressOf(exchange));
    throw unauthorized('invalid_key', 'This API key is wrong or revoked. Leave it out to read without one.');
  }

  async function bySecret(exchange: Exchange, secret: string): Promise<Caller> {
    let window: WindowCount;
    try {
      window = await kv.count(`secret:${addressOf(exchange)}`, windowMs);
    } catch (error) {
      unchecked('secret', error);
      // Uncounted, a secret could be tried as fast as this host answers.
      throw kvUnavailable();
    }
    decide(exchange, secretPolicy, window);
    if (isAdmin(secret)) return { kind: 'admin' };
    if (isCron(secret)) return { kind: 'cron' };
    throw unauthorized(
      'invalid_credentials',
      'This bearer token is neither an API key nor a secret of this host.',
    );
  }

  return async (exchange) => {
    const credential = credentialOf(exchange.req);
    if (credential.kind === 'key') return await byKey(exchange, credential.key);
    if (credential.kind === 'secret') return await bySecret(exchange, credential.secret);
    const address = addressOf(exchange);
    await countAnonymous(exchange, address);
    return { kind: 'anonymous', address };
  };
}

function tooMany({ name, perMinute }: Policy, window: WindowCount): ProblemError {
  const seconds = secondsLeft(window);
  const remedy = name === 'anonymous' ? ' An API key of this host has a limit of its own.' : '';
  return new ProblemError({
    status: 429,
    code: 'rate_limited',
    title: 'Too many requests',
    detail: `The limit is ${perMinute} requests a minute; try again in ${seconds} s.${remedy}`,
    headers: { 'retry-after': String(seconds) },
  });
}
