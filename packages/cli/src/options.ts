import {
  canonicalType,
  isMoveIdentifier,
  type Network,
  networks,
  normalizeAddress,
  parseServiceType,
  unlimitedAllowance,
} from '@adaptor-marketplace/adaptor';
import { readSecretFile } from '@adaptor-marketplace/adaptor/secret-file';
import type { CoinAmount } from '@adaptor-marketplace/adaptor/transactions';
import { type CreateWebhookData, createMarketplace, type Marketplace } from '@adaptor-marketplace/sdk';
import { Command, InvalidArgumentError, Option } from 'commander';
import { formatJson, type Io, say, UsageError } from './io.ts';
import { findLocalMarketplace } from './local.ts';

export interface ApiOptions {
  profile?: string;
  url?: string;
  network?: Network;
  json?: boolean;
}

/** Help text about the choice of the marketplace. */
export const endpointHelp =
  'The marketplace is --url or that of --profile, else MARKETPLACE_URL, else that of the profile in use, else the one\n' +
  'that npm start runs here (baseUrl in demo.json of DATA_DIR, else of .data here or beside this program), else\n' +
  'http://127.0.0.1:8080.';

export const profileOption = () =>
  new Option('--profile <name>', 'profile with the marketplace, its network and node').conflicts('url');

export const urlOption = () =>
  new Option('--url <url>', 'url of the marketplace; see below').argParser(baseArgument);

export const networkOption = () =>
  new Option('--network <network>', "network (default: the marketplace's choice)").choices(networks);

/** Creates a command that calls a marketplace. */
export function createApiCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .addOption(urlOption())
    .addOption(profileOption())
    .addOption(networkOption())
    .option('--json', 'print the result as JSON, and errors as problem+json')
    .addHelpText('after', `\n${endpointHelp}`);
}

/** Adds examples to the help, each without the program's name. */
export function addExamples(command: Command, ...lines: string[]): Command {
  const shown = lines.map((line) => `  adaptor-marketplace ${line}`).join('\n');
  return command.addHelpText('after', `\nExamples:\n${shown}`);
}

/**
 * Creates a client for the marketplace of --url, which a profile may set, else of MARKETPLACE_URL, else the local one.
 * @param token an executor key
 * @throws UsageError if the variable is not a url
 */
export async function createMarketplaceClient(
  io: Io,
  options: ApiOptions,
  token?: string,
): Promise<Marketplace> {
  return createMarketplace({ ...(await resolveEndpoint(io, options)), token });
}

/** Determines the url of a marketplace, and its API key if one is set. */
export async function resolveEndpoint(io: Io, options: ApiOptions) {
  return { baseUrl: await resolveUrl(io, options), apiKey: await readApiKey(io) };
}

async function readApiKey({ env }: Io): Promise<string | undefined> {
  const { MARKETPLACE_API_KEY: key, MARKETPLACE_API_KEY_FILE: file } = env;
  if (key || !file) return key || undefined;
  return await readSecret(file, 'MARKETPLACE_API_KEY_FILE');
}

/** @throws UsageError that names the variable */
async function readSecret(file: string, variable: string): Promise<string> {
  return await readSecretFile(file).catch((error: Error) => {
    throw new UsageError(`${variable}: ${error.message}.`);
  });
}

/**
 * Creates a client with the admin secret of MARKETPLACE_ADMIN_SECRET, or of the file MARKETPLACE_ADMIN_SECRET_FILE. It
 * sends no API key, which would count in place of the secret.
 * @throws UsageError if neither is set
 */
export async function createOperatorClient(io: Io, options: ApiOptions): Promise<Marketplace> {
  const { MARKETPLACE_ADMIN_SECRET: secret, MARKETPLACE_ADMIN_SECRET_FILE: file } = io.env;
  if (!secret && !file)
    throw new UsageError(
      'Set MARKETPLACE_ADMIN_SECRET_FILE to a file with the admin secret of the marketplace.',
    );
  const token = secret || (await readSecret(file!, 'MARKETPLACE_ADMIN_SECRET_FILE'));
  return createMarketplace({ baseUrl: await resolveUrl(io, options), token });
}

async function resolveUrl(io: Io, { url }: ApiOptions): Promise<string> {
  const { MARKETPLACE_URL: variable } = io.env;
  const named = url ?? (variable ? parseBaseUrl(variable, 'MARKETPLACE_URL') : undefined);
  return (named ?? (await findLocalMarketplace(io)).url).replace(/\/+$/, '');
}

/** The network as a field of a request, if one was given. */
export const pickNetwork = ({ network }: Pick<ApiOptions, 'network'>) =>
  network === undefined ? {} : { network };

/** Prints a result as JSON with --json, else as lines. */
export function answer(io: Io, { json }: ApiOptions, value: unknown, lines: () => string[]): void {
  if (json) io.out(`${formatJson(value)}\n`);
  else say(io.out, lines());
}

