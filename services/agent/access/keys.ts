import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { Request, Response, Router } from 'express';
import type { Pool } from 'pg';
import type { z } from 'zod';
import {
  addKey,
  changeKey,
  type ExecutorKey,
  listKeys,
  operator,
  readKey,
  revokeKey,
} from '../../../db/queries/agent/access.ts';
import { readWallets } from '../../../db/queries/wallets/wallets.ts';
import type { KeyScope } from '../../../db/schema/agent-access.ts';
import { narrow } from '../../../lib/agent/key-scope.ts';
import {
  type executorKeyBody,
  executorKeyChange,
  executorKeyRequest,
  type executorKeysBody,
  executorKeysMax,
  executorKeysRequest,
  type issuedExecutorKeyBody,
  listMax,
} from '../../../lib/agent/shapes.ts';
import { executorKeys, randomId, tokenDigest } from '../../../lib/credentials/token.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import { parseBody } from '../../../lib/http/body.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import type { NodeChoice } from '../chain/node.ts';
import { sendJson } from '../server/exchange.ts';
import { searchOf } from '../server/search.ts';
import { type Caller, type FindCaller, requireWallet, unauthorized } from './caller.ts';

interface KeyHost {
  db: Pool;
  findCaller: FindCaller;
  now: () => Date;
  nodes: NodeChoice;
  /** Of requests that name none. */
  defaultNetwork: Network;
}

/** Who may issue keys: the operator for every wallet, an owner for their own. */
type Issuer = Extract<Caller, { kind: 'admin' | 'session' }>;

const bodyBytesMax = 64_000;

/** Executor keys: issued, listed, narrowed and revoked by the operator, or by the owner of their wallet. */
export function keyRoutes(router: Router, host: KeyHost): void {
  router.get('/api/agent/keys', (req, res) => list(host, req, res));
  router.post('/api/agent/keys', (req, res) => issue(host, req, res));
  router.patch('/api/agent/keys/:id', (req, res) => change(host, req, res));
  router.delete('/api/agent/keys/:id', (req, res) => revoke(host, req, res));
}

async function issue(host: KeyHost, req: Request, res: Response): Promise<void> {
  const { db, now, defaultNetwork } = host;
  const issuer = await requireIssuer(host, req);
  const asked = await parseBody({ req }, executorKeyRequest, bodyBytesMax);
  const { network = defaultNetwork, walletId, label = null, expiresMs = null } = asked;
  host.nodes(network);
  await requireWalletOf(host, issuer, network, walletId);
  requireFuture(expiresMs, now());
  const key = executorKeys.make();
  const createdAt = now();
  const made = {
    ...{ id: randomId('exec_'), network, walletId, label, scope: scopeOf(asked) },
    issuedBy: issuer.kind === 'admin' ? operator : issuer.address,
  };
  const expiresAt = expiresMs === null ? null : new Date(expiresMs);
  if (!(await addKey(db, { ...made, digest: tokenDigest(key), createdAt, expiresAt }, executorKeysMax))) {
    throw tooManyKeys();
  }
  const shown = bodyOf({ ...made, createdMs: createdAt.getTime(), expiresMs });
  sendJson(res, { key, ...shown } satisfies z.infer<typeof issuedExecutorKeyBody>);
}

async function list(host: KeyHost, req: Request, res: Response): Promise<void> {
  const { db, now, defaultNetwork } = host;
  const issuer = await requireIssuer(host, req);
  const { walletId, network } = parseQuery(executorKeysRequest, searchOf(req));
  if (issuer.kind === 'session') {
    if (walletId === undefined) throw walletIdMissing();
    await requireWalletOf(host, issuer, network ?? defaultNetwork, walletId);
  }
  const ofNetwork = issuer.kind === 'admin' ? network : (network ?? defaultNetwork);
  const keys = await listKeys(db, { network: ofNetwork, walletId, now: now(), limit: listMax });
  sendJson(res, { count: keys.length, keys: keys.map(bodyOf) } satisfies z.infer<typeof executorKeysBody>);
}

async function change(host: KeyHost, req: Request, res: Response): Promise<void> {
  const id = await requireKeyOf(host, req);
  const asked = await parseBody({ req }, executorKeyChange, bodyBytesMax);
  const { expiresMs, label } = asked;
  requireFuture(expiresMs ?? null, host.now());
  const changed = await changeKey(host.db, id, (key) => {
    const narrowing = narrow({ ...key.scope, expiresMs: key.expiresMs }, { ...scopeOf(asked), expiresMs });
    if (narrowing.kind === 'widened') throw scopeWidened(narrowing.field, narrowing.reason);
    const { expiresMs: end, ...scope } = narrowing.bounds;
    return { label: label ?? key.label, scope, expiresMs: end };
  });
  if (!changed) throw keyNotFound();
  sendJson(res, bodyOf(changed));
}

