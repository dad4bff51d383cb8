import type { Registry } from '@prometheus-io/client';
import { LRUCache } from 'lru-cache';
import { apiKeys, secretCheck, tokenDigest } from '../../../lib/credentials/token.ts';
import { problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { type Kv, KvUnavailableError, parseRecord } from '../../../lib/kv/kv.ts';
import { type Attempts, attemptPolicy, credentialAttempts, type Policy, windowMs } from './attempts.ts';
import { type Caller, callerAddress, countedAttempts, extractCredential, resolveSurface } from './caller.ts';
import { counterKey, keyRecord, recordKey } from './keys.ts';
import { extractPortalToken, findSession, sessionPolicy, setSession } from './portal-session.ts';
import { RequestCounts } from './request-counts.ts';

export interface AccessSettings {
  kv: Kv;
  adminSecret?: string | undefined;
  cronSecret?: string | undefined;
  /** Requests a minute of an address without a key, and the lowest limit of any key. */
  anonymousPerMinute: number;
  /** Number of proxies whose entries in `X-Forwarded-For` are trusted. */
  trustProxy: number;
}

export interface AdmissionOptions extends AccessSettings {
  metrics: Registry;
  /** Attempt counter of this process. Default: a new one. */
  attempts?: Attempts;
  /** Called for each request with a valid key, if it is within the key's limit. */
  onKeyUse(keyId: string, integrator: string): void;
}

export interface Admission {
  /**
   * Identifies the caller of a request and counts it, in one round trip to the store for most callers.
   * @throws ProblemError 401 for a wrong key or secret, 429 beyond the limit
   */
  admit(exchange: Exchange): Promise<Caller>;
  /** Sets the rate limit headers of a request that is not counted, from the caller's last count in this process. */
  show(exchange: Exchange): void;
}

const addressCounter = (address: string) => `limit:${address}`;

export function admission(options: AdmissionOptions): Admission {
  const { kv, trustProxy, metrics, anonymousPerMinute, onKeyUse } = options;
  const attempts = options.attempts ?? credentialAttempts(kv);
  const isAdmin = secretCheck(options.adminSecret);
  const isCron = secretCheck(options.cronSecret);
  const anonymousPolicy: Policy = { name: 'anonymous', perMinute: anonymousPerMinute };
  const credentialPolicy: Policy = { name: 'credential', perMinute: anonymousPerMinute };
  const knownWrong = new LRUCache<string, true>({ ttl: 5_000, max: 10_000 });
  const counts = new RequestCounts(kv, metrics);

  const getAddress = ({ req }: Exchange) => callerAddress(req, trustProxy);

  async function anonymous(exchange: Exchange): Promise<Caller> {
    const address = getAddress(exchange);
    await counts.count(exchange, addressCounter(address), anonymousPolicy);
    return { kind: 'anonymous', address };
  }

  async function byKeyDigest(exchange: Exchange, digest: string): Promise<Caller> {
    if (knownWrong.has(digest)) return await refuseKey(exchange);
    const counter = counterKey(digest);
    let found: Awaited<ReturnType<Kv['countFor']>>;
    try {
      found = await kv.countFor(recordKey(digest), counter, windowMs);
    } catch (error) {
      counts.passUnchecked(exchange, counter, { name: 'key', perMinute: anonymousPerMinute }, error);
      return { kind: 'unchecked' };
    }
    const record = parseRecord(keyRecord, found?.value);
    if (!found || !record) {
      knownWrong.set(digest, true);
      return await refuseKey(exchange);
    }
    const { id, integrator, ratePerMin } = record;
    counts.decideSeen(exchange, counter, { name: 'key', perMinute: ratePerMin }, found);
    onKeyUse(id, integrator);
    return { kind: 'key', keyId: id, integrator };
  }

  async function refuseKey(exchange: Exchange): Promise<never> {
    counts.decide(exchange, attemptPolicy, await attempts.count(getAddress(exchange)));
    throw problem('invalid_key', 'This API key is wrong or revoked. Leave it out to read without one.');
  }

  /** The caller that signed in on a page. The agent service gets the admin secret in place of an operator's session. */
  async function bySession(exchange: Exchange, token: string): Promise<Caller> {
    let session: Awaited<ReturnType<typeof findSession>>;
    try {
      session = await findSession(kv, token, options.adminSecret);
    } catch (error) {
      if (error instanceof KvUnavailableError) return { kind: 'unchecked' };
      throw error;
    }
    if (!session) return await anonymous(exchange);
    setSession(exchange, session);
    if (session.kind === 'key') return await byKeyDigest(exchange, session.digest);
    await counts.count(exchange, counterKey(tokenDigest(token)), sessionPolicy);
    if (resolveSurface(exchange.req.url ?? '') === 'agent') {
      countedAttempts.add(exchange);
      exchange.req.headers.authorization = `Bearer ${options.adminSecret}`;
    }
    return { kind: 'admin' };
  }

  /** Counts an attempt before it compares the secret, so that concurrent attempts are not compared beyond the limit. */
  async function bySecret(exchange: Exchange, secret: string): Promise<Caller> {
    const address = getAddress(exchange);
    const surface = resolveSurface(exchange.req.url ?? '');
    if (surface !== 'open') countedAttempts.add(exchange);
    const window = await attempts.count(address);
    if (surface !== 'open') counts.decide(exchange, attemptPolicy, window);
    const kind = window.count <= attemptPolicy.perMinute ? identifySecret(secret) : undefined;
    if (kind !== undefined) {
      if (surface === 'open') counts.decide(exchange, attemptPolicy, window);
      return { kind };
    }
    // An open path needs no credential, so a bearer token that a proxy or a client adds does no harm.
    if (surface === 'open') return await anonymous(exchange);
    // The agent service may have a secret that this process does not have.
    if (surface === 'agent') return { kind: 'anonymous', address };
    throw problem(
      'invalid_credentials',
      'This bearer token is neither an API key nor a secret of this host.',
    );
  }

  function identifySecret(secret: string): 'admin' | 'cron' | undefined {
    if (isAdmin(secret)) return 'admin';
    return isCron(secret) ? 'cron' : undefined;
  }

  /** Counts each token on the paths that check it. Elsewhere a caller could make up any number of tokens. */
  async function byAgentToken(exchange: Exchange, token: string): Promise<Caller> {
    if (resolveSurface(exchange.req.url ?? '') !== 'agent') return await anonymous(exchange);
    await counts.count(exchange, counterKey(tokenDigest(token)), credentialPolicy);
    return { kind: 'anonymous', address: getAddress(exchange) };
  }

  return {
    async admit(exchange) {
      const token = extractPortalToken(exchange.req);
      if (token !== undefined) return await bySession(exchange, token);
      const credential = extractCredential(exchange.req);
      if (credential.kind === 'key') {
        if (!apiKeys.looksLike(credential.key)) return await refuseKey(exchange);
        return await byKeyDigest(exchange, tokenDigest(credential.key));
      }
      if (credential.kind === 'secret') return await bySecret(exchange, credential.secret);
      if (credential.kind === 'agent') return await byAgentToken(exchange, credential.token);
      return await anonymous(exchange);
    },
    show(exchange) {
      const credential = extractCredential(exchange.req);
      const ofAddress = addressCounter(getAddress(exchange));
      const counters =
        credential.kind === 'key' ? [counterKey(tokenDigest(credential.key)), ofAddress] : [ofAddress];
      counts.show(exchange, counters, anonymousPolicy);
    },
  };
}