/** The form of an option or argument. It is checked before any request is sent. */
interface Kind<Value> {
  /** Text after "Expected": the valid form, and an example. */
  expected: string;
  /** Returns the value, or undefined if the text is not valid. */
  read(text: string): Value | undefined;
}

/** Creates a parser for commander, which puts the option and the text in front of the message. */
function createParser<Value>({ expected, read }: Kind<Value>): (text: string) => Value {
  return (text) => {
    const value = read(text);
    if (value === undefined) throw new InvalidArgumentError(`Expected ${expected}.`);
    return value;
  };
}

/**
 * Applies the same check to an environment variable.
 * @throws UsageError that names it
 */
function parseVariable<Value>({ expected, read }: Kind<Value>, text: string, name: string): Value {
  const value = read(text);
  if (value === undefined)
    throw new UsageError(`${name}: ${JSON.stringify(text)} is not valid. Expected ${expected}.`);
  return value;
}

const typeExample = 'for example 0x2::sui::SUI';

/** An address or object id, normalized to 64 hex digits. */
export const addressArgument = createParser({
  expected: '0x and up to 64 hex digits, for example 0x2',
  read: normalizeAddress,
});

/** A whole number below 2^64. */
export const amountArgument = createParser({
  expected: 'a whole number of base units below 2^64, for example 1000000000 for 1 SUI',
  read: readAmount,
});

/** `name=value`. The value is all text after the first `=`. */
export const pairArgument = createParser({
  expected: 'name=value, for example deadline=1790000000000',
  read: readPair,
});

/** The type of a coin or a service, with full addresses. */
export const typeArgument = createParser({
  expected: `a Move type with its package, ${typeExample}`,
  read: readDatatype,
});

/** Any Move type, with full addresses. */
export const anyTypeArgument = createParser({
  expected: `a Move type, ${typeExample} or vector<u8>`,
  read: canonicalType,
});

/** The type of a service, in canonical form. */
export const serviceArgument = createParser({
  expected: 'a service type, 0x<package>::<module>::<Witness>, as the catalog prints it',
  read(text) {
    const parsed = parseServiceType(text);
    return 'error' in parsed ? undefined : parsed.canonical;
  },
});

/** The type of a service in canonical form, or the address of a publisher. */
export const subjectArgument = createParser({
  expected: 'a service type, as the catalog prints it, or the address of a publisher',
  read: readSubject,
});

function readSubject(text: string): string | undefined {
  if (!text.includes('::')) return normalizeAddress(text);
  const parsed = parseServiceType(text);
  return 'error' in parsed ? undefined : parsed.canonical;
}

/** The type of a coin, or the address of a publisher: what has a picture. */
export const pictureArgument = createParser({
  expected: 'a coin type, or the address of a publisher',
  read: (text) => (text.includes('::') ? readDatatype(text) : normalizeAddress(text)),
});

/** A uri of a blob, or of another file. */
export const uriArgument = createParser({
  expected: 'a uri, as the review names it, for example walrus://<blob id>',
  read: (text) => (/^\S+:\/\/\S+$/.test(text) ? text : undefined),
});

/** The id of a package, or the type of a service in canonical form. */
export const codeArgument = createParser({
  expected: 'the id of a package, or a service type, as the catalog prints it',
  read: readSubject,
});

/** A function's name, with or without its module. */
export const functionArgument = createParser({
  expected: 'a function or module::function, for example deposit or nest_egg::deposit',
  read(text) {
    const names = text.split('::');
    return names.length <= 2 && names.every(isMoveIdentifier) ? text : undefined;
  },
});

/** `coin=units`: an amount of a coin, in base units. */
export const coinAmountArgument = createParser({
  expected: 'coin=units, for example 0x2::sui::SUI=1000000000',
  read: readCoinAmount,
});

/** `coin=units` or `coin=unlimited`: what a service may take of a coin. */
export const allowanceArgument = createParser({
  expected: 'coin=units above 0, for example 0x2::sui::SUI=1000000000, or coin=unlimited',
  read(text) {
    const found = readCoinAmount(text.replace(/=unlimited$/, `=${unlimitedAllowance}`));
    return found?.amount ? found : undefined;
  },
});

const readBound = createParser({
  expected: 'coin=units, for example 0x2::sui::SUI=1000000000, or none',
  read: readCoinAmount,
});

/** Repeatable amounts of coins, or `none` for an empty list. @throws InvalidArgumentError if both are given */
export function boundArgument(text: string, earlier?: CoinAmount[]): CoinAmount[] {
  const isNone = text === 'none';
  if (earlier !== undefined && (isNone ? earlier.length > 0 : earlier.length === 0))
    throw new InvalidArgumentError('Give either none or amounts.');
  return isNone ? [] : [...(earlier ?? []), readBound(text)];
}

/** The cursor of an event: `<checkpoint>.<transaction index>.<event index>`. */
export const cursorArgument = createParser({
  expected: 'the cursor of an event, for example 17.0.2',
  read: (text) => (/^\d{1,15}\.\d{1,9}\.\d{1,9}$/.test(text) ? text : undefined),
});

