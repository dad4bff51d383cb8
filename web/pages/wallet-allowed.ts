import { formatCoinSymbol } from '@adaptor-marketplace/adaptor/names';
import type { State } from '../components/marks.ts';
import { nameType } from '../components/type-names.ts';
import type { CoinInfo } from '../components/values.ts';
import { isUnlimited } from '../words/allowance.ts';

/** A grant of the wallet to a service, of one coin. */
export interface Grant {
  serviceType: string;
  coin: string;
  coinInfo: CoinInfo | null;
  /** Base units. Null: the wallet's package does not limit grants. */
  allowance: string | null;
  pullCap: string | null;
  grantedMs: number;
  adaptor: {
    publisher: string;
    publisherVerified: boolean;
    version: number;
    manifest: { name: string; deprecated: string | null };
    warnings: readonly unknown[];
  } | null;
  listing: { state: string; reason: string | null; sinceMs: number | null } | null;
}

export const nameService = ({ adaptor, serviceType }: Grant): string =>
  adaptor?.manifest.name ?? nameType(serviceType);

/** Use of a service by the wallet, as far as the page reads it. */
interface ServiceUse {
  /** Undefined: no use is known. */
  lastMs: number | undefined;
  /** The wallet has not used it for 30 days, and granted it before. */
  isUnused: boolean;
  /** `true` if the page read all uses of the wallet. */
  isComplete: boolean;
}

/** A service with all that it may take. Revoking ends all grants to a service at once. */
export interface AllowedService extends ServiceUse {
  serviceType: string;
  name: string;
  grants: readonly Grant[];
  grantedMs: number;
  flags: readonly Flag[];
}

interface Flag {
  /** Services with flags of more weight come first. */
  weight: number;
  state: State;
  word: string;
}

const listingFlags: Record<string, Flag> = {
  QUARANTINED: { weight: 8, state: 'danger', word: 'In quarantine' },
  REPLACED: { weight: 2, state: 'caution', word: 'Replaced by a later version' },
  UNLISTED: { weight: 2, state: 'caution', word: 'Unlisted' },
};

/** Returns the change of the listing since the oldest of the grants, which has seen all of them. */
export const findListingChange = (grants: readonly Grant[]): Grant['listing'] =>
  grants.reduce((a, b) => (b.grantedMs < a.grantedMs ? b : a)).listing;

function listFlags(grants: readonly Grant[], { isUnused }: ServiceUse): Flag[] {
  const { adaptor } = grants[0]!;
  const listing = findListingChange(grants);
  const flags: (Flag | false | undefined)[] = [
    listing ? listingFlags[listing.state] : undefined,
    (adaptor?.warnings.length ?? 0) > 0 && { weight: 8, state: 'danger', word: 'Warning about its code' },
    !adaptor && { weight: 4, state: 'caution', word: 'Not in the catalog' },
    adaptor?.publisherVerified === false && { weight: 4, state: 'caution', word: 'Unverified publisher' },
    grants.some(({ allowance }) => isUnlimited(allowance)) && {
      weight: 3,
      state: 'caution',
      word: 'Unlimited',
    },
    adaptor?.manifest.deprecated != null && {
      weight: 1,
      state: 'caution',
      word: 'Deprecated',
    },
    isUnused && { weight: 1, state: 'caution', word: 'Unused for 30 days' },
  ];
  return flags.filter((flag): flag is Flag => Boolean(flag));
}

export function groupByService(
  grants: readonly Grant[],
  findUse: (serviceType: string, grantedMs: number) => ServiceUse,
): AllowedService[] {
  return [...Map.groupBy(grants, ({ serviceType }) => serviceType)].map(([serviceType, own]) => {
    const grantedMs = Math.max(...own.map((grant) => grant.grantedMs));
    const use = findUse(serviceType, grantedMs);
    const name = nameService(own[0]!);
    return { serviceType, name, grants: own, grantedMs, flags: listFlags(own, use), ...use };
  });
}

const weigh = ({ flags }: AllowedService) => flags.reduce((total, { weight }) => total + weight, 0);
const hasUnlimited = ({ grants }: AllowedService) => grants.some(({ allowance }) => isUnlimited(allowance));
const firstSymbol = ({ grants: [first] }: AllowedService) => formatCoinSymbol(first!.coin, first!.coinInfo);

/** Parts of the list that a reader may select, by their name in the url. */
export const shows = {
  all: { label: 'All', includes: () => true },
  risky: { label: 'Risky', includes: (one: AllowedService) => weigh(one) >= 2 },
  unlimited: { label: 'Unlimited', includes: hasUnlimited },
  unused: { label: 'Unused', includes: ({ isUnused }: AllowedService) => isUnused },
} as const;
export type Show = keyof typeof shows;

type Comparison = (a: AllowedService, b: AllowedService) => number;

/** Orders of the list, by their name in the url. */
export const orders = {
  risk: { label: 'Risk', compare: (a, b) => weigh(b) - weigh(a) },
  service: { label: 'Service', compare: () => 0 },
  coin: { label: 'Coin', compare: (a, b) => firstSymbol(a).localeCompare(firstSymbol(b), 'en') },
  granted: { label: 'Granted', compare: (a, b) => b.grantedMs - a.grantedMs },
  used: { label: 'Last used', compare: (a, b) => (b.lastMs ?? 0) - (a.lastMs ?? 0) },
} as const satisfies Record<string, { label: string; compare: Comparison }>;
export type Order = keyof typeof orders;

export interface Selection {
  show: Show;
  order: Order;
  /** Only services that may take this coin. */
  coin: string | undefined;
}

/** Reads the part and the order of the list from a url. Unknown values count as absent. */
export function readSelection(search: URLSearchParams): Selection {
  const [show, order] = [search.get('show') ?? '', search.get('sort') ?? ''];
  return {
    show: Object.hasOwn(shows, show) ? (show as Show) : 'all',
    order: Object.hasOwn(orders, order) ? (order as Order) : 'risk',
    coin: search.get('coin') ?? undefined,
  };
}

/** Returns the selected services in the selected order; those that are equal in it by name. */
export function selectServices(
  services: readonly AllowedService[],
  { show, order, coin }: Selection,
): AllowedService[] {
  return services
    .filter((one) => shows[show].includes(one))
    .filter(({ grants }) => coin === undefined || grants.some((grant) => grant.coin === coin))
    .toSorted((a, b) => orders[order].compare(a, b) || a.name.localeCompare(b.name, 'en'));
}

/** Amounts of a coin that services may take in total. */
interface Exposure {
  coin: string;
  coinInfo: CoinInfo | null;
  /** Sum of the limited allowances, in base units. */
  limited: bigint;
  services: number;
  /** Services that may take all of the coin. */
  unlimited: number;
}

/** Adds up the grants by coin: coins without a limit first, then those of most services. */
export function sumExposure(grants: readonly Grant[]): Exposure[] {
  return [...Map.groupBy(grants, ({ coin }) => coin)]
    .map(([coin, own]) => {
      const limited = own.filter(({ allowance }) => !isUnlimited(allowance));
      return {
        coin,
        coinInfo: own[0]!.coinInfo,
        limited: limited.reduce((total, { allowance }) => total + BigInt(allowance ?? 0), 0n),
        services: own.length,
        unlimited: own.length - limited.length,
      };
    })
    .toSorted((a, b) => b.unlimited - a.unlimited || b.services - a.services || (a.coin < b.coin ? -1 : 1));
}
