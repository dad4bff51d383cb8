import { setTimeout as delay } from 'node:timers/promises';
import { wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import { findCreatedObject } from '../../services/demo/publish.ts';
import { openSession } from '../support/agent-session.ts';
import { buildRequest } from '../support/build-request.ts';
import { eventually } from '../support/eventually.ts';
import { Random } from '../support/frames/random.ts';
import { asAdmin } from '../support/keys.ts';
import type { World } from '../support/world/world.ts';
import type { Market } from './market/market.ts';

/** API keys, sessions and executor keys that are issued and withdrawn, through everything that happens to a gateway. */
export interface Credentials {
  /** Resolves when nobody issues or withdraws any more, after the signal has aborted. */
  ended: Promise<void>;
  count(): { issued: number; withdrawn: number };
  /** Withdraws one of each kind, once nothing breaks any more: on a slow machine none may have been before. */
  withdrawOnceMore(): Promise<void>;
  /** Uses each at every gateway. @returns in words, those that work though withdrawn, and those that fail though valid */
  compare(): Promise<string[]>;
}

interface Credential {
  kind: string;
  id: string;
  headers: Record<string, string>;
  /** Path that needs the credential. */
  path: string;
  /** `unknown`: nobody answered the request to withdraw it. */
  state: 'valid' | 'withdrawn' | 'unknown';
  /** Gateways that have refused it since it was withdrawn: failed attempts of an address are limited. */
  refusedBy: Set<string>;
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** Issues credentials of one kind, and withdraws them. Both throw if there is no answer, or another than expected. */
interface Issuer {
  issue(ask: Ask): Promise<Pick<Credential, 'id' | 'headers' | 'path'>>;
  withdraw(credential: Credential, ask: Ask): Promise<Response>;
}

/** Credentials of each kind, at most: each withdrawn one costs a failed attempt at each gateway, of 60 a minute. */
const perKindMax = 5;
const betweenMs = [200, 2_000] as const;
/** Longer than a fault. */
const patienceMs = 20_000;

export async function startCredentials(
  { gateways, storeChanges }: World,
  market: Market,
  { seed, signal }: { seed: number; signal: AbortSignal },
): Promise<Credentials> {
  const random = new Random(seed * 1_000 + 700);
  const credentials: Credential[] = [];
  const issuers = listIssuers(await openOwner(market));
  const ask: Ask = (path, init) =>
    fetch(`${random.pick(gateways)}${path}`, { ...init, signal: AbortSignal.timeout(patienceMs) });

  async function issue(kind: string): Promise<void> {
    const credential = await issuers[kind]!.issue(ask);
    credentials.push({ kind, ...credential, state: 'valid', refusedBy: new Set() });
  }
  async function withdraw(credential: Credential): Promise<void> {
    credential.state = 'unknown';
    const answer = await issuers[credential.kind]!.withdraw(credential, ask);
    if (answer.ok) credential.state = 'withdrawn';
  }
  async function play(kind: string): Promise<void> {
    const [from, to] = betweenMs;
    while (!signal.aborted) {
      const own = credentials.filter((one) => one.kind === kind);
      const valid = own.filter(({ state }) => state === 'valid');
      const isIssued = own.length < perKindMax && (valid.length === 0 || random.chance(0.5));
      if (!isIssued && valid.length === 0) return;
      const act = isIssued ? () => issue(kind) : () => withdraw(random.pick(valid));
      // The secret of a credential whose answer was lost is unknown: it cannot be tried.
      await storeChanges.run(act).catch(() => undefined);
      await delay(from + random.integer(to - from), undefined, { signal }).catch(() => undefined);
    }
  }
  const kinds = Object.keys(issuers);
  const ended = Promise.all(kinds.map(play)).then(() => undefined);
  async function issueAndWithdraw(kind: string): Promise<void> {
    await issue(kind);
    const credential = credentials.at(-1)!;
    await withdraw(credential);
    if (credential.state !== 'withdrawn') throw new Error(`${kind} ${credential.id} is not withdrawn`);
  }

  async function compareAt(gateway: string, credential: Credential): Promise<string[]> {
    const { kind, id, headers, path, state, refusedBy } = credential;
    if (state === 'unknown' || refusedBy.has(gateway)) return [];
    // Each comes from an address of its own: an address may send few wrong credentials a minute.
    const from = { 'x-forwarded-for': `10.0.0.${credentials.indexOf(credential)}` };
    const { status } = await fetch(gateway + path, {
      headers: { ...headers, ...from },
      signal: AbortSignal.timeout(patienceMs),
    });
    if (state === 'withdrawn' && status === 401) refusedBy.add(gateway);
    return status === (state === 'valid' ? 200 : 401)
      ? []
      : [`${kind} ${id} is ${state}: answered ${status}`];
  }
  return {
    ended,
    count: () => ({
      issued: credentials.length,
      withdrawn: credentials.filter(({ state }) => state === 'withdrawn').length,
    }),
    async withdrawOnceMore() {
      for (const kind of kinds) await eventually(() => issueAndWithdraw(kind), { intervalMs: 500 });
    },
    async compare() {
      const differences: string[] = [];
      for (const gateway of gateways)
        for (const credential of credentials) differences.push(...(await compareAt(gateway, credential)));
      return differences;
    },
  };
}

interface Owner {
  account: Account;
  walletId: string;
}

async function openOwner({ demo, newAccount }: Market): Promise<Owner> {
  const account = await newAccount();
  const executed = await execute(account, (tx) => {
    wallets.share(tx, wallets.create(tx, demo.packages.wallet));
  });
  return { account, walletId: findCreatedObject(executed, '::wallet::Wallet') };
}

function listIssuers({ account, walletId }: Owner): Readonly<Record<string, Issuer>> {
  return {
    'API key': {
      async issue(ask) {
        const fields = { integrator: 'simulated', ratePerMin: 1_000_000 };
        const { id, key } = await readJson(ask('/api/adaptors/keys', buildRequest(fields, asAdmin)));
        return { id, headers: { 'x-api-key': key }, path: '/api/adaptors/webhooks' };
      },
      withdraw: ({ id }, ask) => ask(`/api/adaptors/keys/${id}`, { method: 'DELETE', headers: asAdmin }),
    },
    session: {
      async issue(ask) {
        const headers = await openSession({ ask }, account);
        return { id: account.address, headers, path: '/api/agent/session' };
      },
      withdraw: ({ headers }, ask) => ask('/api/agent/session', { method: 'DELETE', headers }),
    },
    'executor key': {
      async issue(ask) {
        const session = await openSession({ ask }, account);
        const { id, key } = await readJson(ask('/api/agent/keys', buildRequest({ walletId }, session)));
        const headers = { authorization: `Bearer ${key}` };
        return { id, headers, path: `/api/agent/updates?walletId=${walletId}` };
      },
      async withdraw({ id }, ask) {
        const headers = await openSession({ ask }, account);
        return await ask(`/api/agent/keys/${id}`, { method: 'DELETE', headers });
      },
    },
  };
}

async function readJson(asked: Promise<Response>) {
  const answer = await asked;
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return await answer.json();
}