/** `name=text`, or `name:=json` for a value that is not a text. */
export const fieldArgument = createParser({
  expected: 'name=text or name:=json, for example amount=1000 or reduceOnly:=true',
  read: readField,
});

/** A whole number that is at least 1. */
export const countArgument = createParser({
  expected: 'a whole number from 1 on, for example 20',
  read: (text) => (/^[1-9]\d{0,8}$/.test(text) ? text : undefined),
});

type EventName = CreateWebhookData['body']['events'][number];
const isEvent: Record<EventName, true> = {
  Registered: true,
  Updated: true,
  Unlisted: true,
  Attested: true,
  Quarantined: true,
  QuarantineLifted: true,
  PublisherVerified: true,
  SourceVerdictChanged: true,
  ClaimsWidened: true,
  Degraded: true,
  Recovered: true,
};
const eventNames = Object.keys(isEvent) as EventName[];

/** Names of events, separated by commas. */
export const eventsArgument = createParser({
  expected: `names of ${eventNames.join(', ')}, separated by commas, for example Registered,Updated`,
  read(text) {
    const found = eventNames.filter((name) => text.split(',').includes(name));
    return found.length > 0 && found.length === text.split(',').length ? found : undefined;
  },
});

export const webhookArgument = createParser({
  expected: 'the id of a webhook, for example wh_8sQm2Kd1',
  read: (text) => (/^wh_[0-9A-Za-z]{1,40}$/.test(text) ? text : undefined),
});

export const deliveryArgument = createParser({
  expected: 'the id of a delivery, for example testnet.17.0.0',
  read: (text) => (/^[\w.-]{1,80}$/.test(text) ? text : undefined),
});

/**
 * The url that receives deliveries. It may have a query but no credentials, since deliveries would send and show them.
 */
export const webhookUrlArgument = createParser({
  expected: 'an http or https url without credentials, for example https://app.example/hook',
  read(text) {
    const url = URL.parse(text);
    return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? text : undefined;
  },
});

/** A time with its zone. */
export const timeArgument = createParser({
  expected: 'an ISO 8601 time with its zone, for example 2026-03-14T00:00:00Z',
  read: (text) =>
    /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))
      ? text
      : undefined,
});

const hoursMax = 168;
export const hoursArgument = createParser({
  expected: `a whole number of hours from 0 to ${hoursMax}, for example 24`,
  read: (text) => (/^\d{1,3}$/.test(text) && Number(text) <= hoursMax ? Number(text) : undefined),
});

export const profileNameArgument = createParser({
  expected: 'a name of letters, digits and hyphens, for example main',
  read: (text) => (/^[A-Za-z0-9][A-Za-z0-9-]{0,31}$/.test(text) ? text : undefined),
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
/** A url to append paths to, without a slash at its end. */
export const baseArgument = createParser(base);
/** @throws UsageError that names the variable */
const parseBaseUrl = (text: string, name: string) => parseVariable(base, text, name);

const origin: Kind<string> = {
  expected: 'http(s)://host[:port] without a path, for example http://127.0.0.1:9000',
  read(text) {
    const url = base.read(text);
    return url !== undefined && URL.parse(url)?.pathname === '/' ? url : undefined;
  },
};
/** A node's url. */
export const originArgument = createParser(origin);
/** @throws UsageError that names the variable */
export const parseOrigin = (text: string, name: string) => parseVariable(origin, text, name);

/** Collects the values of an option that may be repeated. */
export function collectValues<Value>(parse: (text: string) => Value) {
  return (text: string, earlier: Value[] = []) => [...earlier, parse(text)];
}

/**
 * Collects the values of an option that may be repeated with other keys each time. Of two values with one key only the
 * later would count.
 */
export function collectDistinct<Value>(
  parse: (text: string) => Value,
  ...readKeys: ((value: Value) => string)[]
) {
  return (text: string, earlier: Value[] = []) => {
    const value = parse(text);
    for (const readKey of readKeys) {
      const key = readKey(value);
      if (earlier.some((one) => readKey(one) === key))
        throw new InvalidArgumentError(`${key} is given twice. Give it once.`);
    }
    return [...earlier, value];
  };
}

/** The coin of an amount, as a key. */
export const byCoinType = ({ coinType }: CoinAmount): string => coinType;
/** The name of a pair, as a key. */
export const byName = ([name]: readonly [name: string, value: unknown]): string => name;

function readAmount(text: string): bigint | undefined {
  return /^\d{1,20}$/.test(text) && BigInt(text) < 2n ** 64n ? BigInt(text) : undefined;
}

function readPair(text: string): [name: string, value: string] | undefined {
  const at = text.indexOf('=');
  return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : undefined;
}

function readField(text: string): [name: string, value: unknown] | undefined {
  const [, name, isJson, value] = /^([A-Za-z]+)(:?)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) return undefined;
  if (!isJson) return [name, value];
  try {
    return [name, JSON.parse(value)];
  } catch {
    return undefined;
  }
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
