import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CompiledPackage, compilePackage, compileSources } from '@adaptor-marketplace/move-toolchain';
import { bcs } from '@mysten/sui/bcs';
import { toBase64 } from '@mysten/sui/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SUI } from '../vm/framework.ts';
import { UPGRADE_CAP } from './framework.ts';
import { inputs, returned, u64Of } from './testing/box.ts';
import { TestChain } from './testing/chain.ts';
import { ALICE, call, input, objectInput, pure, result, transfer } from './testing/commands.ts';
import type { Command } from './types.ts';

const BASE = `
module base::rate {
  public struct Quote has key, store { id: UID, amount: u64 }
  public fun rate(): u64 { 1 }
  public fun quote(ctx: &mut TxContext): Quote { Quote { id: object::new(ctx), amount: rate() } }
  public fun amount(quote: &Quote): u64 { quote.amount }
}`;
const USER = `
module user::shop {
  public fun price(): u64 { base::rate::rate() * 10 }
  public fun amount(quote: &base::rate::Quote): u64 { base::rate::amount(quote) + price() }
}`;

let dir: string;
let chain: TestChain;
let baseId: string;
let capId: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'linkage-'));
  await mkdir(join(dir, 'base/sources'), { recursive: true });
  await writeFile(
    join(dir, 'base/Move.toml'),
    '[package]\nname = "base"\nedition = "2024"\n[addresses]\nbase = "0x0"\n',
  );
  await writeFile(join(dir, 'base/sources/rate.move'), BASE);
  chain = await TestChain.open();
  baseId = publish(await compilePackage(join(dir, 'base')));
  capId = [...chain.objects.values()].find((each) => each.kind === 'move' && each.type === UPGRADE_CAP)!.id;
});

afterAll(() => rm(dir, { recursive: true }));

function publish({ modules, dependencies }: Pick<CompiledPackage, 'modules' | 'dependencies'>): string {
  const command: Command = {
    $kind: 'Publish',
    Publish: { modules: modules.map((bytes) => toBase64(bytes)), dependencies },
  };
  const outcome = chain.run([command, transfer([result(0)], input(0))], inputs(ALICE));
  expect(outcome.failure).toBeUndefined();
  return outcome.packages[0]!.id;
}

async function upgradeBase(): Promise<string> {
  const source = BASE.replace('rate(): u64 { 1 }', 'rate(): u64 { 2 }');
  const { modules, dependencies, digest } = await compileSources({
    'Move.toml': '[package]\nname = "base"\nedition = "2024"\n[addresses]\nbase = "0x0"\n',
    'sources/rate.move': source,
  });
  const outcome = chain.run(
    [
      call(`${SUI}::package::authorize_upgrade`, [input(0), input(1), input(2)]),
      {
        $kind: 'Upgrade',
        Upgrade: {
          modules: modules.map((bytes) => toBase64(bytes)),
          dependencies,
          package: baseId,
          ticket: result(0),
        },
      },
      call(`${SUI}::package::commit_upgrade`, [input(0), result(1)]),
    ],
    {
      inputs: [
        objectInput(chain.object(capId)),
        pure(bcs.u8(), 0),
        pure(bcs.byteVector(), Buffer.from(digest, 'hex')),
      ],
    },
  );
  expect(outcome.failure).toBeUndefined();
  return outcome.packages[0]!.id;
}

test('a package runs against the versions that it was published with, and objects pass between them', async () => {
  const user = await compileSources(
    {
      'Move.toml':
        '[package]\nname = "user"\nedition = "2024"\n[dependencies]\nbase = { local = "base" }\n[addresses]\nuser = "0x0"\n',
      'sources/shop.move': USER,
    },
    { base: dir, published: { base: baseId } },
  );
  expect(user.dependencies).toContain(baseId);
  const before = publish(user);
  const newBase = await upgradeBase();
  const dependencies = user.dependencies.map((id) => (id === baseId ? newBase : id));
  const after = publish({ ...user, dependencies });
  expect(chain.objects.get(after)).toMatchObject({
    linkage: new Map([...user.dependencies.map((id) => [id, expect.anything()] as const)]),
  });

  const price = (id: string) => u64Of(returned(chain.run([call(`${id}::shop::price`)])).bytes);
  expect([price(before), price(after)]).toEqual([10n, 20n]);

  const quoted = chain.run([call(`${newBase}::rate::quote`), transfer([result(0)], input(0))], inputs(ALICE))
    .writes[0]!;
  expect(quoted).toMatchObject({ type: `${baseId}::rate::Quote` });
  const amount = (id: string) =>
    u64Of(
      returned(chain.run([call(`${id}::shop::amount`, [input(0)])], inputs(chain.object(quoted.id)))).bytes,
    );
  expect([amount(before), amount(after)]).toEqual([12n, 22n]);
});
