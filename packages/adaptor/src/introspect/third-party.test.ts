import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { beforeAll, describe, expect, test } from 'vitest';
import { introspect } from './introspect.ts';
import { createSource, publishedFramework, publishedText } from './testing/packages.ts';
import type { Introspection } from './types.ts';

const shapes = `module strange::shapes;
public enum Shape<T> has copy, drop, store { Dot, Line { length: u64 }, Box { sides: vector<T>, inner: Option<T> } }
public struct Deep<T: store, phantom P> has store { inside: vector<vector<Option<Shape<T>>>> }
public struct Keyed<phantom T> has key { id: UID }
public fun make<T: copy + drop + store>(sides: vector<T>): Shape<T> {
    Shape::Box { sides, inner: option::none() }
}
public fun measure<T>(shape: &Shape<T>, scale: u64): u64 {
    match (shape) { Shape::Dot => 0, Shape::Line { length } => *length * scale, Shape::Box { sides, .. } => sides.length() }
}
public fun keyed<A: key, B: key + store>(_: &Keyed<A>, _: &mut B) {}
public fun deep<T: store, P>(_: &Deep<T, P>, _: vector<vector<vector<u8>>>, _: &mut u64) {}
`;

const many = (n: number) => `module strange::part${n};
${Array.from({ length: 40 }, (_, i) => `public fun read${i}(x: u64, y: address): (u64, address) { (x + ${i}, y) }`).join('\n')}
`;

let strange: Introspection;
let framework: Record<'std' | 'sui', Introspection>;

beforeAll(async () => {
  const parts = Array.from({ length: 12 }, (_, n) => [`sources/part${n}.move`, many(n)] as const);
  const files = {
    'Move.toml': moveToml('strange'),
    'sources/shapes.move': shapes,
    ...Object.fromEntries(parts),
  };
  const content = await publishedText(files);
  strange = await introspect(createSource([content]), content.id);
  const chain = await publishedFramework();
  framework = { std: await introspect(chain, '0x1'), sui: await introspect(chain, '0x2') };
});

test('generics, enums and references within types are written as Move writes them', () => {
  const types = (entry: string) =>
    strange.ops.find((op) => op.entry === entry)!.params.map(({ typeStr, role }) => [typeStr, role]);
  expect(types('make')).toEqual([['vector<T0>', 'object']]);
  expect(types('measure')).toEqual([
    [expect.stringMatching(/^&0x\w{64}::shapes::Shape<T0>$/), 'object'],
    ['u64', 'pure'],
  ]);
  expect(types('deep')).toEqual([
    [expect.stringMatching(/^&0x\w{64}::shapes::Deep<T0, T1>$/), 'object'],
    ['vector<vector<vector<u8>>>', 'pure'],
    ['&mut u64', 'pure'],
  ]);
  const keyed = strange.ops.find(({ entry }) => entry === 'keyed')!;
  expect(keyed).toMatchObject({
    executable: true,
    typeParams: [{ constraints: ['key'] }, { constraints: ['store', 'key'] }],
  });
});

test('hundreds of functions in many modules, of which none is a witness, are all there, in order', () => {
  expect(strange.modules).toEqual([...strange.modules].sort());
  expect(strange.modules).toHaveLength(13);
  expect(strange.witnesses).toEqual([]);
  expect(strange.ops.filter(({ entry }) => entry.startsWith('read'))).toHaveLength(480);
  expect(strange.ops.some(({ touchesWallet }) => touchesWallet)).toBe(false);
});

describe('of the framework', () => {
  const op = (of: Introspection, module: string, entry: string) =>
    of.ops.find((candidate) => candidate.module === module && candidate.entry === entry)!;

  test('natives, which have no code, are described by their types', () => {
    expect(op(framework.std, 'hash', 'sha2_256')).toMatchObject({
      executable: true,
      params: [{ typeStr: 'vector<u8>', role: 'pure' }],
    });
  });

  test('amounts of coins are amounts, and what returns a coin is not a whole transaction', () => {
    const split = op(framework.sui, 'coin', 'split');
    expect(split.params.map(({ role }) => role)).toEqual(['object', 'amount', 'ctx']);
    expect(split.reason?.code).toBe('returns_value');
    const minted = op(framework.sui, 'coin', 'mint_and_transfer');
    expect(minted.params.map(({ role }) => role)).toEqual(['object', 'amount', 'pure', 'ctx']);
    expect(minted.executable).toBe(true);
  });

  test('nothing touches a wallet', () => {
    for (const { ops, modules } of Object.values(framework)) {
      expect(modules.length).toBeGreaterThan(10);
      expect(ops.filter(({ touchesWallet }) => touchesWallet)).toEqual([]);
    }
  });
});
