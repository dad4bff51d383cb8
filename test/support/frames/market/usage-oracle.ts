import { registryEvents } from '../../../../lib/chain/events/registry.ts';
import type { GeneratedChain } from '../chain.ts';
import { type DecodedEvent, decodedEvents, packageIds } from '../packages.ts';
import type { MarketTables } from './tables.ts';

/** All tables that count use. */
export const usageTables = [
  'service_actions',
  'service_vaults',
  'service_usage',
  'service_actors',
  'service_days',
  'service_coin_days',
] as const;

/**
 * The events that count as use of a service: the field with the moved amount (empty if there is none), and the fields
 * with the addresses.
 */
const uses: Record<string, { amount: string; actors: string[] }> = {
  'intent::PaymentValidated': { amount: 'amount', actors: ['payer', 'sender'] },
  'intent::SwapValidated': { amount: 'amountIn', actors: ['spender'] },
  'wallet::CoinWithdrawn': { amount: 'amount', actors: [] },
  'wallet::CoinDeposited': { amount: 'amount', actors: [] },
  'delegate::ServiceAllowanceDebited': { amount: '', actors: ['spender'] },
};

/** Counts use from the chain's events: one (transaction, wallet, service) after another. */
export function expectedUsage(
  walletEvents: readonly DecodedEvent[],
): Pick<MarketTables, (typeof usageTables)[number]> {
  const owners = new Map<string, string>();
  const actions = new Map<string, Record<string, unknown> & { actors: Set<string>; moved: Moved[] }>();
  const named = new Map<string, Set<string>>();
  const senders = new Map<string, string>();
  const debits = new Set<string>();
  for (const { name, fields, digest, sender, at, ...position } of walletEvents) {
    if (name === 'wallet::WalletCreated' || name === 'wallet::OwnerChanged') {
      owners.set(fields.walletId, fields.owner);
    }
    const use = uses[name];
    if (!use || fields.service === null) continue;
    if (fields.service === `${packageIds.wallet}::wallet::PolicySpend`) continue;
    const key = `${digest} ${fields.walletId} ${fields.service}`;
    const actors = named.get(key) ?? new Set();
    named.set(key, actors);
    for (const field of use.actors) if (fields[field]) actors.add(fields[field]);
    if (name === 'delegate::ServiceAllowanceDebited') debits.add(`${key} ${fields.spender}`);
    if (use.amount === '' || fields[use.amount] === '0') continue;
    const moved = name.startsWith('wallet::Coin')
      ? [{ coin: fields.coin, amount: BigInt(fields.amount), isTaken: name === 'wallet::CoinWithdrawn' }]
      : [];
    if (actions.has(key)) {
      actions.get(key)!.moved.push(...moved);
      continue;
    }
    const owner = owners.get(fields.walletId);
    actors.add(sender);
    if (owner) actors.add(owner);
    const { checkpoint, txIndex: tx_index, eventIndex: event_index } = position;
    const identity = { service_type: fields.service, wallet_id: fields.walletId, owner: owner ?? null };
    senders.set(key, sender);
    actions.set(key, { checkpoint, tx_index, event_index, ...identity, actors, moved, timestamp: at });
  }
  for (const [key, action] of actions) {
    const byDelegate = debits.has(`${key} ${senders.get(key)}`) ? 'delegate' : null;
    action.signed_by = senders.get(key) === action.owner ? 'owner' : byDelegate;
  }
  const all = [...actions.values()];
  const byService = Map.groupBy(all, (action) => action.service_type as string);
  const byVault = Map.groupBy(all, (action) => `${action.service_type} ${action.wallet_id}`);
  const last = (group: typeof all) => Math.max(...group.map((action) => action.timestamp as number));
  const firsts = new Map<string, Record<string, unknown>>();
  for (const { service_type, actors, checkpoint, tx_index, event_index } of all) {
    for (const actor of actors) {
      const first = { service_type, actor, checkpoint, tx_index, event_index };
      if (!firsts.has(`${service_type} ${actor}`)) firsts.set(`${service_type} ${actor}`, first);
    }
  }
  const formatDay = ({ timestamp }: (typeof all)[number]) =>
    new Date(timestamp as number).toISOString().slice(0, 10);
  const byDay = Map.groupBy(all, (action) => `${action.service_type} ${formatDay(action)}`);
  return {
    service_actions: all.map(({ moved, actors, ...action }) => ({
      ...action,
      actors: [...actors].sort(),
      ...toColumns(sumByCoin(moved)),
    })),
    service_days: [...byDay.values()].map((group) => ({
      service_type: group[0]!.service_type,
      day: formatDay(group[0]!),
      actions: group.length,
      wallets: new Set(group.map((action) => action.wallet_id)).size,
    })),
    service_coin_days: [...byDay.values()].flatMap((group) =>
      sumByCoin(group.flatMap(({ moved }) => moved)).map(({ coin, taken, brought }) => ({
        service_type: group[0]!.service_type,
        day: formatDay(group[0]!),
        coin,
        actions: group.filter(({ moved }) => moved.some((one) => one.coin === coin)).length,
        taken,
        brought,
      })),
    ),
    service_vaults: [...byVault.values()].map((group) => ({
      service_type: group[0]!.service_type,
      wallet_id: group[0]!.wallet_id,
      actions: group.length,
      last_action_at: last(group),
    })),
    service_usage: [...byService].map(([service_type, group]) => ({
      service_type,
      actions: group.length,
      unique_vaults: new Set(group.map((action) => action.wallet_id)).size,
      last_action_at: last(group),
    })),
    service_actors: [...firsts.values()],
  };
}

