import { createObjectReader } from '@adaptor-marketplace/adaptor/chain';
import { GrpcTypes } from '@mysten/sui/grpc';
import { Inputs, Transaction } from '@mysten/sui/transactions';
import { describe, expect, test } from 'vitest';
import { type AllowedObjects, appendChainChecks, checkObjects } from './objects.ts';

describe('objects by the node', () => {
  const { Owner_OwnerKind: OwnerKind } = GrpcTypes;
  const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
  const [walletId, cap, list, clock] = [id('a1'), id('a2'), id('a3'), id('6')];
  /** Our wallet package, its second version, and a stranger's package. */
  const [ours, upgraded, theirs] = [id('b1'), id('b2'), id('c1')];
  const [walletType, listType] = [`${ours}::wallet::Wallet`, `${id('b3')}::rule::Allowlist`];

  interface OnChain {
    type: string;
    owner?: GrpcTypes.Owner_OwnerKind;
  }

  /** A node with these objects. They are shared unless they name another owner. */
  function createNode(objects: Record<string, OnChain>) {
    const batchGetObjects = async ({ requests }: GrpcTypes.BatchGetObjectsRequest) => ({
      response: {
        objects: requests.flatMap(({ objectId = '' }) => {
          const { type, owner = OwnerKind.SHARED } = objects[objectId] ?? {};
          if (type === undefined) return [];
          const object = {
            objectId,
            version: 7n,
            digest: '1',
            objectType: type,
            owner: { kind: owner, version: 1n, address: id('e') },
          };
          return [{ result: { oneofKind: 'object', object } }];
        }),
      },
    });
    return createObjectReader({ ledgerService: { batchGetObjects } } as never);
  }

  const known = { [walletId]: { type: walletType }, [list]: { type: listType } };
  const allowed: AllowedObjects = {
    walletId,
    walletType,
    listType,
    caps: new Set([cap]),
    lists: new Set([list]),
  };
  const isOurs = async (packageId: string) => [ours, upgraded, id('b3')].includes(packageId);
  const check = (ids: string[], objects: Record<string, OnChain> = {}) =>
    checkObjects(createNode({ ...known, ...objects }), ids, allowed, isOurs);

  const one = id('d1');
  const address = OwnerKind.ADDRESS;

  test('the wallet, the clock, what stamps a spend, and shared or immutable objects pass', async () => {
    await check([walletId, clock, cap, list]);
    await check([one], { [one]: { type: `${theirs}::pool::Pool<${id('2')}::sui::SUI>` } });
    await check([one], { [one]: { type: `${theirs}::pool::Config`, owner: OwnerKind.IMMUTABLE } });
  });

  test.each<[string, OnChain]>([
    ['owned by the agent’s address', { type: `${theirs}::pool::Pool`, owner: address }],
    ['a coin', { type: `${id('2')}::coin::Coin<${id('2')}::sui::SUI>`, owner: address }],
    ['owned by another object', { type: `${theirs}::pool::Pool`, owner: OwnerKind.OBJECT }],
    ['a party object', { type: `${theirs}::pool::Pool`, owner: OwnerKind.CONSENSUS_ADDRESS }],
    ['of an unknown kind of owner', { type: `${theirs}::pool::Pool`, owner: OwnerKind.OWNER_KIND_UNKNOWN }],
    ['a package', { type: 'package', owner: OwnerKind.IMMUTABLE }],
  ])('an object that is %s is not taken in', async (_what, object) => {
    await expect(check([one], { [one]: object })).rejects.toThrow(/neither shared nor immutable/);
  });

  test('an object that does not exist is not taken in', async () => {
    await expect(check([one])).rejects.toThrow(/neither shared nor immutable/);
  });

  test.each<[string, string]>([
    ['another wallet', walletType],
    ['a list that stamps no spend of this transaction', listType],
    ['a cap', `${ours}::cap_auth::DelegateCap`],
    ['of a type that a later version defined', `${upgraded}::wallet::Vault`],
    ['a thing around one of ours', `${theirs}::raid::Case<${ours}::cap_auth::DelegateCap>`],
    [
      'a thing that names one of ours deep within',
      `${theirs}::m::A<vector<${theirs}::m::B<u8, ${walletType}>>>`,
    ],
  ])('%s is not taken in, shared or immutable', async (_what, type) => {
    for (const owner of [OwnerKind.SHARED, OwnerKind.IMMUTABLE]) {
      await expect(check([one], { [one]: { type, owner } })).rejects.toThrow(`it uses ${one}, a `);
    }
  });

  test('the ids of the wallet and of a list stand for nothing but a wallet and a list', async () => {
    const pool = { type: `${theirs}::pool::Pool` };
    await expect(check([walletId], { [walletId]: pool })).rejects.toThrow(`it uses ${walletId}, a `);
    await expect(check([list], { [list]: pool })).rejects.toThrow(`it uses ${list}, a `);
    const none = { ...allowed, listType: undefined };
    await expect(checkObjects(createNode(known), [list], none, isOurs)).rejects.toThrow(
      `it uses ${list}, a `,
    );
  });
});

describe('what the chain holds', () => {
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
    const held = appendChainChecks(kind, { packages: { wallet, allowlist: undefined }, types });
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
});
