import type { Network } from '@adaptor-marketplace/adaptor';
import type { Request, Response } from 'express';
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
import type { ActionRequest, ActionStep } from '../../../lib/actions/request.ts';
import { namedSpends, stepsOf } from '../../../lib/actions/requirements.ts';
import { type SlotSettings, slotOf } from '../../../lib/actions/slots.ts';
import {
  allowsAction,
  allowsService,
  type CoinExcess,
  coinExcess,
  narrow,
} from '../../../lib/agent/key-scope.ts';
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
import { type FieldError, type ProblemError, problem } from '../../../lib/errors/index.ts';
import { searchOf } from '../../../lib/http/exchange.ts';
import { parseBody, parseQuery } from '../../../lib/http/parse.ts';
import type { NodeChoice } from '../chain/node.ts';
import { RunFailure } from '../failure.ts';
import { type RouteList, sendJson } from '../server/routes.ts';
import { type Caller, type FindCaller, requireWallet } from './caller.ts';

interface KeyDependencies {
  db: Pool;
  findCaller: FindCaller;
  now: () => Date;
  nodes: NodeChoice;
  /** The network of requests that name none. */
  defaultNetwork: Network;
}

/** Who may issue keys: the operator for every wallet, an owner for their own. */
type Issuer = Extract<Caller, { kind: 'admin' | 'session' }>;

const bodyBytesMax = 64_000;

/** Executor keys: issued, listed, narrowed and revoked by the operator, or by the owner of their wallet. */
export function keyRoutes(router: RouteList, dependencies: KeyDependencies): void {
  router.get('/api/agent/keys', (req, res) => list(dependencies, req, res));
  router.post('/api/agent/keys', (req, res) => issue(dependencies, req, res));
  router.patch('/api/agent/keys/:id', (req, res) => change(dependencies, req, res));
  router.delete('/api/agent/keys/:id', (req, res) => revoke(dependencies, req, res));
}

