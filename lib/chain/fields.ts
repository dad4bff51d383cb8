import { canonicalTypeName, toTypeName } from '@adaptor-marketplace/adaptor';
import { type BcsType, bcs } from '@mysten/sui/bcs';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A Move String. Bytes that are not UTF-8 are refused, not repaired. */
export const text = bcs.byteVector().transform({
  name: 'text',
  input: (value: string) => new TextEncoder().encode(value),
  output: (bytes) => {
    const value = strictUtf8.decode(bytes);
    // Valid in Move, but PostgreSQL cannot store it: one such event would block all later ones.
    if (value.includes('\0')) throw new Error('a text holds a NUL character');
    return value;
  },
});

export const texts = bcs.vector(text);

/** Lower-case hex without `0x`, several times faster than the SDK's, which formats each byte. */
const toHex = ({ buffer, byteOffset, length }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, length).toString('hex');

function parseHex(hex: string): Uint8Array {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length * 2 !== hex.length) throw new Error(`${hex.slice(0, 100)} is not hex`);
  return bytes;
}

/** A byte vector as lower-case hex without `0x`. */
export const hash = bcs.byteVector().transform({
  name: 'hash',
  input: parseHex,
  output: toHex,
});

/** An address or an object id: `0x` and 64 lower-case hex digits. */
export const address = bcs.bytes(32).transform({
  name: 'address',
  input: (value: string) => parseHex(value.replace('0x', '')),
  output: (bytes) => `0x${toHex(bytes)}`,
});

/** A u64 as a number where it is a safe integer, else as a bigint: the SDK goes through three strings. */
const u64 = bcs.bytes(8).transform({
  name: 'u64',
  input: (value: number | string) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    return bytes;
  },
  output: ({ buffer, byteOffset }): number | bigint => {
    const view = new DataView(buffer, byteOffset, 8);
    const high = view.getUint32(4, true);
    return high < 2 ** 21 ? high * 2 ** 32 + view.getUint32(0, true) : view.getBigUint64(0, true);
  },
});

/** Versions and times. Genuine ones never exceed 2^53 - 1, so they are numbers, and larger ones are refused. */
export const count = u64.transform({
  name: 'count',
  input: (value: number) => value,
  output: (value) => {
    if (typeof value === 'bigint') throw new Error(`${value} is not a version or a time`);
    return value;
  },
});

/** The last moment of a JavaScript Date, in the year 275760; PostgreSQL's times reach further. */
export const lastMomentMs = 8_640_000_000_000_000;

/** Milliseconds since the epoch that a caller chose. Any large number may mean "never": at most the last Date. */
export const chosenTime = u64.transform({
  name: 'chosenTime',
  input: (value: number) => value,
  output: (value) => Math.min(Number(value), lastMomentMs),
});

/** Base units of a coin, up to 2^64 - 1: decimal digits. */
export const amount = u64.transform({ name: 'amount', input: (digits: string) => digits, output: String });

export const small = bcs.u8();

export const flag = bcs.bool();

/** Cached type names: the same few services and coins recur. Bounded, because anyone may emit any type. */
const knownTypes = new Map<string, string>();
const knownMax = 5_000;
const knownLengthMax = 256;

/** `0x1::type_name::TypeName` as `0x…::module::Name`, type arguments alike. */
export const typeName = text.transform({
  name: 'TypeName',
  input: (canonical: string) => toTypeName(canonical),
  output: (spelling) => {
    const canonical = knownTypes.get(spelling) ?? canonicalTypeName(spelling);
    if (canonical === undefined) throw new Error(`${spelling.slice(0, 100)} is not a TypeName`);
    if (spelling.length <= knownLengthMax) {
      if (knownTypes.size >= knownMax) knownTypes.clear();
      knownTypes.set(spelling, canonical);
    }
    return canonical;
  },
});

/** A Move Option; none is null. */
export const optional = <T, Input>(type: BcsType<T, Input>) => bcs.option(type);

/** `action::CoinAmount`: base units of one coin. */
export const coinAmount = bcs.struct('CoinAmount', { coin: typeName, amount });

export const coinAmounts = bcs.vector(coinAmount);

/** A number that represents a word: the position of the word in the list. */
export const word = <const Words extends readonly string[]>(words: Words) =>
  bcs.u8().transform({
    name: words.join(' | '),
    input: (value: Words[number]) => words.indexOf(value),
    output: (position) => {
      const value: Words[number] | undefined = words[position];
      if (value === undefined) throw new Error(`${position} stands for none of ${words.join(', ')}`);
      return value;
    },
  });