interface Moved {
  coin: string;
  amount: bigint;
  isTaken: boolean;
}

/** Sums by coin, sorted by the coins' names. */
function sumByCoin(moved: readonly Moved[]) {
  const sum = (of: readonly Moved[]) => String(of.reduce((total, { amount }) => total + amount, 0n));
  return [...Map.groupBy(moved, ({ coin }) => coin)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([coin, all]) => ({
      coin,
      taken: sum(all.filter(({ isTaken }) => isTaken)),
      brought: sum(all.filter(({ isTaken }) => !isTaken)),
    }));
}

const toColumns = (totals: ReturnType<typeof sumByCoin>) => ({
  coins: totals.map(({ coin }) => coin),
  taken: totals.map(({ taken }) => taken),
  brought: totals.map(({ brought }) => brought),
});

type Position = [checkpoint: number, txIndex: number, eventIndex: number];

const isBefore = (a: Position, b: Position) => (a[0] - b[0] || a[1] - b[1] || a[2] - b[2]) < 0;

interface Reviews {
  serviceType: string;
  reviews: number;
  verified: number;
  /** Average of the verified reviews, rounded to two decimals; null if there are none. */
  verifiedAverage: string | null;
}

/** Counts the reviews of each registered service from the chain's events. */
export function expectedReviews(chain: GeneratedChain): Reviews[] {
  const registered = new Map<string, Position>();
  const latest = new Map<string, Map<string, { position: Position; score: number }>>();
  for (const { checkpoint, txIndex, events } of chain.transactions) {
    for (const [eventIndex, { type, contents }] of events.entries()) {
      const position: Position = [checkpoint, txIndex, eventIndex];
      if (type === `${chain.registryPackageId}::registry::Registered`) {
        const { serviceType } = registryEvents.decode('Registered', contents);
        if (!registered.has(serviceType)) registered.set(serviceType, position);
      } else if (type === `${chain.registryPackageId}::registry::Attested`) {
        const { serviceType, attester, score } = registryEvents.decode('Attested', contents);
        if (!latest.has(serviceType)) latest.set(serviceType, new Map());
        if (registered.has(serviceType)) latest.get(serviceType)!.set(attester, { position, score });
      }
    }
  }
  const firstActions = new Map(
    expectedUsage([...decodedEvents(chain, 'wallet')]).service_actors.map((row): [string, Position] => [
      `${row.service_type} ${row.actor}`,
      [row.checkpoint as number, row.tx_index as number, row.event_index as number],
    ]),
  );
  return [...registered.keys()].sort().map((serviceType) => {
    const reviews = [...(latest.get(serviceType) ?? [])];
    const scores = reviews.flatMap(([attester, { position, score }]) => {
      const first = firstActions.get(`${serviceType} ${attester}`);
      return first && isBefore(first, position) ? [score] : [];
    });
    const sum = scores.reduce((total, score) => total + score, 0);
    const verifiedAverage = scores.length === 0 ? null : (sum / scores.length).toFixed(2);
    return { serviceType, reviews: reviews.length, verified: scores.length, verifiedAverage };
  });
}

/** Adds up the attestations of each service by the day from the chain's events, sorted by service and day. */
export function expectedRatingDays(
  chain: GeneratedChain,
): { serviceType: string; day: string; ratings: number; scoreSum: number }[] {
  const days = new Map<string, { serviceType: string; day: string; ratings: number; scoreSum: number }>();
  for (const { events, timestampMs } of chain.transactions) {
    for (const { type, contents } of events) {
      if (type !== `${chain.registryPackageId}::registry::Attested`) continue;
      const { serviceType, score } = registryEvents.decode('Attested', contents);
      const day = new Date(timestampMs).toISOString().slice(0, 10);
      const before = days.get(`${serviceType} ${day}`) ?? { serviceType, day, ratings: 0, scoreSum: 0 };
      const { ratings, scoreSum } = before;
      days.set(`${serviceType} ${day}`, {
        serviceType,
        day,
        ratings: ratings + 1,
        scoreSum: scoreSum + score,
      });
    }
  }
  return [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day);
}
