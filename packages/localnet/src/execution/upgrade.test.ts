import { type CompiledPackage, compileSources } from '@adaptor-marketplace/move-toolchain';
import { deserialize, serialize } from '@mysten/move-bytecode-template';
import { bcs } from '@mysten/sui/bcs';
import { toBase64 } from '@mysten/sui/utils';
import { beforeAll, describe, expect, test } from 'vitest';
import { SUI } from '../vm/framework.ts';
import { ModuleEditor } from '../vm/verifier/testing/editor.ts';
import { UPGRADE_CAP } from './framework.ts';
import { inputs, returned, u64Of } from './testing/box.ts';
import { TestChain } from './testing/chain.ts';
import { ALICE, call, input, objectInput, pure, result, transfer } from './testing/commands.ts';
import type { Command, ExecutionOutcome } from './types.ts';

const first = `
module demo::shop {
  use std::type_name;
  public struct Item has key, store { id: UID, price: u64 }
  public struct Sold has copy, drop { price: u64 }
  public fun make(price: u64, ctx: &mut TxContext): Item { Item { id: object::new(ctx), price } }
  public fun price(item: &Item): u64 { item.price }
  public fun names(): (std::ascii::String, std::ascii::String) {
    (type_name::with_defining_ids<Item>().into_string(), type_name::with_original_ids<Item>().into_string())
  }
  public fun sell(item: Item) { let Item { id, price } = item; id.delete(); sui::event::emit(Sold { price }) }
}`;

const second = first
  .replace('item.price }', 'item.price * 2 }')
  .replace('public struct Sold', 'public struct Rebate has copy, drop { by: u64 }\n  public struct Sold')
  .replace(
    'public fun sell',
    'public fun rebate(by: u64): Rebate { sui::event::emit(Rebate { by }); Rebate { by } }\n  public fun sell',
  );

let chain: TestChain;
let original: string;
let capId: string;

beforeAll(async () => {
  chain = await TestChain.open();
  original = await chain.publish({ shop: first });
  capId = [...chain.objects.values()].find((each) => each.kind === 'move' && each.type === UPGRADE_CAP)!.id;
});

const compilations = new Map<string, ReturnType<typeof compileSources>>();

/** Sources of modules by name; of a text alone, of the shop. Each is compiled once. */
function compiled(source: string | Record<string, string>) {
  const name = JSON.stringify(source);
  const known = compilations.get(name) ?? compile(source);
  compilations.set(name, known);
  return known;
}

async function compile(source: string | Record<string, string>) {
  const manifest = '[package]\nname = "demo"\nedition = "2024"\n[addresses]\ndemo = "0x0"\n';
  const sources = Object.entries(typeof source === 'string' ? { shop: source } : source);
  const files = Object.fromEntries(sources.map(([name, text]) => [`sources/${name}.move`, text]));
  return compileSources({ 'Move.toml': manifest, ...files });
}

/** Why an upgrade was refused; absent when only its receipt was left over. */
function errorOf({ failure }: ExecutionOutcome) {
  const reason = failure?.reason;
  if (reason?.kind === 'PackageUpgradeError') {
    const { error } = reason;
    return 'digest' in error ? { ...error, digest: Uint8Array.from(error.digest) } : error;
  }
  expect(reason).toEqual({ kind: 'UnusedValueWithoutDrop', result: 1, secondary: 0 });
  return undefined;
}

/** Authorises, upgrades and (unless told otherwise) commits in one transaction, as the command line tool does. */
async function upgrade(
  source: string | Record<string, string> | CompiledPackage,
  options: {
    digest?: string;
    from?: string;
    commit?: boolean;
    policy?: number;
    chain?: TestChain;
    cap?: string;
  } = {},
): Promise<ExecutionOutcome> {
  const on = options.chain ?? chain;
  const { modules, dependencies, digest } =
    typeof source === 'object' && Array.isArray(source.modules)
      ? (source as CompiledPackage)
      : await compiled(source as string | Record<string, string>);
  const commands: Command[] = [
    call(`${SUI}::package::authorize_upgrade`, [input(0), input(1), input(2)]),
    {
      $kind: 'Upgrade',
      Upgrade: {
        modules: modules.map((bytes) => toBase64(bytes)),
        dependencies,
        package: options.from ?? original,
        ticket: result(0),
      },
    },
    call(`${SUI}::package::commit_upgrade`, [input(0), result(1)]),
  ];
  return on.run(options.commit === false ? commands.slice(0, 2) : commands, {
    inputs: [
      objectInput(on.object(options.cap ?? capId)),
      pure(bcs.u8(), options.policy ?? 0),
      pure(bcs.byteVector(), Buffer.from(options.digest ?? digest, 'hex')),
    ],
  });
}

