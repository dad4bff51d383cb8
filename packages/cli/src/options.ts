import {
  canonicalType,
  isMoveIdentifier,
  networks,
  normalizeAddress,
  parseServiceType,
} from '@adaptor-marketplace/adaptor';
import type { CoinAmount } from '@adaptor-marketplace/adaptor/transactions';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Api, createApi } from './api.ts';
import { type Io, printableJson, say, UsageError } from './io.ts';
import { localMarketplace } from './local.ts';

export interface ApiOptions {
  url?: string;
  network?: string;
  json?: boolean;
}

/** How the marketplace is found, for the help. */
const found =
  'The marketplace is --url, else MARKETPLACE_URL, else the one that npm start runs here (baseUrl in demo.json of\n' +
  'DATA_DIR, else of .data here or beside this program), else http://127.0.0.1:8080.';

/** A command that calls a marketplace. */
export function apiCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--url <url>', 'url of the marketplace; see below', baseArgument)
    .addOption(
      new Option('--network <network>', "network (default: the marketplace's choice)").choices(networks),
    )
    .option('--json', 'print the result as JSON, and errors as problem+json')
    .addHelpText('after', `\n${found}`);
}

/** Adds examples to the help, each without the program's name. */
export function withExamples(command: Command, ...lines: string[]): Command {
  const shown = lines.map((line) => `  adaptor-marketplace ${line}`).join('\n');
  return command.addHelpText('after', `\nExamples:\n${shown}`);
}

/** The marketplace of --url or MARKETPLACE_URL, else the local one. @throws UsageError if the variable is not a url */
export async function apiOf(io: Io, { url }: ApiOptions): Promise<Api> {
  const { env } = io;
  const named = url ?? (env.MARKETPLACE_URL ? baseOf(env.MARKETPLACE_URL, 'MARKETPLACE_URL') : undefined);
  const base = named ?? (await localMarketplace(io)).url;
  return createApi(base.replace(/\/+$/, ''), env.MARKETPLACE_API_KEY || undefined);
}

/** Prints a result as JSON with --json, else as lines. */
export function answer(io: Io, { json }: ApiOptions, value: unknown, lines: () => string[]): void {
  if (json) io.out(`${printableJson(value)}\n`);
  else say(io.out, lines());
}

/** The type of an option or argument. It is checked before any request is sent. */
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

/** The same check for an environment variable. @throws UsageError that names it */
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

/** Repeatable amounts of coins; `none` gives an empty list. */
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
const baseOf = (text: string, name: string) => validOf(base, text, name);

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

/** Collects the values of an option that may be repeated. */
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
