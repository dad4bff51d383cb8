import { bcs } from '@mysten/sui/bcs';
import { toBase64 } from '@mysten/sui/utils';
import { beforeAll, describe, expect, it } from 'vitest';
import { compileSources } from '../../../lib/move/index.ts';
import { SUI } from '../vm/framework.ts';
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

async function compiled(source: string) {
  const manifest = '[package]\nname = "demo"\nedition = "2024"\n[addresses]\ndemo = "0x0"\n';
  return compileSources({ 'Move.toml': manifest, 'sources/shop.move': source });
}

/** Authorises, upgrades and (unless told otherwise) commits in one transaction, as the command line tool does. */
async function upgrade(
  source: string,
  options: { digest?: string; from?: string; commit?: boolean; policy?: number } = {},
): Promise<ExecutionOutcome> {
  const { modules, dependencies, digest } = await compiled(source);
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
  return chain.run(options.commit === false ? commands.slice(0, 2) : commands, {
    inputs: [
      objectInput(chain.object(capId)),
      pure(bcs.u8(), options.policy ?? 0),
      pure(bcs.byteVector(), Buffer.from(options.digest ?? digest, 'hex')),
    ],
  });
}

describe('upgrades', () => {
  it('are refused when the ticket is for other bytes or another package, or the change is not compatible', async () => {
    const kindOf = async (outcome: Promise<ExecutionOutcome>) => (await outcome).failure?.reason.kind;
    expect(await kindOf(upgrade(second, { digest: '00'.repeat(32) }))).toBe('PackageUpgradeError');
    expect(await kindOf(upgrade(second, { from: SUI }))).toBe('PackageUpgradeError');
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
      expect(await kindOf(upgrade(source)), to).toBe('PackageUpgradeError');
    }
  });

  it('pay for every byte that is read, as publishing does', async () => {
    const { modules } = await compiled(second);
    const bytes = modules.reduce((sum, module) => sum + module.length, 0);
    const { computationUnits } = await upgrade(second, { commit: false });
    expect(Number(computationUnits)).toBeGreaterThan(2 * bytes);
  });

  it('follow the policy of the ticket, or are refused where it is not supported', async () => {
    const reasonOf = async (source: string, policy: number) =>
      (await upgrade(source, { policy, commit: false })).failure?.reason.kind;
    expect(await reasonOf(second, 192)).toBe('PackageUpgradeError');
    // Only the receipt is missing: the upgrade itself is allowed.
    expect(await reasonOf(first, 192)).toBe('UnusedValueWithoutDrop');
    expect(await reasonOf(second, 128)).toBe('Unsupported');
  });

  it('leave a receipt that must be committed', async () => {
    const outcome = await upgrade(second, { commit: false });
    expect(outcome.failure?.reason).toEqual({ kind: 'UnusedValueWithoutDrop', result: 1, secondary: 0 });
    expect(outcome.packages).toEqual([]);
  });

  it('keep the types of the first version, define new ones anew, and run the new code', async () => {
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
});
