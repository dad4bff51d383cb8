import { createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { publishCompiled, upgrade } from '@adaptor-marketplace/localnet/upgrade';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { normalizeStructTag } from '@mysten/sui/utils';
import { expect, onTestFinished, test } from 'vitest';
import { createChainClient } from '../chain/client.ts';
import { createFunctionReader } from '../chain/functions.ts';
import { createObjectReader } from '../chain/objects.ts';
import { packageVersions } from '../chain/package-versions.ts';
import type { ExecutableOp } from '../manifest/op.ts';
import { resolveEach, resolveOps } from './resolve-ops.ts';

const poolModule = (name: string) => `module venue::${name};
public struct Share<phantom T> has drop {}
public struct Pool<phantom A, phantom B> has key { id: UID }
public fun open<A, B>(ctx: &mut TxContext) {
  transfer::share_object(Pool<A, Share<B>> { id: object::new(ctx) })
}
public fun swap<A, B>(_pool: &mut Pool<A, Share<B>>, _amount: u64) {}
public fun mint<T>(): Share<T> { Share {} }
public fun burn<T: drop>(_share: T) {}
`;

const compileVenue = (modules: string[]) =>
  compileSources({
    'Move.toml': moveToml('venue'),
    ...Object.fromEntries(modules.map((name) => [`sources/${name}.move`, poolModule(name)])),
  });

const gold = normalizeStructTag('0x2::sui::SUI');
const silver = normalizeStructTag('0x2::clock::Clock');

const swapIn = (module: string, objectId: string): ExecutableOp => ({
  kind: 'swap',
  module,
  entry: 'swap',
  call: { typeArgs: ['coinIn', 'coinOut'], args: [{ role: 'object', objectId }, { role: 'amount' }] },
});

/** A network with a package whose second version added the module `later`. */
async function startVenue() {
  const localnet = await startTestLocalnet();
  onTestFinished(() => localnet.close());
  const client = createChainClient({ url: localnet.rpcUrl });
  onTestFinished(() => client.close());
  const publisher = await createAccount(client, localnet.faucetUrl);
  const venue = await publishCompiled(publisher, await compileVenue(['early']));
  const newest = await upgrade(
    publisher,
    { packageId: venue.originalId, upgradeCapId: venue.upgradeCapId },
    await compileVenue(['early', 'later']),
  );
  const chain = {
    functions: createFunctionReader(client),
    objects: createObjectReader(client),
    versions: packageVersions(client),
  };
  return { publisher, venue, newest, chain };
}

test('a pool settles its coins in whichever version of its package its type came', async () => {
  const { publisher, venue, newest, chain } = await startVenue();
  const openPool = async (module: string): Promise<string> => {
    const { created } = await execute(publisher, (tx) => {
      tx.moveCall({ target: `${newest}::${module}::open`, typeArguments: [gold, silver] });
    });
    return created.find(({ type }) => type.includes('::Pool<'))!.id;
  };
  const [early, later] = [await openPool('early'), await openPool('later')];
  const ops = [swapIn('early', early), swapIn('later', later), swapIn('early', later)];
  const resolved = await resolveOps(chain, newest, ops);
  const settled = { coinIn: gold, coinOut: silver };
  const open = { coinIn: undefined, coinOut: undefined };
  expect(resolved.map(({ coinIn, coinOut }) => ({ coinIn, coinOut }))).toEqual([settled, settled, open]);
  const types = resolved.map(({ objects }) => objects[0]!.type.split('::')[0]);
  expect(types).toEqual([venue.originalId, newest, newest]);
});

test('a result fits a type argument that names its type, in whichever version that came', async () => {
  const { publisher, venue, newest, chain } = await startVenue();
  const { originalId: stranger } = await publishCompiled(publisher, await compileVenue(['early', 'later']));
  const mintThenBurn = (module: string, packageId: string): ExecutableOp => ({
    kind: 'custom',
    module,
    entry: 'mint',
    calls: [
      { module, entry: 'mint', typeArgs: ['coinIn'], args: [] },
      {
        module,
        entry: 'burn',
        typeArgs: [`${packageId}::${module}::Share<${gold}>`],
        args: [{ role: 'result', call: 0 }],
      },
    ],
  });
  const ops = [
    mintThenBurn('early', venue.originalId),
    mintThenBurn('later', newest),
    mintThenBurn('early', stranger),
    mintThenBurn('later', stranger),
  ];
  const misfits = (await resolveEach(chain, newest, ops)).map((one) => ('why' in one ? one.why : undefined));
  const other = 'Call 1 (early::burn): Argument 0 is result 0 of call 0, which is of another type.';
  expect(misfits).toEqual([undefined, undefined, other, other.replace('early', 'later')]);
});
