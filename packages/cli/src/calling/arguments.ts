import { canonicalType } from '@adaptor-marketplace/adaptor';
import { type CoinUnit, describeAmount } from '@adaptor-marketplace/adaptor/chain';
import {
  type ExecutableOp,
  isAmountTaken,
  isPlainValue,
  listOpSteps,
  listRequiredValues,
  type Manifest,
  plainTypeName,
} from '@adaptor-marketplace/adaptor/manifest';
import {
  type ActionBounds,
  type CoinAmount,
  type ResolvedOp,
  sumByCoin,
} from '@adaptor-marketplace/adaptor/transactions';
import { parseJson, UsageError } from '../io.ts';

/** Options of a call about coins. Amounts are in base units. */
export interface CoinOptions {
  amount?: bigint;
  minOut?: bigint;
  coinIn?: string;
  coinOut?: string;
  /** Coins that may leave, instead of `amount`. If it is empty, nothing may leave. */
  take?: CoinAmount[];
  /** Coins that must come in, instead of `minOut`. If it is empty, there is no minimum. */
  bring?: CoinAmount[];
}

export interface Coins {
  coinIn?: string;
  coinOut?: string;
}

/**
 * Determines the coin of each side from the op's fixed objects, else from the options.
 * @throws UsageError if the two differ
 */
export function resolveCoins(resolved: ResolvedOp, given: CoinOptions): Coins {
  const coinIn = resolveCoin('--coin-in', resolved.coinIn, given.coinIn);
  const coinOut = resolveCoin('--coin-out', resolved.coinOut, given.coinOut);
  return { ...(coinIn !== undefined && { coinIn }), ...(coinOut !== undefined && { coinOut }) };
}

function resolveCoin(
  option: string,
  fixed: string | undefined,
  given: string | undefined,
): string | undefined {
  if (fixed === undefined) return given;
  const coin = canonicalType(fixed) ?? fixed;
  if (given === undefined || given === coin) return coin;
  throw new UsageError(`${option}: the op's objects are for ${coin}.`);
}

/**
 * Determines the bounds on what a call may take out of the wallet, and on what it must bring in: `take` and `bring`, else
 * `amount` of the coin that goes out and `minOut` of the coin that comes in. Without any of these, nothing may leave.
 * @throws UsageError if the coin of an amount is unknown
 */
export function deriveBounds(
  { op }: Pick<ResolvedOp, 'op'>,
  { coinIn, coinOut }: Coins,
  { amount, minOut, take, bring }: CoinOptions,
): Pick<ActionBounds, 'takes' | 'brings'> {
  const takes = (): CoinAmount[] => {
    if (!amount) return [];
    if (coinIn !== undefined) return [{ coinType: coinIn, amount }];
    // The amount counts the coin that comes in, so nothing leaves for it.
    if (!isAmountTaken(op) && coinOut !== undefined) return [];
    throw new UsageError(
      'The coin of --amount is unknown. Give --coin-in if it leaves the wallet, or ' +
        '--take <coin=units> for what may leave; --take none allows nothing.',
    );
  };
  const brings = (): CoinAmount[] => {
    if (!minOut) return [];
    if (coinOut !== undefined) return [{ coinType: coinOut, amount: minOut }];
    throw new UsageError(
      'The coin of --min-out is unknown. Give --coin-out, or --bring <coin=units> for what must ' +
        'come into the wallet; --bring none requires nothing.',
    );
  };
  return { takes: take ?? takes(), brings: bring ?? brings() };
}

/** Describes the bounds of a call, a line for each. A coin's symbol is its publisher's choice, so its type is shown too. */
export function describeBounds(
  { service, takes, brings }: ActionBounds,
  units: ReadonlyMap<string, CoinUnit>,
): string[] {
  const lines = (verb: string, bound: string, amounts: readonly CoinAmount[]) =>
    amounts.map(({ coinType, amount }) => {
      const sum = describeAmount(coinType, String(amount), units.get(coinType));
      return `${verb.padEnd(8)} ${bound} ${sum}, coin ${coinType}`;
    });
  const [maxima, minima] = [sumByCoin(takes), sumByCoin(brings)];
  return [
    `acts     only ${service}`,
    ...(maxima.length === 0 ? ['takes    no coin out of the wallet'] : lines('takes', 'at most', maxima)),
    'takes    also objects that it keeps in the wallet, such as positions',
    ...(minima.length === 0 ? ['brings   no minimum'] : lines('brings', 'at least', minima)),
  ];
}

/**
 * Describes what an op fixes, a line for each: its functions, types, objects and values. In a listing, the publisher chose
 * them.
 */
