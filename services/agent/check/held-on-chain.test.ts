import { Inputs, Transaction } from '@mysten/sui/transactions';
import { expect, test } from 'vitest';
import { heldOnChain } from './objects.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const [first, newest, pool, feed, walletId] = [id('a1'), id('a2'), id('b1'), id('b2'), id('c1')];

/** The calls that come after those of a draft, as `target<type>(arguments)`. */
async function appended(newestId: string, types: ReadonlyMap<string, string>): Promise<string[]> {
  const tx = new Transaction();
  const shared = (objectId: string) =>
    tx.object(Inputs.SharedObjectRef({ objectId, mutable: true, initialSharedVersion: 1 }));
  const frozen = Inputs.ObjectRef({ objectId: feed, version: 1, digest: '1'.repeat(32) });
  tx.moveCall({ target: '0x9::m::f', arguments: [shared(walletId), shared(pool), tx.object(frozen)] });
  const kind = Buffer.from(await tx.build({ onlyTransactionKind: true })).toString('base64');
  const wallet = { originalId: first, newestId, versionIds: new Set([first, newestId]) };
  const held = heldOnChain(kind, { packages: { wallet, allowlist: undefined }, types });
  const { commands } = Transaction.fromKind(held).getData();
  expect(commands[0]?.MoveCall).toMatchObject({ module: 'm', function: 'f' });
  return commands.slice(1).map(({ MoveCall: call }) => {
    const given = call?.arguments.map((one) =>
      'Input' in one ? `input ${one.Input}` : `result ${'Result' in one && one.Result}`,
    );
    return `${call?.module}::${call?.function}<${call?.typeArguments}>(${given})`;
  });
}

test('a later version of a package is held to have the type of the first', async () => {
  expect(await appended(newest, new Map())).toEqual([
    `option::none<${newest}::wallet::Wallet>()`,
    `option::destroy_none<${first}::wallet::Wallet>(result 1)`,
  ]);
  expect(await appended(first, new Map())).toEqual([]);
});

test('objects are held to their types, the shared and the immutable ones', async () => {
  const types = new Map([
    [pool, `${id('9')}::m::Pool`],
    [feed, `${id('9')}::m::Feed`],
  ]);
  expect(await appended(first, types)).toEqual([
    `object::id<${id('9')}::m::Pool>(input 1)`,
    `object::id<${id('9')}::m::Feed>(input 2)`,
  ]);
});
