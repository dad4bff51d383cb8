import type { GrpcTypes } from '@mysten/sui/grpc';
import { LRUCache } from 'lru-cache';
import { ask } from './answers.ts';
import { callOptions } from './call-options.ts';

/** The part of a `SuiGrpcClient` that knows coins. */
export interface CoinReader {
  stateService: {
    getCoinInfo(
      request: GrpcTypes.GetCoinInfoRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.GetCoinInfoResponse }>;
  };
}

/** How amounts of a coin are shown to people. */
export interface CoinUnit {
  decimals: number;
  symbol: string;
}

export interface CoinUnits {
  /** The units of coin types, as far as known or found within the bounds; the others are absent. */
  read(coins: Iterable<string>): Promise<Map<string, CoinUnit>>;
}

const cachedMax = 10_000;
/** A coin without metadata may get some; asking at each request would let strangers wear out the node. */
const unknownMs = 60_000;
const timeoutMs = 2_000;
const asksMax = 20;
/** What a stranger may call a coin without deceiving a reader's eye. */
const plainSymbol = /^[A-Za-z0-9._$-]{1,16}$/;

/** Asks the node once for each coin, since decimals never change. */
export function coinUnits(client: CoinReader): CoinUnits {
  const cache = new LRUCache<string, { unit: CoinUnit | undefined }>({ max: cachedMax });

  async function find(coinType: string): Promise<void> {
    const answer = await ask(client.stateService.getCoinInfo({ coinType }, callOptions(timeoutMs)));
    // A node that fails now may answer at the next request.
    if (answer.status === 'unavailable') return;
    const unit = answer.status === 'found' ? unitOf(coinType, answer.value.metadata) : undefined;
    cache.set(coinType, { unit }, unit ? {} : { ttl: unknownMs });
  }

  return {
    async read(coins) {
      const asked = [...new Set(coins)];
      const unknown = asked.filter((coin) => !cache.has(coin)).slice(0, asksMax);
      await Promise.all(unknown.map((coin) => find(coin)));
      return new Map(
        asked.flatMap((coin) => {
          const unit = cache.get(coin)?.unit;
          return unit ? [[coin, unit] as const] : [];
        }),
      );
    },
  };
}

function unitOf(coinType: string, metadata: GrpcTypes.CoinMetadata | undefined): CoinUnit | undefined {
  const { decimals, symbol } = metadata ?? {};
  // Move holds them in a byte.
  if (decimals === undefined || decimals > 255) return undefined;
  return { decimals, symbol: symbol && plainSymbol.test(symbol) ? symbol : nameOfType(coinType) };
}

/** `SUI` of `0x…::sui::SUI`; type parameters stay out. */
export function nameOfType(type: string): string {
  const generic = type.indexOf('<');
  const plain = generic < 0 ? type : type.slice(0, generic);
  return plain.slice(plain.lastIndexOf(':') + 1);
}

/** Base units as people write them: `12500000000` with 9 decimals is `12.5`. */
export function inUnits(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** `12.5 SUI`, or `12500000000 base units of SUI` where the coin's decimals are not known. */
export function amountInWords(coinType: string, amount: string, unit: CoinUnit | undefined): string {
  return unit
    ? `${inUnits(amount, unit.decimals)} ${unit.symbol}`
    : `${amount} base units of ${nameOfType(coinType)}`;
}
