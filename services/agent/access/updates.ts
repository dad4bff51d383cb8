import { confirmUpdate, readHeldUpdates } from '../../../db/queries/agent/updates.ts';
import { isRunnable } from '../../../db/queries/catalog/entry.ts';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import { readGrants } from '../../../db/queries/wallets/grants.ts';
import {
  type ConfirmedUpdateBody,
  confirmUpdateRequest,
  type HeldUpdatesBody,
  heldUpdatesRequest,
  listMax,
} from '../../../lib/agent/shapes.ts';
import { problem } from '../../../lib/errors/index.ts';
import { type Exchange, sendPrivateJson } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import { type Caller, findCallerIfAny, type RouteDependencies, requireWallet } from './caller.ts';

/** An executor key acts for the owner, but does not decide what code may do. @throws ProblemError 401 */
async function requireOwner(
  exchange: Exchange,
  _parameters: unknown,
  { findCaller }: RouteDependencies,
): Promise<Extract<Caller, { kind: 'session' }>> {
  const caller = await findCallerIfAny(findCaller, exchange);
  if (caller?.kind === 'session') return caller;
  throw problem(
    'unauthorized',
    "This path requires a session of the wallet's owner. The operator confirms an adaptor for all wallets with POST /api/agent/adaptors.",
  );
}

const getHeldUpdates = route({
  method: 'get',
  path: '/api/agent/updates',
  query: heldUpdatesRequest,
  authorize: (exchange, _parameters, { findCaller }: RouteDependencies) => findCaller(exchange),
  async handler({ exchange, query, authorized: caller }, { db, defaultNetwork }: RouteDependencies) {
    const { network = defaultNetwork, walletId } = query;
    await requireWallet(db, caller, { network, walletId });
    const [grants = []] = await readGrants(db, [{ network, walletId }]);
    const granted = [...new Set(grants.map(({ serviceType }) => serviceType))].sort().slice(0, listMax);
    const entries = await readEntries(
      db,
      granted.map((serviceType) => ({ network, serviceType })),
    );
    const listed = entries.filter(isRunnable);
    const held = await readHeldUpdates(db, { network, walletId }, listed);
    const updates = listed.flatMap(({ serviceType, publisher, version }, index) => {
      const update = held[index];
      return update
        ? [{ serviceType, publisher, version, heldSince: update.version, state: update.state }]
        : [];
    });
    sendPrivateJson<HeldUpdatesBody>(exchange, { count: updates.length, updates });
  },
});

const postConfirmedUpdate = route({
  method: 'post',
  path: '/api/agent/updates',
  body: confirmUpdateRequest,
  authorize: requireOwner,
  async handler(
    { exchange, body, authorized: { address: owner, ...caller } },
    dependencies: RouteDependencies,
  ) {
    const { db, now, defaultNetwork, nodes } = dependencies;
    const { network = defaultNetwork, walletId, serviceType, version } = body;
    nodes(network);
    await requireWallet(db, { ...caller, address: owner }, { network, walletId });
    const [entry] = await readEntries(db, [{ network, serviceType }]);
    if (!isRunnable(entry))
      throw problem(
        'adaptor_not_listed',
        `The catalog of ${network} has no verified adaptor ${serviceType}.`,
      );
    // The listing may have changed since the owner read it.
    if (version !== entry.version)
      throw problem(
        'adaptor_changed',
        `The catalog shows version ${entry.version}. Read it, then confirm that version.`,
      );
    const { publisher } = entry;
    const confirmedAt = now();
    const update = { network, walletId, serviceType, publisher, version };
    await confirmUpdate(db, { ...update, owner, confirmedAt });
    sendPrivateJson<ConfirmedUpdateBody>(exchange, { ...update, confirmedMs: confirmedAt.getTime() });
  },
});

/** Routes by which an owner confirms updates whose code may do more than before. */
export const updateRoutes = [getHeldUpdates, postConfirmedUpdate];
