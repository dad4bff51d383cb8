import type { ClientBase } from 'pg';
import { copyUsage } from '../../../db/queries/catalog/counts.ts';
import { addOwners } from '../../../db/queries/catalog/credits.ts';
import { hasDueCredits } from '../../../db/queries/catalog/due-credits.ts';
import { addActors } from '../../../db/queries/catalog/fold-reviews.ts';
import { refreshRanks } from '../../../db/queries/catalog/ranks.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import { addCoins } from '../../../db/queries/coins.ts';
import {
  addUsage,
  type MovedAmounts,
  type NewAction,
  appendActions as storeActions,
} from '../../../db/queries/usage.ts';
import { insertWallets, updateWallets, type WalletChange } from '../../../db/queries/wallets/wallets.ts';
import { type WalletEvents, walletEvents } from '../../../lib/chain/events/wallet.ts';
import { type Append, type ChainEvent, type DecodedEvent, decodeForStorage, type Source } from './source.ts';
import { findRankingEvents, foldRanking, type OwnersBefore, readOwnersBefore } from './wallet-owners.ts';
import { foldCaps, foldPolicies, foldPolicyRules } from './wallet-policies.ts';
import { foldDelegates, foldGrants } from './wallet-spending.ts';

type WalletEvent = DecodedEvent<WalletEvents>;
type Event = ChainEvent<WalletEvent>;

/**
 * Wallets: their grants to services, delegates and caps, and the use of services. The state of wallets is folded batch
 * by batch, each row once. Use only grows, and is added up when a batch is settled.
 */
export const walletSource: Source<WalletEvent> = {
  name: 'wallet',

  packages: ({ walletPackageId: packageId }) =>
    packageId === undefined
      ? []
      : [
          {
            packageId,
            setting: 'WALLET_PACKAGE_ID',
            modules: walletEvents.modules,
          },
        ],

  decode: (path, contents) => decodeForStorage(walletEvents, path, contents),

  async append(client, network, events) {
    const actions = deriveActions(events);
    // Before the wallets are updated: each action, payment and link counts for the owner at its moment.
    const ownerEvents = [...actions.map(({ at }) => at), ...findRankingEvents(events)];
    const owners = await readOwnersBefore(client, network, events, ownerEvents);
    await appendActions(client, network, actions, owners);
    const folds = [foldWallets, foldGrants, foldDelegates, foldPolicies, foldPolicyRules, foldCaps];
    for (const fold of folds) await fold(client, network, events);
    await addCoins(client, network, collectCoins(events, actions));
    // At the end: this may lock the catalog.
    await foldRanking(client, network, events, owners);
  },

  settledTables: ['service_actions'],

  async settle(client, network, from, before) {
    const services = await addUsage(client, network, from, before);
    if (services.length === 0 && !(await hasDueCredits(client, network))) return;
    const catalog = await lockCatalog(client, network);
    await copyUsage(client, catalog, services);
    await addActors(client, catalog, from, before);
    await addOwners(client, catalog, from, before);
    await refreshRanks(client, catalog);
  },
};

/** Collects the coins that the actions moved, and those that the events let others spend. */
function collectCoins(events: readonly Event[], actions: readonly Action[]): Set<string> {
  const coins = new Set(actions.flatMap((action) => [...action.coins.keys()]));
  for (const { data } of events) {
    switch (data?.name) {
      case 'wallet::ServiceGranted':
      case 'wallet::ServicePullGranted':
      case 'delegate::CoinAllowanceChanged':
        coins.add(data.fields.coin);
    }
  }
  return coins;
}

interface Change extends WalletChange {
  created?: Event;
  identity?: string;
}

/** Updates `wallets` with events in chain order. */
const foldWallets: Append<WalletEvent> = async (client, network, events) => {
  const changes = new Map<string, Change>();
  const getChange = (walletId: string) => {
    const change = changes.get(walletId) ?? { walletId };
    changes.set(walletId, change);
    return change;
  };
  for (const event of events) {
    switch (event.data?.name) {
      case 'wallet::WalletCreated': {
        const { walletId, owner, signerAddress } = event.data.fields;
        Object.assign(getChange(walletId), { created: event, owner, identity: signerAddress });
        break;
      }
      case 'wallet::OwnerChanged':
        getChange(event.data.fields.walletId).owner = event.data.fields.owner;
        break;
      case 'wallet::WalletPauseChanged':
        getChange(event.data.fields.walletId).paused = event.data.fields.paused;
        break;
    }
  }
  const all = [...changes.values()];
  await insertWallets(
    client,
    network,
    all.flatMap(({ walletId, created, owner = '', identity = '', paused = false }) =>
      created ? [{ walletId, created, owner, identity, paused }] : [],
    ),
  );
  await updateWallets(
    client,
    network,
    all.filter(({ created }) => !created),
  );
};

