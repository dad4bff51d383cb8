import type { GrpcTypes } from '@mysten/sui/grpc';
import { LRUCache } from 'lru-cache';
import { formatCoinSymbol, parseTypeName } from '../names/coin-symbol.ts';
import { type Answer, ask } from './answers.ts';
import { callOptions } from './call-options.ts';

/** The part of a `SuiGrpcClient` that reads coin metadata. */
export interface CoinReader {
  stateService: {
    getCoinInfo(
      request: GrpcTypes.GetCoinInfoRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.GetCoinInfoResponse }>;
  };
}

/** The unit in which people read amounts of a coin. */
export interface CoinUnit {
  decimals: number;
  symbol: string;
}

/** A coin's metadata. Strangers choose its words, so they do not identify the coin; only its type does. */
export interface CoinInfo extends CoinUnit {
  /** One line without invisible characters; null if nothing is left. */
  name: string | null;
  /** An `https` or a `data` url of a picture, of at most 96,000 characters; null without one. */
  iconUrl: string | null;
}

/** A cache of coin units. If the node fails, the units of uncached coins are absent. */
export interface CoinUnits {
  /** Returns the units of coin types, from the cache or from the node within the bounds. Other coins are absent. */
  read(coins: Iterable<string>): Promise<Map<string, CoinUnit>>;
}

const cachedMax = 10_000;
/**
 * Lifetime of the entry for a coin without metadata, which may get some later. Without a cache, strangers could make
 * the node answer for it at each request.
 */
const unknownMs = 60_000;
const timeoutMs = 2_000;
/** Maximum number of coins that one call reads from the node. */
const readsMax = 20;
/** Symbols that are shown although strangers chose them: plain ASCII cannot deceive a reader's eye. */
const plainSymbol = /^[A-Za-z0-9._$-]{1,16}$/;
const nameCharactersMax = 64;
const linkLengthMax = 2_048;
/** Longest name that DNS resolves. */
const hostLengthMax = 253;
/** Length of a `data` url of 64 KiB, and some more. */
const dataUrlLengthMax = 96_000;

/** Caches each coin's unit without expiry, since decimals never change. */
export function coinUnits(client: CoinReader): CoinUnits {
  const cache = new LRUCache<string, { unit: CoinUnit | undefined }>({ max: cachedMax });

  async function find(coinType: string): Promise<void> {
    const answer = await readCoinInfo(client, coinType, timeoutMs);
    // A node that fails now may answer at the next request.
    if (answer.status === 'unavailable') return;
    let unit: CoinUnit | undefined;
    if (answer.status === 'found') {
      const { decimals, symbol } = answer.value;
      unit = { decimals, symbol };
    }
    cache.set(coinType, { unit }, unit ? {} : { ttl: unknownMs });
  }

  return {
    async read(coins) {
      const coinTypes = [...new Set(coins)];
      const unknown = coinTypes.filter((coinType) => !cache.has(coinType)).slice(0, readsMax);
      await Promise.all(unknown.map((coinType) => find(coinType)));
      return new Map(
        coinTypes.flatMap((coinType) => {
          const unit = cache.get(coinType)?.unit;
          return unit ? [[coinType, unit] as const] : [];
        }),
      );
    },
  };
}

/** Reads a coin's metadata from the node; `absent` if the coin has none. */
export async function readCoinInfo(
  client: CoinReader,
  coinType: string,
  timeoutMs: number,
): Promise<Answer<CoinInfo>> {
  const answer = await ask(client.stateService.getCoinInfo({ coinType }, callOptions(timeoutMs)));
  if (answer.status !== 'found') return answer;
  const { decimals, symbol, name = '', iconUrl = '' } = answer.value.metadata ?? {};
  // Move stores the decimals in one byte.
  if (decimals === undefined || decimals > 255) {
    return { status: 'absent', reason: `The coin ${coinType} has no metadata.` };
  }
  const shown = symbol && plainSymbol.test(symbol) ? symbol : parseTypeName(coinType);
  const value = { decimals, symbol: shown, name: plainName(name), iconUrl: toIconUrl(iconUrl) };
  return { status: 'found', value };
}

/** Returns a link in the form of the URL parser, with its host in lower-case ASCII. */
function toIconUrl(url: string): string | null {
  if (url.startsWith('data:'))
    return url.length <= dataUrlLengthMax && /^[\x21-\x7e]+$/.test(url) ? url : null;
  if (url.length > linkLengthMax || !url.startsWith('https://')) return null;
  const { href, hostname, username, password } = URL.parse(url) ?? {};
  const isReachable = hostname !== undefined && hostname.length <= hostLengthMax && !username && !password;
  return isReachable && href !== undefined && href.length <= linkLengthMax ? href : null;
}

function plainName(name: string): string | null {
  // Reads more than is shown, because some characters may be invisible. Half of a character that the slice cut is
  // invisible too.
  const start = name.slice(0, 4 * nameCharactersMax);
  const plain = start.replace(/\s+/g, ' ').replace(/\p{C}/gu, '').trim();
  return [...plain].slice(0, nameCharactersMax).join('').trimEnd() || null;
}

/** Base units as people write them: `12500000000` with 9 decimals is `12.5`. */
export function formatUnits(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** `12.5 SUI`, or `12500000000 base units of SUI` if the unit is not known. */
export function describeAmount(coinType: string, amount: string, unit: CoinUnit | undefined): string {
  const name = formatCoinSymbol(coinType, unit);
  return unit ? `${formatUnits(amount, unit.decimals)} ${name}` : `${amount} base units of ${name}`;
}
