import { normalizeAddress } from '@adaptor-marketplace/adaptor/chain/names';
import { canonicalType } from '@adaptor-marketplace/adaptor/move-types';
import { networks } from '@adaptor-marketplace/adaptor/networks';
import type { CoinAmount } from '@adaptor-marketplace/adaptor/transactions/lock';
import { Command, InvalidArgumentError } from 'commander';
import { type Api, createApi } from './api/client.ts';
import { type Io, say, UsageError } from './io.ts';
import { printableJson } from './output/escape.ts';

export interface ApiOptions {
  url?: string;
  network?: string;
  json?: boolean;
}

const urlDefault = 'http://127.0.0.1:8080';

/** A command that asks a marketplace. */
export function apiCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--url <url>', `the marketplace; else MARKETPLACE_URL, else ${urlDefault}`)
    .option('--network <network>', `${networks.join(' or ')}; else the marketplace's own choice`)
    .option('--json', 'print the answer as JSON, and refusals as problem+json');
}

/** @throws UsageError where the url is none */
export function apiOf({ env }: Io, options: ApiOptions): Api {
  const text = options.url ?? env.MARKETPLACE_URL ?? urlDefault;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new UsageError(`The marketplace's url is http(s)://host[:port][/path], not ${text}.`);
  }
  return createApi(url.href.replace(/\/+$/, ''), env.MARKETPLACE_API_KEY || undefined);
}

/** Prints an answer as it is, or as lines for people. */
export function answer(io: Io, { json }: ApiOptions, value: unknown, lines: () => string[]): void {
  if (json) io.out(`${printableJson(value)}\n`);
  else say(io.out, lines());
}

/** An address or object id in full. */
export function addressArgument(text: string): string {
  const address = normalizeAddress(text);
  if (address) return address;
  throw new InvalidArgumentError('Give 0x and up to 64 hex digits.');
}

/** The value after those given before, for an option that may be repeated. */
export function several<Value>(parse: (text: string) => Value) {
  return (text: string, earlier: Value[] = []) => [...earlier, parse(text)];
}

/** A whole number of 64 bits. */
export function amountArgument(text: string): bigint {
  if (/^\d{1,20}$/.test(text) && BigInt(text) < 2n ** 64n) return BigInt(text);
  throw new InvalidArgumentError('Give a whole number of base units, below 2^64.');
}

/** `name=value`, the value being all after the first `=`. */
export function pairArgument(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new InvalidArgumentError('Give name=value.');
}

/** The type of a coin or a service, addresses in full. */
export function typeArgument(text: string): string {
  const type = canonicalType(text);
  if (type?.includes('::')) return type;
  throw new InvalidArgumentError('Give a Move type, 0x...::module::Name.');
}

/** `coin=units`: an amount of a coin, in base units. */
export function coinAmountArgument(text: string): CoinAmount {
  const [coinType, amount] = pairArgument(text);
  return { coinType: typeArgument(coinType), amount: amountArgument(amount) };
}

/** Amounts of coins that were given one after the other; `none` states that there are none. */
export function boundArgument(text: string, earlier: CoinAmount[] = []): CoinAmount[] {
  return text === 'none' ? earlier : [...earlier, coinAmountArgument(text)];
}
