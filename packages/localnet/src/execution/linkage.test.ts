import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CompiledPackage, compilePackage, compileSources } from '@adaptor-marketplace/move-toolchain';
import { bcs } from '@mysten/sui/bcs';
import { toBase64 } from '@mysten/sui/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STD, SUI } from '../vm/framework.ts';
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
  entry fun fixed_price(): u64 { price() }
  public fun named<T>() {}
}`;
const QUIET = 'module quiet::shop { public fun price(): u64 { base::rate::rate() } }';
const EAGER = 'module eager::shop { fun init(_: &mut TxContext) { assert!(base::rate::rate() > 0, 0) } }';

let dir: string;
let chain: TestChain;
let baseId: string;
let capId: string;
/** The second version of the base. */
let newBase: string;
/** Linked to the first version of the base, and to the second. */
let before: string;
let after: string;

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
  const user = await compiled('user', USER);
  expect(user.dependencies).toContain(baseId);
  before = publish(user);
  newBase = await upgradeBase();
  after = publish({ ...user, dependencies: against(newBase, user.dependencies) });
});

afterAll(() => rm(dir, { recursive: true }));

/** A package that depends on the first version of the base. */
function compiled(name: string, source: string): Promise<CompiledPackage> {
  const manifest = `[package]\nname = "${name}"\nedition = "2024"\n[dependencies]\nbase = { local = "base" }\n[addresses]\n${name} = "0x0"\n`;
  const files = { 'Move.toml': manifest, 'sources/shop.move': source };
  return compileSources(files, { base: dir, published: { base: baseId } });
}

/** Dependencies with another version of the base. */
function against(version: string, dependencies: string[]): string[] {
  return dependencies.map((id) => (id === baseId ? version : id));
}

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
  const source = BASE.replace('rate(): u64 { 1 }', 'rate(): u64 { 2 }').replace(
    'public struct Quote',
    'public struct Extra {}\n  public struct Quote',
  );
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

const price = (id: string) => u64Of(returned(chain.run([call(`${id}::shop::price`)])).bytes);

test('a package runs against the versions that it was published with, and objects pass between them', () => {
  expect(chain.objects.get(after)).toMatchObject({
    linkage: new Map([STD, SUI, baseId].map((id) => [id, expect.anything()] as const)),
  });
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

describe('the versions of a transaction', () => {
  const refused = (command: number) => ({ command, reason: { kind: 'InvalidLinkage' } });
  const rate = (version: string) => call(`${version}::rate::rate`);

  test('are one for all commands: the newest that one needs, below the others too', () => {
    const outcome = chain.run([call(`${before}::shop::price`), call(`${after}::shop::price`)]);
    expect([0, 1].map((command) => u64Of(returned(outcome, command).bytes))).toEqual([20n, 20n]);
    const exact = chain.run([call(`${before}::shop::price`), rate(newBase)]);
    expect(u64Of(returned(exact).bytes)).toBe(20n);
    expect(price(before)).toBe(10n);
  });

  test('are refused when commands call two of one package', () => {
    expect(chain.run([rate(baseId), rate(newBase)]).failure).toMatchObject(refused(1));
    expect(chain.run([rate(baseId), rate(baseId)]).failure).toBeUndefined();
  });

  test('are refused when one is called that is older than another command needs', () => {
    expect(chain.run([rate(baseId), call(`${after}::shop::price`)]).failure).toMatchObject(refused(1));
    expect(chain.run([call(`${after}::shop::price`), rate(baseId)]).failure).toMatchObject(refused(1));
    expect(chain.run([rate(baseId), call(`${before}::shop::price`)]).failure).toBeUndefined();
  });

  test('stay those of the publication below an entry function that is not public', () => {
    const fixed = call(`${before}::shop::fixed_price`);
    expect(u64Of(returned(chain.run([fixed])).bytes)).toBe(10n);
    expect(chain.run([fixed, rate(newBase)]).failure).toMatchObject(refused(1));
  });

  test('are at least as new as types that commands name', () => {
    const named = call(`${before}::shop::named`, [], [`${newBase}::rate::Extra`]);
    const made: Command = {
      $kind: 'MakeMoveVec',
      MakeMoveVec: { type: `vector<${newBase}::rate::Extra>`, elements: [] },
    };
    for (const command of [named, made]) {
      expect(chain.run([rate(baseId), command]).failure).toMatchObject(refused(1));
    }
    const outcome = chain.run([named, call(`${before}::shop::price`)]);
    expect(u64Of(returned(outcome, 1).bytes)).toBe(20n);
  });

  test('count what is published exactly where its init runs, and not at all without one', async () => {
    const published = async (name: string, source: string, version: string): Promise<Command> => {
      const { modules, dependencies } = await compiled(name, source);
      const encoded = modules.map((bytes) => toBase64(bytes));
      return {
        $kind: 'Publish',
        Publish: { modules: encoded, dependencies: against(version, dependencies) },
      };
    };
    const run = (...commands: Command[]) => {
      const caps = commands.flatMap(({ $kind }, i) => ($kind === 'Publish' ? [result(i)] : []));
      return chain.run([...commands, transfer(caps, input(0))], inputs(ALICE)).failure;
    };
    const eager = await published('eager', EAGER, newBase);
    expect(run(eager, rate(newBase))).toBeUndefined();
    expect(run(eager, rate(baseId))).toMatchObject(refused(1));
    expect(run(rate(baseId), eager)).toMatchObject(refused(1));
    expect(run(eager, await published('eager', EAGER, baseId))).toMatchObject(refused(1));
    expect(run(await published('quiet', QUIET, newBase), rate(baseId))).toBeUndefined();
  });

  test('of what a package is linked to are one, however often it is named', async () => {
    const { modules, dependencies } = await compiled('quiet', QUIET);
    const failure = (more: string) => {
      const encoded = modules.map((bytes) => toBase64(bytes));
      const command: Command = {
        $kind: 'Publish',
        Publish: { modules: encoded, dependencies: [...dependencies, more] },
      };
      return chain.run([command, transfer([result(0)], input(0))], inputs(ALICE)).failure;
    };
    expect(failure(baseId)).toBeUndefined();
    expect(failure(newBase)).toMatchObject(refused(0));
  });
});