async function revoke(host: KeyHost, req: Request, res: Response): Promise<void> {
  const id = await requireKeyOf(host, req);
  if (!(await revokeKey(host.db, id, host.now()))) throw keyNotFound();
  res.status(204).end();
}

/** @throws ProblemError 401 */
async function requireIssuer({ findCaller }: KeyHost, req: Request): Promise<Issuer> {
  const caller = await findCaller(req);
  if (caller.kind === 'admin' || caller.kind === 'session') return caller;
  throw unauthorized(
    'unauthorized',
    "This path needs a session of the wallet's owner, or the host's admin secret (authorization: Bearer <secret>).",
  );
}

/** @throws ProblemError 403 where the session's address does not own the wallet */
async function requireWalletOf(
  { db }: KeyHost,
  issuer: Issuer,
  network: Network,
  walletId: string,
): Promise<void> {
  if (issuer.kind === 'admin') return;
  const [wallet] = await readWallets(db, [{ network, walletId }]);
  requireWallet(issuer, network, walletId, wallet?.owner);
}

/** The id of the key that the path names. @throws ProblemError 404, also for a key of a wallet of somebody else's */
async function requireKeyOf(host: KeyHost, req: Request): Promise<string> {
  const issuer = await requireIssuer(host, req);
  const key = await readKey(host.db, String(req.params.id));
  if (!key) throw keyNotFound();
  if (issuer.kind === 'session') {
    const [wallet] = await readWallets(host.db, [key]);
    if (wallet?.owner !== issuer.address) throw keyNotFound();
  }
  return key.id;
}

type Bounds = Partial<
  Pick<z.infer<typeof executorKeyChange>, 'services' | 'actions' | 'maxPerRun' | 'maxPerDay'>
>;

/** The scope that a body asks for; what it leaves out is absent. */
function scopeOf({ services, actions, maxPerRun, maxPerDay }: Bounds): KeyScope {
  const byCoin = (bounds: NonNullable<Bounds['maxPerRun']>) =>
    Object.fromEntries(bounds.map(({ coinType, amount }) => [coinType, amount]));
  return {
    ...(services && { services }),
    ...(actions && { actions }),
    ...(maxPerRun && { maxPerRun: byCoin(maxPerRun) }),
    ...(maxPerDay && { maxPerDay: byCoin(maxPerDay) }),
  };
}

/** A key as its issuer sees it. */
function bodyOf({ network, scope, ...key }: ExecutorKey): z.infer<typeof executorKeyBody> {
  const { services, actions, maxPerRun, maxPerDay } = scope;
  const listed = (bounds: Record<string, string>) =>
    Object.entries(bounds).map(([coinType, amount]) => ({ coinType, amount }));
  return {
    ...{ ...key, network: network as Network },
    ...(services && { services }),
    ...(actions && { actions }),
    ...(maxPerRun && { maxPerRun: listed(maxPerRun) }),
    ...(maxPerDay && { maxPerDay: listed(maxPerDay) }),
  };
}

function requireFuture(expiresMs: number | null, now: Date): void {
  if (expiresMs === null || expiresMs > now.getTime()) return;
  const message = 'is in the past; it is in milliseconds since the epoch';
  throw new ProblemError({
    ...{ status: 400, code: 'invalid_body', title: 'Invalid body', detail: `body.expiresMs: ${message}` },
    errors: [{ path: 'body.expiresMs', message }],
  });
}

function scopeWidened(field: string, reason: string): ProblemError {
  return new ProblemError({
    ...{ status: 422, code: 'scope_widened', title: 'Scope widened' },
    detail: `${field} would allow more than the key may do: ${reason}. A key is only narrowed; issue another one instead.`,
    errors: [{ path: `body.${field}`, message: reason }],
  });
}

function tooManyKeys(): ProblemError {
  return new ProblemError({
    ...{ status: 409, code: 'too_many_keys', title: 'Too many keys' },
    detail: `The wallet has ${executorKeysMax} executor keys that work; revoke one first.`,
  });
}

function walletIdMissing(): ProblemError {
  const message = 'is needed with a session';
  return new ProblemError({
    ...{ status: 400, code: 'invalid_query', title: 'Invalid query', detail: `query.walletId: ${message}` },
    errors: [{ path: 'query.walletId', message }],
  });
}

function keyNotFound(): ProblemError {
  const detail = 'There is no executor key of this id for you; GET /api/agent/keys lists those there are.';
  return new ProblemError({ status: 404, code: 'key_not_found', title: 'Not found', detail });
}
