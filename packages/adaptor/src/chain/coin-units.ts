import type { GrpcTypes } from '@mysten/sui/grpc';
import { LRUCache } from 'lru-cache';
import { type Answer, ask } from './answers.ts';
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

/** What a coin says of itself. A stranger chose the words: they do not tell which coin it is, its type does. */
export interface CoinInfo extends CoinUnit {
  /** One line without characters that are not seen; null where nothing is left. */
  name: string | null;
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
const nameCharactersMax = 64;

/** Asks the node once for each coin, since decimals never change. */
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

/** Asks the node for a coin's metadata; absent where it has none. */
export async function readCoinInfo(
  client: CoinReader,
  coinType: string,
  timeoutMs: number,
): Promise<Answer<CoinInfo>> {
  const answer = await ask(client.stateService.getCoinInfo({ coinType }, callOptions(timeoutMs)));
  if (answer.status !== 'found') return answer;
  const { decimals, symbol, name = '' } = answer.value.metadata ?? {};
  // Move holds them in a byte.
  if (decimals === undefined || decimals > 255) {
    return { status: 'absent', reason: `The coin ${coinType} has no metadata.` };
  }
  const shown = symbol && plainSymbol.test(symbol) ? symbol : nameOfType(coinType);
  return { status: 'found', value: { decimals, symbol: shown, name: plainName(name) } };
}

function plainName(name: string): string | null {
  // More than is shown, in case some of it is not seen. Half of a character that was cut is one of those.
  const start = name.slice(0, 4 * nameCharactersMax);
  const plain = start.replace(/\s+/g, ' ').replace(/\p{C}/gu, '').trim();
  return [...plain].slice(0, nameCharactersMax).join('').trimEnd() || null;
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
