import type { Network } from '@adaptor-marketplace/adaptor';
import {
  addKey,
  changeKey,
  type ExecutorKey,
  listKeys,
  operator,
  readKey,
  revokeKeys,
} from '../../../db/queries/agent/access.ts';
import { protocolActions } from '../../../lib/actions/protocol-actions.ts';
import {
  type ActionRequest,
  type ActionStep,
  listSteps,
  stepName,
  sumNamedSpends,
} from '../../../lib/actions/request.ts';
import type { SlotSettings } from '../../../lib/actions/slots.ts';
import {
  allowsAction,
  allowsService,
  describeExcess,
  findCoinExcess,
  narrow,
} from '../../../lib/agent/key-scope.ts';
import {
  type ExecutorKeyBody,
  type ExecutorKeyChange,
  type ExecutorKeysBody,
  executorKeyChange,
  executorKeyRequest,
  executorKeysMax,
  executorKeysRequest,
  type IssuedExecutorKeyBody,
  listMax,
} from '../../../lib/agent/shapes.ts';
import { digestToken, executorKeys, randomId } from '../../../lib/credentials/token.ts';
import { type FieldError, ProblemError, problem } from '../../../lib/errors/index.ts';
import { type Exchange, sendPrivateJson } from '../../../lib/http/exchange.ts';
import { invalidBody, invalidQuery } from '../../../lib/http/parse.ts';
import { route } from '../../../lib/http/route.ts';
import { type Caller, findCallerIfAny, type RouteDependencies, requireWallet } from './caller.ts';
import type { Withdrawals } from './withdrawals.ts';

/** Callers that may issue keys: the operator for every wallet, an owner for their own. */
type Issuer = Extract<Caller, { kind: 'admin' | 'session' }>;

export interface KeyDependencies extends RouteDependencies {
  withdrawals: Withdrawals;
}

const bodyBytesMax = 64_000;

/** @throws ProblemError 401 */
async function requireIssuer(
  exchange: Exchange,
  _parameters: unknown,
  { findCaller }: RouteDependencies,
): Promise<Issuer> {
  const caller = await findCallerIfAny(findCaller, exchange);
  if (caller?.kind === 'admin' || caller?.kind === 'session') return caller;
  throw problem(
    'unauthorized',
    "This path requires a session of the wallet's owner (POST /api/agent/session/nonce), or the admin secret, as the bearer token.",
  );
}

/** Returns the id of the key in the path. @throws ProblemError 404, also if it is for another owner's wallet */
async function requireKey(
  exchange: Exchange,
  { id }: { id: string },
  dependencies: RouteDependencies,
): Promise<string> {
  const issuer = await requireIssuer(exchange, {}, dependencies);
  const key = await readKey(dependencies.db, id);
  if (!key) throw keyNotFound();
  if (issuer.kind === 'session') {
    const wallet = { network: key.network as Network, walletId: key.walletId };
    await requireWallet(dependencies.db, issuer, wallet).catch((error: unknown) => {
      throw error instanceof ProblemError && error.status === 403 ? keyNotFound() : error;
    });
  }
  return key.id;
}

const getKeys = route({
  method: 'get',
  path: '/api/agent/keys',
  query: executorKeysRequest,
  authorize: requireIssuer,
  async handler({ exchange, query, authorized: issuer }, dependencies: RouteDependencies) {
    const { db, now, defaultNetwork } = dependencies;
    const { walletId, network } = query;
    if (issuer.kind === 'session') {
      if (walletId === undefined) {
        throw invalidQuery([{ path: 'query.walletId', message: 'required with a session' }]);
      }
      await requireWallet(db, issuer, { network: network ?? defaultNetwork, walletId });
    }
    const listedNetwork = issuer.kind === 'admin' ? network : (network ?? defaultNetwork);
    const keys = await listKeys(db, { network: listedNetwork, walletId, now: now(), limit: listMax });
    sendPrivateJson<ExecutorKeysBody>(exchange, { count: keys.length, keys: keys.map(toBody) });
  },
});

const postKey = route({
  method: 'post',
  path: '/api/agent/keys',
  body: executorKeyRequest,
  bodyBytesMax,
  authorize: requireIssuer,
  async handler({ exchange, body, authorized: issuer }, dependencies: RouteDependencies) {
    const { db, now, defaultNetwork } = dependencies;
    const { network = defaultNetwork, walletId, label = null, expiresMs = null } = body;
    dependencies.nodes(network);
    if (issuer.kind === 'session') await requireWallet(db, issuer, { network, walletId });
    requireFuture(expiresMs, now());
    const key = executorKeys.make();
    const createdAt = now();
    const fields = {
      id: randomId('exec_'),
      network,
      walletId,
      label,
      scope: toScope(body),
      issuedBy: issuer.kind === 'admin' ? operator : issuer.address,
    };
    const expiresAt = expiresMs === null ? null : new Date(expiresMs);
    const stored = { ...fields, digest: digestToken(key), createdAt, expiresAt };
    if (!(await addKey(db, stored, executorKeysMax))) {
      const detail = `The wallet has ${executorKeysMax} valid executor keys. Revoke one first.`;
      throw problem('too_many_keys', detail);
    }
    const shown = toBody({ ...fields, createdMs: createdAt.getTime(), expiresMs });
    sendPrivateJson(exchange, { key, ...shown } satisfies IssuedExecutorKeyBody);
  },
});