/** Counted use: a distinct (transaction, wallet, service), at the position of its first event. */
interface Action extends Omit<NewAction, 'owner' | 'signedBy'> {
  at: Event;
  actors: Set<string>;
  /** Delegates whose budget it debited. */
  debited: Set<string>;
  coins: Map<string, MovedAmounts>;
}

/**
 * Returns the use of services in the events. A service is used if it is paid, swapped with, takes a coin out of a
 * wallet or puts one in, of a positive amount. A policy spend is not a use of a service.
 */
function deriveActions(events: readonly Event[]): Action[] {
  const actions: Action[] = [];
  let inTransaction = new Map<string, Action>();
  /**
   * Addresses that acted in this transaction, by wallet and service, and delegates whose budgets it debited: this happens
   * before the coin leaves.
   */
  let actingByService = new Map<string, Pick<Action, 'actors' | 'debited'>>();
  let digest = '';
  for (const event of events) {
    const { data } = event;
    if (!data) continue;
    if (event.txDigest !== digest) {
      digest = event.txDigest;
      inTransaction = new Map();
      actingByService = new Map();
    }
    const use = deriveUse(event);
    if (!use) continue;
    const key = `${use.walletId} ${use.service}`;
    const known = inTransaction.get(key);
    const { actors, debited } = actingByService.get(key) ?? {
      actors: new Set([event.sender]),
      debited: new Set(),
    };
    for (const actor of use.actors) actors.add(actor);
    if (data.name === 'delegate::ServiceAllowanceDebited') debited.add(data.fields.spender);
    actingByService.set(key, { actors, debited });
    if (!use.counts) continue;
    const action = known ?? {
      at: event,
      walletId: use.walletId,
      service: use.service,
      actors,
      debited,
      coins: new Map(),
    };
    if (use.moved) addMoved(action.coins, use.moved);
    if (known) continue;
    inTransaction.set(key, action);
    actions.push(action);
  }
  return actions;
}

function addMoved(
  coins: Map<string, MovedAmounts>,
  { coin, taken, brought }: MovedAmounts & { coin: string },
) {
  const before = coins.get(coin);
  coins.set(coin, { taken: taken + (before?.taken ?? 0n), brought: brought + (before?.brought ?? 0n) });
}

interface ServiceUse {
  walletId: string;
  service: string;
  actors: string[];
  /** `true` if the event counts as use. Otherwise it only names the actors. */
  counts: boolean;
  /**
   * Amounts that moved. Every coin that a service moves leaves or enters the wallet in one event; the other events give
   * the reason.
   */
  moved?: MovedAmounts & { coin: string };
}

function deriveUse({ data, type }: Event): ServiceUse | undefined {
  switch (data?.name) {
    case 'intent::PaymentValidated': {
      const { walletId, service, payer, sender, amount } = data.fields;
      const actors = [payer, sender].filter((actor) => typeof actor === 'string');
      return { walletId, service, actors, counts: amount !== '0' };
    }
    case 'intent::SwapValidated': {
      const { walletId, service, spender, amountIn } = data.fields;
      return { walletId, service, actors: [spender], counts: amountIn !== '0' };
    }
    case 'wallet::CoinWithdrawn':
    case 'wallet::CoinDeposited': {
      const { walletId, service, coin, amount } = data.fields;
      if (service === null || service === buildPolicySpendType(type)) return undefined;
      const isTaken = data.name === 'wallet::CoinWithdrawn';
      const moved = { coin, taken: isTaken ? BigInt(amount) : 0n, brought: isTaken ? 0n : BigInt(amount) };
      return { walletId, service, actors: [], counts: amount !== '0', moved };
    }
    case 'delegate::ServiceAllowanceDebited': {
      const { walletId, service, spender } = data.fields;
      return { walletId, service, actors: [spender], counts: false };
    }
    default:
      return undefined;
  }
}

/** Returns the type that the wallet package uses as the service when a policy pays: `0x…::wallet::PolicySpend`. */
function buildPolicySpendType(eventType: string): string {
  return eventType.replace(/::\w+$/, '::PolicySpend');
}

/** Stores the use of services in the events. The owner of a wallet at the moment of an action is among its actors. */
async function appendActions(
  client: ClientBase,
  network: string,
  actions: readonly Action[],
  owners: OwnersBefore,
) {
  await storeActions(
    client,
    network,
    actions.map(({ actors, debited, ...action }) => {
      const owner = owners.get(action.at);
      const signedBy = findSigner(action.at.sender, owner, debited);
      return {
        ...action,
        owner,
        signedBy,
        actors: owner === undefined ? actors : actors.union(new Set([owner])),
      };
    }),
  );
}

function findSigner(
  sender: string,
  owner: string | undefined,
  debited: ReadonlySet<string>,
): NewAction['signedBy'] {
  if (sender === owner) return 'owner';
  return debited.has(sender) ? 'delegate' : null;
}