async function issue(dependencies: KeyDependencies, req: Request, res: Response): Promise<void> {
  const { db, now, defaultNetwork } = dependencies;
  const issuer = await requireIssuer(dependencies, req);
  const asked = await parseBody({ req }, executorKeyRequest, bodyBytesMax);
  const { network = defaultNetwork, walletId, label = null, expiresMs = null } = asked;
  dependencies.nodes(network);
  await requireWalletOf(dependencies, issuer, network, walletId);
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

async function list(dependencies: KeyDependencies, req: Request, res: Response): Promise<void> {
  const { db, now, defaultNetwork } = dependencies;
  const issuer = await requireIssuer(dependencies, req);
  const { walletId, network } = parseQuery(executorKeysRequest, searchOf({ req }));
  if (issuer.kind === 'session') {
    if (walletId === undefined) throw walletIdMissing();
    await requireWalletOf(dependencies, issuer, network ?? defaultNetwork, walletId);
  }
  const ofNetwork = issuer.kind === 'admin' ? network : (network ?? defaultNetwork);
  const keys = await listKeys(db, { network: ofNetwork, walletId, now: now(), limit: listMax });
  sendJson(res, { count: keys.length, keys: keys.map(bodyOf) } satisfies z.infer<typeof executorKeysBody>);
}

async function change(dependencies: KeyDependencies, req: Request, res: Response): Promise<void> {
  const id = await requireKeyOf(dependencies, req);
  const asked = await parseBody({ req }, executorKeyChange, bodyBytesMax);
  const { expiresMs, label } = asked;
  requireFuture(expiresMs ?? null, dependencies.now());
  const changed = await changeKey(dependencies.db, id, (key) => {
    const narrowing = narrow({ ...key.scope, expiresMs: key.expiresMs }, { ...scopeOf(asked), expiresMs });
    if (narrowing.kind === 'widened') throw scopeWidened(narrowing.field, narrowing.reason);
    const { expiresMs: end, ...scope } = narrowing.bounds;
    return { label: label ?? key.label, scope, expiresMs: end };
  });
  if (!changed) throw keyNotFound();
  sendJson(res, bodyOf(changed));
}

async function revoke(dependencies: KeyDependencies, req: Request, res: Response): Promise<void> {
  const id = await requireKeyOf(dependencies, req);
  if (!(await revokeKey(dependencies.db, id, dependencies.now()))) throw keyNotFound();
  res.status(204).end();
}

/** @throws ProblemError 401 */
async function requireIssuer({ findCaller }: KeyDependencies, req: Request): Promise<Issuer> {
  const caller = await findCaller(req);
  if (caller.kind === 'admin' || caller.kind === 'session') return caller;
  throw problem(
    'unauthorized',
    "This path requires a session of the wallet's owner, or the admin secret (authorization: Bearer <secret>).",
  );
}

/** @throws ProblemError 403 where the session's address does not own the wallet */
async function requireWalletOf(
  { db }: KeyDependencies,
  issuer: Issuer,
  network: Network,
  walletId: string,
): Promise<void> {
  if (issuer.kind === 'admin') return;
  const [wallet] = await readWallets(db, [{ network, walletId }]);
  requireWallet(issuer, network, walletId, wallet?.owner);
}

/** The id of the key that the path names. @throws ProblemError 404, also for a key of a wallet of somebody else's */
async function requireKeyOf(dependencies: KeyDependencies, req: Request): Promise<string> {
  const issuer = await requireIssuer(dependencies, req);
  const key = await readKey(dependencies.db, String(req.params.id));
  if (!key) throw keyNotFound();
  if (issuer.kind === 'session') {
    const [wallet] = await readWallets(dependencies.db, [key]);
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
  const message = 'must be in the future; expected milliseconds since the epoch';
  throw problem('invalid_body', `body.expiresMs: ${message}`, {
    errors: [{ path: 'body.expiresMs', message }],
  });
}

const scopeWidened = (field: string, reason: string): ProblemError =>
  problem(
    'scope_widened',
    `${field} would allow more than the key allows: ${reason}. A key can only be narrowed. Issue another key instead.`,
    { errors: [{ path: `body.${field}`, message: reason }] },
  );

const tooManyKeys = (): ProblemError =>
  problem('too_many_keys', `The wallet has ${executorKeysMax} valid executor keys. Revoke one first.`);

function walletIdMissing(): ProblemError {
  const message = 'required with a session';
  return problem('invalid_query', `query.walletId: ${message}`, {
    errors: [{ path: 'query.walletId', message }],
  });
}

const keyNotFound = (): ProblemError =>
  problem('key_not_found', 'You have no executor key with this id. GET /api/agent/keys lists your keys.');

/**
 * Holds a request against the scope of the executor key that it came with: the action and the service of every step,
 * and the sums of the coins that it names.
 * @throws ProblemError 403 `out_of_scope`
 */
export function requireScope(scope: KeyScope, request: ActionRequest, slots: SlotSettings = {}): void {
  const composed = request.action === 'compose';
  stepsOf(request).forEach((step, place) => {
    const at = composed ? `body.steps.${place}` : 'body';
    const name = composed ? `Step ${place + 1} (${step.action})` : step.action;
    if (!allowsAction(scope, step.action)) {
      const reason = scope.actions
        ? `${name} is not among its actions: ${listOf(scope.actions)}.`
        : `${name} uses no service, so a key with services allows it only if its actions include it.`;
      throw outOfScope(reason, { path: `${at}.action`, message: 'not allowed for this key' });
    }
    if (step.action === 'spend') return;
    const service = serviceOf(step, slots);
    if (!allowsService(scope, service)) {
      const goes = service === undefined ? 'uses a slot that is not configured' : `uses ${service}`;
      throw outOfScope(`${name} ${goes}, which is not among its services: ${listOf(scope.services)}.`, {
        ...{ path: `${at}.adaptor`, message: 'not allowed for this key' },
      });
    }
  });
  const excess = coinExcess(scope, namedSpends(request));
  if (excess) {
    throw outOfScope(`${excessWords(excess)}.`, {
      path: 'body',
      message: `exceeds ${excess.field} of this key`,
    });
  }
}

/**
 * Holds what a run takes in all, by coin type in base units, against the scope of its executor key. For all that is
 * found out after the run began: call it before anything is signed.
 * @param scope undefined where no executor key asked for the run
 * @throws RunFailure `out_of_scope`
 */
export function requireWithinKey(scope: KeyScope | undefined, taken: ReadonlyMap<string, bigint>): void {
  const excess = scope && coinExcess(scope, taken);
  if (excess) {
    throw new RunFailure(
      'out_of_scope',
      `Out of the executor key's scope: ${excessWords(excess)}. Nothing was sent.`,
    );
  }
}

/** The service type that a step goes to; undefined where no setting fills its slot. */
function serviceOf(step: Exclude<ActionStep, { action: 'spend' }>, slots: SlotSettings): string | undefined {
  const named = 'adaptor' in step ? step.adaptor : undefined;
  return named ?? slots[slotOf[step.action]]?.serviceType;
}

function excessWords({ field, coinType, amount, most }: CoinExcess): string {
  if (most === undefined) return `it takes ${coinType}, which the key's ${field} does not include`;
  return `it takes ${amount} of ${coinType}, more than the ${most} of the key's ${field}`;
}

const listOf = (names: readonly string[] = []) => names.join(', ') || 'none';

const outOfScope = (reason: string, error: FieldError): ProblemError =>
  problem('out_of_scope', `Out of the executor key's scope: ${reason}`, { errors: [error] });