const patchKey = route({
  method: 'patch',
  path: '/api/agent/keys/:id',
  body: executorKeyChange,
  bodyBytesMax,
  authorize: requireKey,
  async handler({ exchange, body, authorized: id }, { db, now, withdrawals }: KeyDependencies) {
    const { expiresMs, label } = body;
    requireFuture(expiresMs ?? null, now());
    const changed = await changeKey(db, id, (key) => {
      const narrowing = narrow({ ...key.scope, expiresMs: key.expiresMs }, { ...toScope(body), expiresMs });
      if (narrowing.kind === 'widened') throw scopeWidened(narrowing.field, narrowing.reason);
      const { expiresMs: end, ...scope } = narrowing.bounds;
      return { label: label ?? key.label, scope, expiresMs: end };
    });
    if (!changed) throw keyNotFound();
    withdrawals.addNarrowed(changed);
    sendPrivateJson(exchange, toBody(changed));
  },
});

const deleteKey = route({
  method: 'delete',
  path: '/api/agent/keys/:id',
  authorize: requireKey,
  async handler({ exchange, authorized: id }, { db, now, withdrawals }: KeyDependencies) {
    const [revoked] = await revokeKeys(db, [id], now());
    if (revoked === undefined) throw keyNotFound();
    withdrawals.addRevoked(id);
    exchange.res.writeHead(204).end();
  },
});

export const keyRoutes = [getKeys, postKey, patchKey, deleteKey];

/** Returns the scope that a body requests. Bounds that the body leaves out are absent. */
const toScope = (body: ExecutorKeyChange): ExecutorKey['scope'] =>
  convertScope(body, (bounds) =>
    Object.fromEntries(bounds.map(({ coinType, amount }) => [coinType, amount])),
  );

interface Scope<CoinBounds> extends Omit<ExecutorKey['scope'], 'maxPerRun' | 'maxPerDay'> {
  maxPerRun?: CoinBounds | undefined;
  maxPerDay?: CoinBounds | undefined;
}

/** Returns the bounds that are set, with those of coins converted. */
function convertScope<From, To>(
  { services, actions, maxPerRun, maxPerDay, unattended }: Scope<From>,
  convert: (bounds: From) => To,
) {
  return {
    ...(services && { services }),
    ...(actions && { actions }),
    ...(maxPerRun && { maxPerRun: convert(maxPerRun) }),
    ...(maxPerDay && { maxPerDay: convert(maxPerDay) }),
    ...(unattended !== undefined && { unattended }),
  };
}

const toBody = ({ network, scope, ...key }: ExecutorKey): ExecutorKeyBody => ({
  ...key,
  network: network as Network,
  ...describeScope(scope),
});

export const describeScope = (scope: ExecutorKey['scope']) =>
  convertScope(scope, (bounds: Record<string, string>) =>
    Object.entries(bounds).map(([coinType, amount]) => ({ coinType, amount })),
  );

function requireFuture(expiresMs: number | null, now: Date): void {
  if (expiresMs === null || expiresMs > now.getTime()) return;
  const message = 'must be in the future; expected milliseconds since the epoch';
  throw invalidBody([{ path: 'body.expiresMs', message }]);
}

const scopeWidened = (field: string, reason: string): ProblemError =>
  problem(
    'scope_widened',
    `${field} would allow more than the key allows: ${reason}. A key can only be narrowed. Issue another key instead.`,
    { errors: [{ path: `body.${field}`, message: reason }] },
  );

const keyNotFound = (): ProblemError =>
  problem('key_not_found', 'You have no executor key with this id. GET /api/agent/keys lists your keys.');

/**
 * Checks a request against the scope of its executor key: the action and the service of every step, and the total of
 * each coin that it names. @throws ProblemError 403 `out_of_scope`
 */
export function requireScope(
  scope: ExecutorKey['scope'],
  request: ActionRequest,
  slots: SlotSettings = {},
): void {
  const isComposed = request.action === 'compose';
  listSteps(request).forEach((step, index) => {
    const path = isComposed ? `body.steps.${index}` : 'body';
    const name = isComposed ? stepName(index, step) : step.action;
    if (!allowsAction(scope, step.action)) {
      const reason = scope.actions
        ? `${name} is not among its actions: ${formatList(scope.actions)}.`
        : `${name} uses no service, so a key with services allows it only if its actions include it.`;
      throw outOfScope(reason, { path: `${path}.action`, message: 'not allowed for this key' });
    }
    if (step.action === 'spend') return;
    const service = findService(step, slots);
    if (!allowsService(scope, service)) {
      const use = service === undefined ? 'uses a slot that is not configured' : `uses ${service}`;
      throw outOfScope(`${name} ${use}, which is not among its services: ${formatList(scope.services)}.`, {
        path: `${path}.adaptor`,
        message: 'not allowed for this key',
      });
    }
  });
  const excess = findCoinExcess(scope, sumNamedSpends(request));
  if (excess) {
    throw outOfScope(`${describeExcess(excess)}.`, {
      path: 'body',
      message: `exceeds ${excess.field} of this key`,
    });
  }
}

/** Returns the service type that a step calls, or `undefined` if no setting fills its slot. */
function findService(
  step: Exclude<ActionStep, { action: 'spend' }>,
  slots: SlotSettings,
): string | undefined {
  if (step.action === 'call') return step.adaptor;
  const requested = 'adaptor' in step ? step.adaptor : undefined;
  return requested ?? slots[protocolActions[step.action].slot]?.serviceType;
}

const formatList = (names: readonly string[] = []) => names.join(', ') || 'none';

const outOfScope = (reason: string, error: FieldError): ProblemError =>
  problem('out_of_scope', `Out of the executor key's scope: ${reason}`, { errors: [error] });