describe('upgrades', () => {
  test('are refused when the ticket is for other bytes or another package, or the change is not compatible', async () => {
    const computed = Buffer.from((await compiled(second)).digest, 'hex');
    expect(errorOf(await upgrade(second, { digest: '00'.repeat(32) }))).toEqual({
      kind: 'DigestDoesNotMatch',
      digest: Uint8Array.from(computed),
    });
    expect(errorOf(await upgrade(second, { from: SUI }))).toEqual({
      kind: 'PackageIDDoesNotMatch',
      packageId: SUI,
      ticketId: original,
    });
    const changes: [string, string][] = [
      ['price: u64, ctx: &mut', 'price: u32, ctx: &mut'],
      ['public fun price', 'public(package) fun price'],
      ['id: UID, price: u64 }', 'id: UID, price: u64, more: u8 }'],
      ['Sold has copy, drop', 'Sold has copy, drop, store'],
    ];
    for (const [from, to] of changes) {
      let source = first.replace(from, to);
      if (to.includes('u32'))
        source = source.replace(
          'id: object::new(ctx), price }',
          'id: object::new(ctx), price: price as u64 }',
        );
      if (to.includes('more')) {
        source = source.replace('object::new(ctx), price }', 'object::new(ctx), price, more: 1 }');
        source = source.replace('let Item { id, price }', 'let Item { id, price, more: _ }');
      }
      expect(errorOf(await upgrade(source)), to).toEqual({ kind: 'IncompatibleUpgrade' });
    }
  });

  test('pay for every byte that is read, as publishing does', async () => {
    const { modules } = await compiled(second);
    const bytes = modules.reduce((sum, module) => sum + module.length, 0);
    const { computationUnits } = await upgrade(second, { commit: false });
    expect(Number(computationUnits)).toBeGreaterThan(2 * bytes);
  });

  test('follow the policy of the ticket', async () => {
    const errorUnder = async (policy: number, source: string | Record<string, string>) =>
      errorOf(await upgrade(source, { policy, commit: false }));
    const allowed = undefined;
    const incompatible = { kind: 'IncompatibleUpgrade' };
    const added = first
      .replace('public fun sell', 'fun more(): u8 { 1 }\n public fun sell')
      .replace('public struct Sold', 'public struct More has drop { by: u64 }\n public struct Sold');
    const shuffled = first.replace(
      /(public fun price[^\n]*\n)([\s\S]*)}$/,
      (_, price: string, rest: string) => `${rest}${price}}`,
    );
    const otherConstant = first.replace('item.price }', '{ let _ = b"abc"; item.price } }');
    const another = { shop: first, extra: 'module demo::extra { public fun one(): u64 { 1 } }' };
    const friend = {
      shop: first.replace('public fun price', 'public(package) fun gift() {}\n public fun price'),
      extra: 'module demo::extra { public fun one() { demo::shop::gift() } }',
    };
    for (const [source, additive, dependenciesOnly] of [
      [first, allowed, allowed],
      [shuffled, allowed, allowed],
      [added, allowed, incompatible],
      [another, allowed, incompatible],
      [friend, allowed, incompatible],
      [second, incompatible, incompatible],
      [otherConstant, incompatible, incompatible],
      [
        first.replace('public struct Sold has copy, drop', 'public struct Sold has copy, drop, store'),
        incompatible,
        incompatible,
      ],
      [first.replace('public fun price', 'entry fun price'), incompatible, incompatible],
    ] as const) {
      expect(await errorUnder(128, source), JSON.stringify(source)).toEqual(additive);
      expect(await errorUnder(192, source), JSON.stringify(source)).toEqual(dependenciesOnly);
    }
  });

  test('are refused under a policy that nobody knows', async () => {
    expect(errorOf(await upgrade(first, { policy: 255 }))).toEqual({
      kind: 'UnknownUpgradePolicy',
      policy: 255,
    });
  });

  test('may leave the policy of the cap stricter, and never looser', async () => {
    const own = await TestChain.open();
    const id = await own.publish({ shop: first });
    const cap = [...own.objects.values()].find((each) => each.kind === 'move' && each.type === UPGRADE_CAP)!;
    const restrict = (name: string) =>
      own.run([call(`${SUI}::package::${name}`, [input(0)])], inputs(own.object(cap.id)));
    expect(restrict('only_additive_upgrades').failure).toBeUndefined();
    const under = async (policy: number) =>
      (await upgrade(first, { policy, commit: false, from: id, chain: own, cap: cap.id })).failure?.reason;
    expect(await under(0)).toMatchObject({ kind: 'MoveAbort' });
    expect(await under(128)).toMatchObject({ kind: 'UnusedValueWithoutDrop' });
    expect(restrict('only_dep_upgrades').failure).toBeUndefined();
    expect(await under(128)).toMatchObject({ kind: 'MoveAbort' });
    expect(await under(192)).toMatchObject({ kind: 'UnusedValueWithoutDrop' });
  });

  test('leave a receipt that must be committed', async () => {
    const outcome = await upgrade(second, { commit: false });
    expect(outcome.failure?.reason).toEqual({ kind: 'UnusedValueWithoutDrop', result: 1, secondary: 0 });
    expect(outcome.packages).toEqual([]);
  });

  test('keep the types of the first version, define new ones, and run the new code', async () => {
    const outcome = await upgrade(second);
    expect(outcome.failure).toBeUndefined();
    const [next] = outcome.packages;
    expect(next).toMatchObject({ version: 2n, originalId: original });
    expect(next!.typeOrigins).toContainEqual({ module: 'shop', datatype: 'Item', packageId: original });
    expect(next!.typeOrigins).toContainEqual({ module: 'shop', datatype: 'Rebate', packageId: next!.id });

    const item = chain.run(
      [call(`${original}::shop::make`, [input(0)]), transfer([result(0)], input(1))],
      inputs(5n, ALICE),
    );
    const { id } = item.writes[0]!;
    const priceIn = (version: string) =>
      u64Of(
        returned(chain.run([call(`${version}::shop::price`, [input(0)])], inputs(chain.object(id)))).bytes,
      );
    expect(priceIn(original)).toBe(5n);
    expect(priceIn(next!.id)).toBe(10n);

    const rebate = chain.run([call(`${next!.id}::shop::rebate`, [input(0)])], inputs(1n));
    expect(rebate.events).toMatchObject([{ packageId: next!.id, type: `${next!.id}::shop::Rebate` }]);
    const sold = chain.run([call(`${next!.id}::shop::sell`, [input(0)])], inputs(chain.object(id)));
    expect(sold.events).toMatchObject([{ packageId: next!.id, type: `${original}::shop::Sold` }]);

    const names = chain.run([call(`${next!.id}::shop::names`)]);
    const text = (value: number) => bcs.string().parse(returned(names, 0, value).bytes);
    expect([text(0), text(1)]).toEqual([
      `${original.slice(2)}::shop::Item`,
      `${original.slice(2)}::shop::Item`,
    ]);
  });

  test('keep the one-time witness, which no version makes', async () => {
    const own = await TestChain.open();
    const witness = 'module demo::a;\npublic struct A has drop {}\nfun init(_: A, _: &mut TxContext) {}';
    const id = await own.publish({ a: witness });
    const cap = [...own.objects.values()].find((each) => each.kind === 'move' && each.type === UPGRADE_CAP)!;
    const options = { from: id, chain: own, cap: cap.id };
    const forged = await forging(`${witness}\npublic struct B has drop {}\npublic fun forge() { B {}; }`);
    const wrong = errorOf(await upgrade(forged, options));
    const digest = Buffer.from((wrong as { digest: Uint8Array }).digest).toString('hex');
    expect((await upgrade(forged, { ...options, digest })).failure?.reason).toEqual({
      kind: 'SuiMoveVerificationError',
      message: 'a::forge at 1: the one-time witness A is made',
    });
    const outcome = await upgrade({ a: `${witness}\npublic fun more() {}` }, options);
    expect(outcome.failure).toBeUndefined();
    expect(outcome.packages).toMatchObject([{ version: 2n, originalId: id }]);
  });

  test('run the init of a new module, once, and none of a module that was there', async () => {
    const own = await TestChain.open();
    const told = (name: string) => `module demo::${name};
      public struct ${name.toUpperCase()} has drop {}
      public struct Told has copy, drop { number: u64 }
      public struct Made has key { id: UID }
      fun init(witness: ${name.toUpperCase()}, ctx: &mut TxContext) {
        assert!(sui::types::is_one_time_witness(&witness), 1);
        sui::event::emit(Told { number: 7 });
        transfer::share_object(Made { id: object::new(ctx) })
      }`;
    const id = await own.publish({ a: told('a') });
    const cap = [...own.objects.values()].find((each) => each.kind === 'move' && each.type === UPGRADE_CAP)!;
    const outcome = await upgrade({ a: told('a'), b: told('b') }, { from: id, chain: own, cap: cap.id });
    expect(outcome.failure).toBeUndefined();
    const [next] = outcome.packages;
    expect(outcome.events).toMatchObject([
      { packageId: next!.id, module: 'b', type: `${next!.id}::b::Told` },
    ]);
    expect(outcome.writes).toContainEqual(
      expect.objectContaining({ change: 'created', type: `${next!.id}::b::Made` }),
    );
    const again = await upgrade({ a: told('a'), b: told('b') }, { from: next!.id, chain: own, cap: cap.id });
    expect([again.failure, again.events]).toEqual([undefined, []]);
  });

  test('are refused when a module that was there gets an init', async () => {
    const own = await TestChain.open();
    const id = await own.publish({ shop: first });
    const cap = [...own.objects.values()].find((each) => each.kind === 'move' && each.type === UPGRADE_CAP)!;
    const added = first.replace('public fun price', 'fun init(_: &mut TxContext) {}\n  public fun price');
    expect(errorOf(await upgrade(added, { from: id, chain: own, cap: cap.id }))).toEqual({
      kind: 'IncompatibleUpgrade',
    });
  });
});

/** The module `a` with the struct A made where its source makes B, which the compiler refuses. */
async function forging(source: string) {
  const { modules, ...rest } = await compile({ a: source });
  const editor = new ModuleEditor(deserialize(modules[0]!));
  editor.body('forge', ['LdFalse', { Pack: editor.struct('A') }, 'Pop', 'Ret']);
  return { ...rest, modules: [serialize(editor.json)] };
}
