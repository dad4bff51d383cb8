import type { Socket } from 'node:net';
import type { Registry } from '@prometheus-io/client';
import { LRUCache } from 'lru-cache';
import { apiKeys, createSecretCheck, digestToken } from '../../../lib/credentials/token.ts';
import { problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { type Kv, parseRecord } from '../../../lib/kv/kv.ts';
import { type Attempts, attemptPolicy, createAttempts, type Policy, windowMs } from './attempts.ts';
import {
  type Caller,
  countedAttempts,
  extractCredential,
  getCallerAddress,
  parseAddressGroup,
  resolveSurface,
} from './caller.ts';
import { counterKey, keyRecord, recordKey } from './keys.ts';
import { extractPortalToken, findSession, sessionPolicy, setSession } from './portal-session.ts';
import { RequestCounts } from './request-counts.ts';

export interface AccessSettings {
  kv: Kv;
  adminSecret?: string | undefined;
  cronSecret?: string | undefined;
  /** Requests a minute of an address without a key, and of each executor key or session of an owner on `/api/agent`. */
  anonymousPerMinute: number;
  /** Number of proxies whose entries in `X-Forwarded-For` are trusted. */
  trustProxy: number;
}

interface AdmissionOptions extends AccessSettings {
  metrics: Registry;
  /** Attempt counter of this process. Default: a new one. */
  attempts?: Attempts;
  /** Called for each request with a valid key, if it is within the key's limit. */
  onKeyUse(keyId: string, integrator: string): void;
}

const buildCounterKey = (address: string) => `limit:${address}`;

/** Identifies the callers of requests, and counts their requests. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #attempts: Attempts;
  readonly #counts: RequestCounts;
  readonly #isAdmin: (secret: string) => boolean;
  readonly #isCron: (secret: string) => boolean;
  readonly #knownWrong = new LRUCache<string, true>({ ttl: 5_000, max: 10_000 });

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#attempts = options.attempts ?? createAttempts(options.kv);
    this.#counts = new RequestCounts(options.kv, options.metrics);
    this.#isAdmin = createSecretCheck(options.adminSecret);
    this.#isCron = createSecretCheck(options.cronSecret);
  }

  /**
   * Identifies the caller of a request and counts it, in one round trip to the store for most callers.
   * @throws ProblemError 401 for a wrong key or secret, 429 beyond the limit
   */
  async admit(exchange: Exchange): Promise<Caller> {
    const token = extractPortalToken(exchange.req);
    if (token !== undefined) return await this.#identifyBySession(exchange, token);
    const credential = extractCredential(exchange.req);
    if (credential.kind === 'key') {
      if (!apiKeys.looksLike(credential.key)) return await this.#refuseKey(exchange);
      return await this.#identifyByKey(exchange, digestToken(credential.key));
    }
    if (credential.kind === 'secret') return await this.#identifyBySecret(exchange, credential.secret);
    if (credential.kind === 'agent') return await this.#countAgentToken(exchange, credential.token);
    return await this.#countAnonymous(exchange);
  }

  /** Sets the rate limit headers of a request that is not counted, from the caller's last count in this process. */
  show(exchange: Exchange): void {
    const credential = extractCredential(exchange.req);
    const counters = [buildCounterKey(this.#getAddress(exchange))];
    if (credential.kind === 'key') counters.unshift(counterKey(digestToken(credential.key)));
    for (const [name, value] of this.#counts.buildHeaders(counters, this.#createPolicy('anonymous'))) {
      exchange.res.setHeader(name, value);
    }
  }

  /** Builds the rate limit headers for bytes that are not HTTP: they name no caller but the sender of the connection. */
  buildHeaders({ remoteAddress = '' }: Socket): [string, string][] {
    const address = parseAddressGroup(remoteAddress) ?? 'unknown';
    return this.#counts.buildHeaders([buildCounterKey(address)], this.#createPolicy('anonymous'));
  }

  #getAddress({ req }: Exchange): string {
    return getCallerAddress(req, this.#options.trustProxy);
  }

  #createPolicy(name: 'anonymous' | 'credential' | 'key'): Policy {
    return { name, perMinute: this.#options.anonymousPerMinute };
  }

  async #countAnonymous(exchange: Exchange): Promise<Caller> {
    const address = this.#getAddress(exchange);
    await this.#counts.count(exchange, buildCounterKey(address), this.#createPolicy('anonymous'));
    return { kind: 'anonymous', address };
  }

  async #identifyByKey(exchange: Exchange, digest: string): Promise<Caller> {
    if (this.#knownWrong.has(digest)) return await this.#refuseKey(exchange);
    const counter = counterKey(digest);
    let counted: Awaited<ReturnType<Kv['countFor']>>;
    try {
      counted = await this.#options.kv.countFor(recordKey(digest), counter, windowMs);
    } catch (error) {
      this.#counts.passUnchecked(exchange, counter, this.#createPolicy('key'), error);
      return { kind: 'unchecked' };
    }
    const record = parseRecord(keyRecord, counted?.value);
    if (!counted || !record) {
      this.#knownWrong.set(digest, true);
      return await this.#refuseKey(exchange);
    }
    const { id, integrator, ratePerMin } = record;
    this.#counts.decideSeen(exchange, counter, { name: 'key', perMinute: ratePerMin }, counted);
    this.#options.onKeyUse(id, integrator);
    return { kind: 'key', keyId: id, integrator };
  }

  async #refuseKey(exchange: Exchange): Promise<never> {
    this.#counts.decide(exchange, attemptPolicy, await this.#attempts.count(this.#getAddress(exchange)));
    throw problem('invalid_key', 'This API key is wrong or revoked. Leave it out to read without one.');
  }

  /** Identifies a caller that signed in on a page. The agent service gets the admin secret in place of an operator's session. */
  async #identifyBySession(exchange: Exchange, token: string): Promise<Caller> {
    const { kv, adminSecret } = this.#options;
    let session: Awaited<ReturnType<typeof findSession>>;
    try {
      session = await findSession(kv, token, adminSecret);
    } catch (error) {
      this.#counts.passUnchecked(exchange, counterKey(digestToken(token)), sessionPolicy, error);
      return { kind: 'unchecked' };
    }
    if (!session) return await this.#countAnonymous(exchange);
    setSession(exchange, session);
    if (session.kind === 'key') return await this.#identifyByKey(exchange, session.digest);
    await this.#counts.count(exchange, counterKey(digestToken(token)), sessionPolicy);
    if (resolveSurface(exchange.req.url ?? '') === 'agent') {
      countedAttempts.add(exchange);
      exchange.req.headers.authorization = `Bearer ${adminSecret}`;
    }
    return { kind: 'admin' };
  }

  /** Counts an attempt before it compares the secret, so that concurrent attempts are not compared beyond the limit. */
  async #identifyBySecret(exchange: Exchange, secret: string): Promise<Caller> {
    const address = this.#getAddress(exchange);
    const surface = resolveSurface(exchange.req.url ?? '');
    if (surface !== 'open') countedAttempts.add(exchange);
    const window = await this.#attempts.count(address);
    if (surface !== 'open') this.#counts.decide(exchange, attemptPolicy, window);
    const kind = window.count <= attemptPolicy.perMinute ? this.#identifySecret(secret) : undefined;
    if (kind !== undefined) {
      if (surface === 'open') this.#counts.decide(exchange, attemptPolicy, window);
      return { kind };
    }
    // An open path needs no credential, so a bearer token that a proxy or a client adds does no harm.
    if (surface === 'open') return await this.#countAnonymous(exchange);
    // The agent service may have a secret that this process does not have.
    if (surface === 'agent') return { kind: 'anonymous', address };
    throw problem(
      'invalid_credentials',
      'This bearer token is neither an API key nor a secret of this host.',
    );
  }

  #identifySecret(secret: string): 'admin' | 'cron' | undefined {
    if (this.#isAdmin(secret)) return 'admin';
    return this.#isCron(secret) ? 'cron' : undefined;
  }

  /** Counts each token on the paths that check it. Elsewhere a caller could make up any number of tokens. */
  async #countAgentToken(exchange: Exchange, token: string): Promise<Caller> {
    if (resolveSurface(exchange.req.url ?? '') !== 'agent') return await this.#countAnonymous(exchange);
    await this.#counts.count(exchange, counterKey(digestToken(token)), this.#createPolicy('credential'));
    return { kind: 'anonymous', address: this.#getAddress(exchange) };
  }
}
