import { type ModuleJson, parseModule } from '@adaptor-marketplace/move-bytecode';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { beforeAll, expect, test } from 'vitest';
import { cleverError } from './clever-error.ts';

const source = `module p::m;
#[error]
const ENotEnough: vector<u8> = b"Not enough";
#[error(code = 7)]
const ECoded: vector<u8> = b"With a code";
#[error]
const ENumber: u64 = 42;
#[error]
const EWho: address = @0xa;
#[error]
const EMany: vector<u64> = vector[1, 2];
const EPlain: u64 = 3;
public fun words() { abort ENotEnough }
public fun coded() { abort ECoded }
public fun number() { abort ENumber }
public fun who() { abort EWho }
public fun many() { abort EMany }
public fun nothing() { abort }
public fun plain() { abort EPlain }
`;

let module: ModuleJson;

beforeAll(async () => {
  const { modules } = await compileSources({ 'Move.toml': moveToml('p'), 'sources/m.move': source });
  module = parseModule(modules[0]!);
});

/** What the abort of a function says. */
function errorOf(name: string) {
  const fn = module.function_defs.find(
    (each) => module.identifiers[module.function_handles[each.function]!.name] === name,
  );
  for (const instruction of fn!.code!.code) {
    if (typeof instruction === 'object' && 'LdU64' in instruction) {
      return cleverError(BigInt(instruction.LdU64 as bigint), module);
    }
  }
  return cleverError(3n, module);
}

const rendered = (text: string) => ({ oneofKind: 'rendered', rendered: text });

test.each([
  ['words', { lineNumber: 13n, constantName: 'ENotEnough', value: rendered('Not enough') }],
  ['coded', { lineNumber: 14n, constantName: 'ECoded', errorCode: 7n, value: rendered('With a code') }],
  ['number', { lineNumber: 15n, constantName: 'ENumber', value: rendered('42') }],
  ['who', { lineNumber: 16n, constantName: 'EWho', value: rendered(`0x${'a'.padStart(64, '0')}`) }],
  ['nothing', { lineNumber: 18n, value: { oneofKind: undefined } }],
  ['plain', undefined],
])('the abort of %s is read as the compiler wrote it', (name, error) => {
  expect(errorOf(name)).toEqual(error);
});

test('a value that is neither text nor a number is given as its bytes', () => {
  const error = errorOf('many');
  expect(error).toMatchObject({ lineNumber: 17n, constantName: 'EMany' });
  expect(error!.value).toEqual({ oneofKind: 'raw', raw: Uint8Array.of(2, 1, ...zeros, 2, ...zeros) });
});

const zeros = new Array(7).fill(0);

test('a code that names constants which the module does not have says nothing', () => {
  expect(cleverError(0x8000_0001_1234_0000n, module)).toBeUndefined();
});
