import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import { expect, test } from 'vitest';
import type { Manifest } from '../manifest/manifest.ts';
import { appendOp, type OpInputs } from './append-op.ts';

type Op = Manifest['ops'][number];

const packageId = `0x${'a'.repeat(64)}`;
const wallet = `0x${'b'.repeat(64)}`;
const pool = `0x${'c'.repeat(64)}`;
const op = (call: Op['call']): Op => ({ kind: 'swap', module: 'swapper', entry: 'swap', call });

function build(call: Op['call'], inputs: OpInputs) {
  const tx = new Transaction();
  appendOp(tx, packageId, op(call), inputs);
  return tx.getData();
}

test('a swap gets its coins, wallet, amounts, pool and clock in the order of its call spec', () => {
  const { inputs, commands } = build(
    {
      typeArgs: ['coinOut', '0x2::sui::SUI', 'coinIn'],
      args: [
        { role: 'minOut' },
        { role: 'object', objectId: pool, mutable: true },
        { role: 'wallet' },
        { role: 'amount' },
        { role: 'clock' },
      ],
    },
    { wallet, amount: 7n, minOut: 3n, coinIn: '0x3::a::A', coinOut: '0x4::b::B' },
  );
  const call = commands[0]?.MoveCall;
  expect(`${call?.package}::${call?.module}::${call?.function}`).toBe(`${packageId}::swapper::swap`);
  expect(call?.typeArguments.map((type) => type.split('::').at(-1))).toEqual(['B', 'SUI', 'A']);
  const given = call?.arguments.map((argument) =>
    argument.$kind === 'Input' ? inputs[argument.Input] : undefined,
  );
  expect(given?.[0]?.Pure?.bytes).toBe(bcs.u64().serialize(3n).toBase64());
  expect(given?.[1]?.UnresolvedObject?.objectId).toBe(pool);
  expect(given?.[2]?.UnresolvedObject?.objectId).toBe(wallet);
  expect(given?.[3]?.Pure?.bytes).toBe(bcs.u64().serialize(7n).toBase64());
  expect(given?.[4]?.Object?.SharedObject?.objectId).toMatch(/0x0+6$/);
});

const text = bcs.string();
test.each([
  ['0x1::string::String', 'tea', text.serialize('tea')],
  ['0x1::option::Option<0x1::string::String>', 'tea', bcs.option(text).serialize('tea')],
  ['vector<vector<u8>>', [[1], [2, 3]], bcs.vector(bcs.vector(bcs.u8())).serialize([[1], [2, 3]])],
  ['0x2::object::ID', pool, bcs.Address.serialize(pool)],
  ['bool', false, bcs.bool().serialize(false)],
  ['0x1::option::Option<u64>', null, bcs.option(bcs.u64()).serialize(null)],
])('a pure argument of type %s is serialised as the chain reads it', (type, value, expected) => {
  const argument = { role: 'pure' as const, type, name: 'note' };
  const asked = build({ typeArgs: [], args: [argument] }, { values: { note: value } });
  expect(asked.inputs[0]?.Pure?.bytes).toBe(expected.toBase64());
  const fixed = build({ typeArgs: [], args: [{ ...argument, value }] }, {});
  expect(fixed.inputs[0]?.Pure?.bytes).toBe(expected.toBase64());
});

test.each([
  ['amount', { typeArgs: [], args: [{ role: 'amount' as const }] }],
  ['wallet', { typeArgs: [], args: [{ role: 'wallet' as const }] }],
  ['coinIn', { typeArgs: ['coinIn'], args: [] }],
  ['memo', { typeArgs: [], args: [{ role: 'pure' as const, type: 'u64', name: 'memo' }] }],
  ['constructor', { typeArgs: [], args: [{ role: 'pure' as const, type: 'u64', name: 'constructor' }] }],
])('a missing %s is named', (name, call) => {
  expect(() => build(call, { values: {} })).toThrow(`${packageId}::swapper::swap needs ${name}.`);
});

test('an op without a call spec is refused', () => {
  expect(() => build(undefined, {})).toThrow('cannot be executed');
});