export function describeFixedParts(op: ExecutableOp, packageId: string): string[] {
  const lines = listOpSteps(op).flatMap(
    ({ packageId: called = packageId, module, entry, typeArgs, args }) => [
      `calls    ${called}::${module}::${entry}`,
      ...typeArgs.flatMap((type) =>
        type === 'coinIn' || type === 'coinOut' ? [] : [`for      type ${type}`],
      ),
      ...args.flatMap((one) => {
        if (one.role === 'object') return [`uses     object ${one.objectId}`];
        if (one.role !== 'pure' || one.value === undefined) return [];
        return [`passes   ${JSON.stringify(one.value)} as ${one.name ?? one.type}`];
      }),
    ],
  );
  return [...new Set(lines)];
}

/**
 * Converts the texts of an op's required values. Texts, addresses and numbers stay as they are; other types are JSON.
 * @throws UsageError for a name that the op does not require, and for a text that is not a value of the type
 */
export function parseValues(
  op: Manifest['ops'][number],
  given: readonly (readonly [name: string, text: string])[],
): Record<string, unknown> {
  const required = listRequiredValues(op);
  const values = given.map(([name, text]) => {
    const type = required.get(name);
    if (type !== undefined) return [name, parseTypedValue(name, text, type)] as const;
    const expected = [...required].map((entry) => `${entry[0]} (${entry[1]})`).join(', ') || 'no values';
    throw new UsageError(`--set ${name}: unknown value. The op requires ${expected}.`);
  });
  return Object.fromEntries(values);
}

function parseTypedValue(name: string, text: string, moveType: string): unknown {
  const type = plainTypeName(moveType) ?? moveType;
  const value = /^(string|ascii|address|id|u\d+)$/.test(type) ? text : parseJson(text);
  if (value !== undefined && isPlainValue(moveType, value)) return value;
  throw new UsageError(
    `--set ${name}: ${JSON.stringify(text)} is not a valid ${moveType}. Expected ${describeExpected(type)}.`,
  );
}

function describeExpected(type: string): string {
  const bits = /^u(\d+)$/.exec(type)?.[1];
  if (bits !== undefined) return `a whole number from 0 to ${2n ** BigInt(bits) - 1n}, for example 100`;
  if (type === 'address' || type === 'id') return '0x and up to 64 hex digits, for example 0x2';
  if (type === 'bool') return 'true or false';
  if (type === 'ascii') return 'a text of ASCII characters, for example text';
  const large = /\bu(64|128|256)\b/.test(type) ? ', with numbers above 2^53 in quotes' : '';
  return `JSON, for example ${JSON.stringify(buildExample(type))}${large}`;
}

function buildExample(type: string): unknown {
  const [, outer, item = ''] = /^(vector|option)<(.+)>$/.exec(type) ?? [];
  if (outer === 'vector') return [buildExample(item)];
  if (outer === 'option') return buildExample(item);
  if (type === 'bool') return true;
  if (/^u\d+$/.test(type)) return 100;
  return type === 'string' || type === 'ascii' ? 'text' : '0x2';
}

type Op = Manifest['ops'][number];

/** @throws UsageError unless there is one type for each type parameter of the function */
export function requireTypeArgs(
  op: Pick<Op, 'module' | 'entry'>,
  count: number,
  given: readonly string[],
): void {
  if (given.length === count) return;
  const name = `${op.module}::${op.entry}`;
  if (count === 0) throw new UsageError(`--type-arg: ${name} takes no type arguments. Leave it out.`);
  const takes = `${count} type ${count === 1 ? 'argument' : 'arguments'}`;
  throw new UsageError(
    `--type-arg: ${name} takes ${takes}, not ${given.length}. Give one for each, in their order, ` +
      'for example --type-arg 0x2::sui::SUI.',
  );
}

/**
 * Determines the coins of a call from type arguments in the function's order.
 * @throws UsageError if they differ from what the op fixes, or from --coin-in and --coin-out
 */
export function resolveCoinsByTypeArgs(
  op: Op,
  given: readonly string[] | undefined,
  { coinIn, coinOut }: Pick<CoinOptions, 'coinIn' | 'coinOut'>,
): Coins {
  const coins: Coins = { ...(coinIn !== undefined && { coinIn }), ...(coinOut !== undefined && { coinOut }) };
  if (given === undefined) return coins;
  if (!op.call) {
    throw new UsageError(
      `--type-arg: ${op.module}::${op.entry} consists of several calls. Give --coin-in and --coin-out instead.`,
    );
  }
  requireTypeArgs(op, op.call.typeArgs.length, given);
  op.call.typeArgs.forEach((spelled, index) => {
    const isCoin = spelled === 'coinIn' || spelled === 'coinOut';
    const fixed = isCoin ? coins[spelled] : (canonicalType(spelled) ?? spelled);
    const type = given[index]!;
    if (fixed !== undefined && fixed !== type) {
      const by = isCoin ? `--${spelled === 'coinIn' ? 'coin-in' : 'coin-out'} says` : 'the op is for';
      throw new UsageError(`--type-arg ${type}: as type argument ${index + 1} ${by} ${fixed}.`);
    }
    if (isCoin) coins[spelled] = type;
  });
  return coins;
}
