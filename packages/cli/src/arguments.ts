import {
  isMoveIdentifier,
  normalizeAddress,
  parseServiceType,
} from '@adaptor-marketplace/adaptor/chain/names';
import { canonicalType } from '@adaptor-marketplace/adaptor/move-types';
import type { CoinAmount } from '@adaptor-marketplace/adaptor/transactions/lock';
import { InvalidArgumentError } from 'commander';
import { UsageError } from './io.ts';

/** What an option or argument takes. Its text is checked before anything is asked of a server. */
interface Kind<Value> {
  /** After "Expected": what is valid, and an example. */
  expected: string;
  /** Undefined for what is not valid. */
  read(text: string): Value | undefined;
}

/** For commander, which puts the option and the text in front. */
function argument<Value>({ expected, read }: Kind<Value>): (text: string) => Value {
  return (text) => {
    const value = read(text);
    if (value === undefined) throw new InvalidArgumentError(`Expected ${expected}.`);
    return value;
  };
}

/** The same check of a text that is no argument, such as a variable. @throws UsageError that names it */
function validOf<Value>({ expected, read }: Kind<Value>, text: string, name: string): Value {
  const value = read(text);
  if (value === undefined)
    throw new UsageError(`${name}: ${JSON.stringify(text)} is not valid. Expected ${expected}.`);
  return value;
}

const typeExample = 'for example 0x2::sui::SUI';

/** An address or object id, in full. */
export const addressArgument = argument({
  expected: '0x and up to 64 hex digits, for example 0x2',
  read: normalizeAddress,
});

/** A whole number of 64 bits. */
export const amountArgument = argument({
  expected: 'a whole number of base units below 2^64, for example 1000000000 for 1 SUI',
  read: readAmount,
});

/** `name=value`, the value being all after the first `=`. */
export const pairArgument = argument({
  expected: 'name=value, for example deadline=1790000000000',
  read: readPair,
});

/** The type of a coin or a service, addresses in full. */
export const typeArgument = argument({
  expected: `a Move type with its package, ${typeExample}`,
  read: readDatatype,
});

/** Any Move type, addresses in full. */
export const anyTypeArgument = argument({
  expected: `a Move type, ${typeExample} or vector<u8>`,
  read: canonicalType,
});

/** The type of a service, in full. */
export const serviceArgument = argument({
  expected: 'a service type, 0x<package>::<module>::<Witness>, as the catalog prints it',
  read(text) {
    const parsed = parseServiceType(text);
    return 'error' in parsed ? undefined : parsed.canonical;
  },
});

/** A function's name, with or without its module. */
export const functionArgument = argument({
  expected: 'a function or module::function, for example deposit or nest_egg::deposit',
  read(text) {
    const names = text.split('::');
    return names.length <= 2 && names.every(isMoveIdentifier) ? text : undefined;
  },
});

/** `coin=units`: an amount of a coin, in base units. */
export const coinAmountArgument = argument({
  expected: 'coin=units, for example 0x2::sui::SUI=1000000000',
  read: readCoinAmount,
});

const readBound = argument({
  expected: 'coin=units, for example 0x2::sui::SUI=1000000000, or none',
  read: readCoinAmount,
});

/** Amounts of coins that were given one after the other; `none` states that there are none. */
export function boundArgument(text: string, earlier: CoinAmount[] = []): CoinAmount[] {
  return text === 'none' ? earlier : [...earlier, readBound(text)];
}

/** A whole number that is at least 1. */
export const countArgument = argument({
  expected: 'a whole number from 1 on, for example 20',
  read: (text) => (/^[1-9]\d{0,8}$/.test(text) ? text : undefined),
});

const base: Kind<string> = {
  expected: 'http(s)://host[:port][/path], for example http://127.0.0.1:8080',
  read(text) {
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol)) return undefined;
    if (url.username || url.password || url.search || url.hash) return undefined;
    return url.href.replace(/\/+$/, '');
  },
};
/** A url that paths are appended to, without a slash at its end. */
export const baseArgument = argument(base);
/** @throws UsageError that names the variable */
export const baseOf = (text: string, name: string) => validOf(base, text, name);

const origin: Kind<string> = {
  expected: 'http(s)://host[:port] without a path, for example http://127.0.0.1:9000',
  read(text) {
    const url = base.read(text);
    return url !== undefined && URL.parse(url)?.pathname === '/' ? url : undefined;
  },
};
/** A node's url. */
export const originArgument = argument(origin);
/** @throws UsageError that names the variable */
export const originOf = (text: string, name: string) => validOf(origin, text, name);

/** The value after those given before, for an option that may be repeated. */
export function several<Value>(parse: (text: string) => Value) {
  return (text: string, earlier: Value[] = []) => [...earlier, parse(text)];
}

function readAmount(text: string): bigint | undefined {
  return /^\d{1,20}$/.test(text) && BigInt(text) < 2n ** 64n ? BigInt(text) : undefined;
}

function readPair(text: string): [name: string, value: string] | undefined {
  const at = text.indexOf('=');
  return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : undefined;
}

function readDatatype(text: string): string | undefined {
  const type = canonicalType(text);
  return type?.includes('::') ? type : undefined;
}

function readCoinAmount(text: string): CoinAmount | undefined {
  const [coin, units] = readPair(text) ?? [];
  const [coinType, amount] = [readDatatype(coin ?? ''), readAmount(units ?? '')];
  return coinType === undefined || amount === undefined ? undefined : { coinType, amount };
}
