import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { bcs } from '@mysten/sui/bcs';
import { Transaction, type TransactionArgument } from '@mysten/sui/transactions';
import { toBase64 } from '@mysten/sui/utils';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { Certifier } from '../certify/index.ts';
import { linkProgram } from '../certify/testing/program.ts';
import { publishedFramework, publishedText } from '../introspect/testing/packages.ts';
import {
  ExplainError,
  type ExplainFacts,
  explain,
  explainBounds,
  type FunctionFact,
  functionKey,
  listCalls,
  listTypeOrigins,
  type ObjectFact,
  parseTransaction,
} from './index.ts';

const address = (digits: string) => `0x${digits.padStart(64, '0')}`;
const [alice, bob] = ['a11ce', 'b0b'].map(address) as [string, string];
const sui = `${address('2')}::sui::SUI`;
const coinType = `${address('2')}::coin::Coin<${sui}>`;

const shop = `module shop::shop;
use sui::coin::Coin;
use sui::sui::SUI;

public struct Till has key { id: UID, owner: address }
public struct Ticket has key, store { id: UID, deposit: Coin<SUI> }

public fun pay(coin: &mut Coin<SUI>, amount: u64, ctx: &mut TxContext) {
    transfer::public_transfer(coin.split(amount, ctx), @0xC0DE)
}
public fun tip(till: &Till, coin: Coin<SUI>) { transfer::public_transfer(coin, till.owner) }
public fun buy(coin: Coin<SUI>, ctx: &mut TxContext): Ticket { Ticket { id: object::new(ctx), deposit: coin } }
public fun offer(coin: Coin<SUI>, ctx: &mut TxContext) { transfer::share_object(buy(coin, ctx)) }
public fun refund(ticket: Ticket): Coin<SUI> {
    let Ticket { id, deposit } = ticket;
    id.delete();
    deposit
}
public fun all(coins: vector<Coin<SUI>>, to: vector<address>) {
    coins.zip_do!(to, |coin, each| transfer::public_transfer(coin, each))
}
public struct Pot<T> { inner: T }
public fun wrap<T>(inner: T): Pot<T> { Pot { inner } }
public fun unwrap<T>(pot: Pot<T>): T { let Pot { inner } = pot; inner }
public fun pop<T>(list: &mut vector<T>): T { list.pop_back() }
public fun choose<T>(a: T, b: T, isFirst: bool): (T, T) { if (isFirst) (a, b) else (b, a) }
public fun empty<T>(list: vector<T>) { list.destroy_empty() }
public fun raise(amount: &mut u64) { *amount = 900 }
public fun redirect(to: &mut address) { *to = @0xC0DE }
public struct Purse has key, store { id: UID, guests: vector<address>, limits: Limits }
public struct Limits has store { each: u64, all: u64 }
public fun invite(purse: &mut Purse, guest: address) { purse.guests.push_back(guest) }
public fun invited(mut purse: Purse, guest: address): Purse { purse.guests.push_back(guest); purse }
public fun same(purse: Purse): Purse { purse }
public fun limit(purse: &mut Purse, each: u64) { purse.limits.each = each }
public fun look(purse: &Purse): u64 { purse.guests.length() }
public struct Held { ticket: transfer::Receiving<Coin<SUI>> }
public fun hold(ticket: transfer::Receiving<Coin<SUI>>): Held { Held { ticket } }
public fun receive_both(till: &mut Till, held: Held, ticket: transfer::Receiving<Coin<SUI>>) {
    let Held { ticket: first } = held;
    received(till, first);
    received(till, ticket);
}
public fun received(till: &mut Till, ticket: transfer::Receiving<Coin<SUI>>) {
    transfer::public_transfer(transfer::public_receive(&mut till.id, ticket), @0xC0DE)
}
`;

let shopId: string;
let certifier: Certifier;
let frameworkCertifier: Certifier;
let typeOrigins: ReadonlyMap<string, string>;
beforeAll(async () => {
  const root = await publishedText({ 'Move.toml': moveToml('shop'), 'sources/shop.move': shop });
  const program = await linkProgram(root, []);
  shopId = root.id;
  certifier = new Certifier(program);
  typeOrigins = listTypeOrigins(program);
  const framework = await publishedFramework();
  frameworkCertifier = new Certifier({
    root: await framework.read('0x2'),
    dependencies: [await framework.read('0x1')],
  });
});

const owned = (id: string, owner: string, type: string, balance?: bigint): ObjectFact => ({
  id,
  type,
  balance,
  owner: { kind: 'address', address: owner },
});

/** Explains a transaction of Alice, with the certificates of all functions of the shop and of the framework. */
async function explainBuilt(
  build: (tx: Transaction) => void,
  objects: readonly ObjectFact[] = [],
  functions?: ExplainFacts['functions'],
) {
  const tx = new Transaction();
  tx.setSender(alice);
  build(tx);
  const parsed = parseTransaction(await tx.toJSON());
  const certified = (functions ? [] : listCalls(parsed.commands)).map((call): [string, FunctionFact] => {
    const from = call.package === address('2') ? frameworkCertifier : certifier;
    const certificate = from.certify({ module: call.module, function: call.function });
    return [functionKey(call), { certificate, typeOrigins }];
  });
  return explain(parsed, {
    objects: new Map(objects.map((object) => [object.id, object])),
    functions: functions ?? new Map(certified),
    upgrades: new Map(),
  });
}

const makeCall = (module: string, name: string) => ({
  MoveCall: { package: '0x2', module, function: name, typeArguments: [], arguments: [] },
});

const upgraded = { modules: [], dependencies: [], package: '0x99', ticket: { Result: 0 } };

/** The JSON form of a transaction of Alice. */
const writeJson = ({ inputs = [], commands = [], payment = null }: Record<string, unknown>) =>
  JSON.stringify({
    version: 2,
    sender: alice,
    expiration: null,
    gasData: { budget: null, price: null, owner: null, payment },
    inputs,
    commands,
  });

const purse = owned(address('c1'), alice, coinType, 1_000n);
const till: ObjectFact = {
  id: address('7'),
  type: `${address('99')}::shop::Till`,
  owner: { kind: 'shared' },
};

describe('money', () => {
  test('a split coin leaves with its amount, and nothing else leaves', async () => {
    const { leaves, rest, sentences } = await explainBuilt((tx) => {
      tx.transferObjects([...tx.splitCoins(tx.gas, [40, 2])], bob);
    });
    expect(leaves).toEqual([
      {
        holder: { kind: 'address', address: alice },
        type: sui,
        atMost: '42',
        routes: [{ to: { kind: 'address', address: bob }, likelihood: 'always', commands: [1] }],
      },
    ]);
    expect(rest).toBe('cannot');
    expect(sentences.map(({ text }) => text)).toEqual([
      `At most 0.000000042 SUI leaves your address. It goes to ${bob}.`,
      'Nothing else leaves your address or a wallet, but for gas.',
      'Gas is paid by your address. The transaction sets no budget yet.',
    ]);
  });

  test('a part of a coin that is merged back does not leave', async () => {
    const { leaves } = await explainBuilt(
      (tx) => {
        const [part] = tx.splitCoins(tx.object(purse.id), [40]);
        tx.mergeCoins(tx.gas, [part!]);
      },
      [purse],
    );
    expect(leaves).toEqual([]);
  });

  test('parts of a coin are together no more than the coin', async () => {
    const { leaves } = await explainBuilt(
      (tx) => {
        tx.transferObjects([...tx.splitCoins(tx.object(purse.id), [900, 900])], bob);
      },
      [purse],
    );
    expect(leaves[0]?.atMost).toBe('1000');
  });

  test('a call takes from a borrowed coin what its code takes, and sends it where its code says', async () => {
    const { leaves } = await explainBuilt(
      (tx) => {
        tx.moveCall({ target: `${shopId}::shop::pay`, arguments: [tx.object(purse.id), tx.pure.u64(5)] });
      },
      [purse],
    );
    expect(leaves).toMatchObject([
      { atMost: '5', routes: [{ to: { kind: 'address', address: address('c0de') }, likelihood: 'may' }] },
    ]);
  });

  const own = { id: address('b1'), owner: { kind: 'address', address: alice } } as const;
  const explainCalls = (names: readonly string[], fact: Partial<ObjectFact> = {}) => {
    const object = { ...own, type: `${shopId}::shop::Purse`, ...fact };
    return explainBuilt(
      (tx) => {
        for (const name of names) {
          const rest = { invite: [tx.pure.address(bob)], limit: [tx.pure.u64(1)] }[name] ?? [];
          tx.moveCall({ target: `${shopId}::shop::${name}`, arguments: [tx.object(object.id), ...rest] });
        }
      },
      [object],
    );
  };

  test('a right that a call gives is in a field that it writes, of an object that stays', async () => {
    const { changes, objects, sentences } = await explainCalls(['invite', 'look', 'limit']);
    expect(objects).toEqual([]);
    expect(changes).toEqual([
      {
        id: own.id,
        type: `${shopId}::shop::Purse`,
        fields: [`${shopId}::shop::Limits.each`, `${shopId}::shop::Purse.guests[]`],
        otherFields: 0,
        commands: [0, 2],
      },
    ]);
    expect(sentences.find(({ kind }) => kind === 'changes')?.text).toBe(
      `Fields of the object ${own.id} (${shopId}::shop::Purse) may be written: shop::Limits.each, shop::Purse.guests[]. A right of others to take later, such as a grant, is in such a field.`,
    );
    expect(sentences.find(({ kind }) => kind === 'rest')?.text).toBe(
      'Nothing leaves your address or a wallet, but for gas.',
    );
  });

  test.each(['invited', 'same'])(
    'an object that %s takes and returns has the fields that are written',
    async (name) => {
      const object = { ...own, type: `${shopId}::shop::Purse` };
      const { changes } = await explainBuilt(
        (tx) => {
          const invite = (call: string, ...args: TransactionArgument[]) =>
            tx.moveCall({ target: `${shopId}::shop::${call}`, arguments: args });
          const guest = tx.pure.address(bob);
          const returned = invite(name, tx.object(object.id), ...(name === 'invited' ? [guest] : []));
          if (name === 'same') invite('invite', returned, guest);
          tx.transferObjects([returned], alice);
        },
        [object],
      );
      expect(changes).toMatchObject([{ id: object.id, fields: [`${shopId}::shop::Purse.guests[]`] }]);
    },
  );

  test('an object that is only read, and one that anyone can use, has no changes', async () => {
    expect((await explainCalls(['look'])).changes).toEqual([]);
    expect((await explainCalls(['invite'], { owner: { kind: 'shared' } })).changes).toEqual([]);
  });

  test('nothing leaves by a call that takes nothing, and the rights that it gives are not covered', async () => {
    const { leaves, rest, sentences } = await explainBuilt((tx) => {
      tx.moveCall({ target: `${shopId}::shop::raise`, arguments: [tx.pure.u64(1)] });
    });
    expect([leaves, rest]).toEqual([[], 'cannot']);
    expect(sentences.find(({ kind }) => kind === 'rest')?.text).toBe(
      'Nothing leaves your address or a wallet, but for gas. This does not cover rights that a call gives to others, to take later.',
    );
  });

  test('an amount that comes out of a call has the whole coin as its bound', async () => {
    const { leaves } = await explainBuilt(
      (tx) => {
        const amount = tx.moveCall({ target: `${shopId}::shop::buy`, arguments: [tx.gas] });
        tx.moveCall({ target: `${shopId}::shop::pay`, arguments: [tx.object(purse.id), amount] });
      },
      [purse],
    );
    expect(leaves[0]?.atMost).toBe('1000');
  });

  test('a number that a call may write is no longer the one that the transaction has', async () => {
    const raised = (functions?: ExplainFacts['functions']) =>
      explainBuilt(
        (tx) => {
          const amount = tx.pure.u64(1);
          tx.moveCall({ target: `${shopId}::shop::raise`, arguments: [amount] });
          tx.transferObjects([...tx.splitCoins(tx.object(purse.id), [amount])], bob);
        },
        [purse],
        functions,
      );
    expect((await raised()).leaves[0]?.atMost).toBe('1000');
    expect((await raised(new Map())).leaves[0]?.atMost).toBe('1000');
  });

  test('an address that a call may write is no longer the one that the transaction has', async () => {
    const { leaves } = await explainBuilt(
      (tx) => {
        const to = tx.pure.address(alice);
        tx.moveCall({ target: `${shopId}::shop::redirect`, arguments: [to] });
        tx.transferObjects([...tx.splitCoins(tx.object(purse.id), [5])], to);
      },
      [purse],
    );
    expect(leaves).toMatchObject([{ atMost: '5', routes: [{ to: { kind: 'computedAddress' } }] }]);
  });

  test('money goes to an address that is stored on chain, which is named by its field', async () => {
    const { leaves } = await explainBuilt(
      (tx) => {
        tx.moveCall({ target: `${shopId}::shop::tip`, arguments: [tx.object(till.id), tx.object(purse.id)] });
      },
      [purse, till],
    );
    const to = { kind: 'storedAddress', path: `${shopId}::shop::Till.owner` };
    expect(leaves).toMatchObject([{ atMost: '1000', routes: [{ to, likelihood: 'always' }] }]);
  });

  test('each address of a list is a destination', async () => {
    const { leaves } = await explainBuilt(
      (tx) => {
        const coins = tx.makeMoveVec({ elements: [tx.object(purse.id)] });
        const list = tx.pure(bcs.vector(bcs.Address).serialize([bob, alice]));
        tx.moveCall({ target: `${shopId}::shop::all`, arguments: [coins, list] });
      },
      [purse],
    );
    expect(leaves[0]?.routes.map(({ to }) => to)).toContainEqual({ kind: 'address', address: bob });
  });

  test('money within an object leaves the coins of its owner, and comes back out of the object', async () => {
    const kept = await explainBuilt(
      (tx) => {
        const ticket = tx.moveCall({ target: `${shopId}::shop::buy`, arguments: [tx.object(purse.id)] });
        tx.transferObjects([ticket], alice);
      },
      [purse],
    );
    expect(kept.leaves[0]?.routes).toMatchObject([
      { to: { address: alice }, within: `${shopId}::shop::Ticket` },
    ]);
    const back = await explainBuilt(
      (tx) => {
        const ticket = tx.moveCall({ target: `${shopId}::shop::buy`, arguments: [tx.object(purse.id)] });
        const coin = tx.moveCall({ target: `${shopId}::shop::refund`, arguments: [ticket] });
        tx.transferObjects([coin], alice);
      },
      [purse],
    );
    expect(back.leaves).toEqual([]);
  });

  test('money in an object that is shared names the object once', async () => {
    const { sentences } = await explainBuilt(
      (tx) => {
        tx.moveCall({ target: `${shopId}::shop::offer`, arguments: [tx.object(purse.id)] });
      },
      [purse],
    );
    const text = sentences.find(({ kind }) => kind === 'leaves')?.text;
    expect(text).toContain(`into a shared object, ${shopId}::shop::Ticket.`);
  });

  test('what an object received leaves that object', async () => {
    // The chain has it as an object of an address, which is that of the till.
    const sent = owned(address('c3'), till.id, coinType, 1_000n);
    const { leaves } = await explainBuilt(
      (tx) => {
        tx.moveCall({
          target: `${shopId}::shop::received`,
          arguments: [tx.object(till.id), tx.object(sent.id)],
        });
      },
      [till, sent],
    );
    expect(leaves).toMatchObject([{ holder: { kind: 'object', id: till.id }, atMost: '1000' }]);
  });

  test('a withdrawal takes no more of the balance of an address than it reserves', async () => {
    const { leaves } = await explainBuilt(
      (tx) => {
        const coin = tx.moveCall({
          target: '0x2::coin::redeem_funds',
          typeArguments: [sui],
          arguments: [tx.withdrawal({ amount: 9n })],
        });
        tx.transferObjects([coin], bob);
      },
      [],
      new Map(),
    );
    expect(leaves).toMatchObject([{ type: sui, atMost: '9' }]);
  });

  const callFramework = (tx: Transaction, name: string, type: string, ...args: TransactionArgument[]) =>
    tx.moveCall({ target: `0x2::${name}`, typeArguments: [type], arguments: args });

  test('money that a transaction splits off a balance leaves, and what it joins to another one goes with that', async () => {
    const split = await explainBuilt(
      (tx) => {
        const balance = callFramework(tx, 'coin::into_balance', sui, tx.object(purse.id));
        const part = callFramework(tx, 'balance::split', sui, balance, tx.pure.u64(900));
        tx.transferObjects([callFramework(tx, 'coin::from_balance', sui, part)], bob);
        tx.transferObjects([callFramework(tx, 'coin::from_balance', sui, balance)], alice);
      },
      [purse],
    );
    const to = { kind: 'address', address: bob };
    expect(split.leaves).toMatchObject([{ atMost: '900', routes: [{ to }] }]);
    const joined = await explainBuilt(
      (tx) => {
        const balance = callFramework(tx, 'balance::zero', sui);
        const whole = callFramework(tx, 'coin::into_balance', sui, tx.object(purse.id));
        callFramework(tx, 'balance::join', sui, balance, whole);
        tx.transferObjects([callFramework(tx, 'coin::from_balance', sui, balance)], bob);
      },
      [purse],
    );
    expect(joined.leaves).toMatchObject([{ atMost: '1000', routes: [{ to }] }]);
  });

  test('a part of a right to withdraw takes from the balance of an address as the right does', async () => {
    const { leaves } = await explainBuilt((tx) => {
      const type = `${address('2')}::balance::Balance<${sui}>`;
      const right = tx.withdrawal({ amount: 9n });
      const part = callFramework(tx, 'funds_accumulator::withdrawal_split', type, right, tx.pure.u256(3n));
      tx.transferObjects([callFramework(tx, 'coin::redeem_funds', sui, part)], bob);
    });
    expect(leaves).toMatchObject([{ type: sui, atMost: '9', routes: [{ to: { address: bob } }] }]);
  });

  test('an amount that a command fixes comes at least', async () => {
    const pool: ObjectFact = { ...purse, owner: { kind: 'shared' } };
    const { arrives } = await explainBuilt(
      (tx) => {
        tx.transferObjects([...tx.splitCoins(tx.object(pool.id), [30])], alice);
      },
      [pool],
    );
    expect(arrives).toMatchObject([{ atLeast: '30', from: [{ kind: 'protocol', id: pool.id }] }]);
  });
});

describe('objects', () => {
  const ticket = () => owned(address('d1'), alice, `${shopId}::shop::Ticket`);

  test('an object that is given away changes hands, and one that is taken apart ends', async () => {
    const given = await explainBuilt((tx) => tx.transferObjects([tx.object(ticket().id)], bob), [ticket()]);
    expect(given.objects).toMatchObject([
      { id: ticket().id, routes: [{ to: { kind: 'address', address: bob }, likelihood: 'always' }] },
    ]);
    const ended = await explainBuilt(
      (tx) => {
        const coin = tx.moveCall({ target: `${shopId}::shop::refund`, arguments: [tx.object(ticket().id)] });
        tx.transferObjects([coin], bob);
      },
      [ticket()],
    );
    expect(ended.objects).toMatchObject([{ routes: [{ to: { kind: 'destroyed' } }] }]);
    expect(ended.leaves).toMatchObject([{ holder: { id: ticket().id }, type: sui, atMost: null }]);
  });

  test.each(['a struct that wraps it', 'a vector'])(
    'an object that comes out of %s changes hands',
    async (form) => {
      const { type } = ticket();
      const { objects, leaves } = await explainBuilt(
        (tx) => {
          const call = (name: string, of: string, argument: TransactionArgument) =>
            tx.moveCall({ target: `${shopId}::shop::${name}`, typeArguments: [of], arguments: [argument] });
          if (form === 'a vector') {
            const list = tx.makeMoveVec({ type, elements: [tx.object(ticket().id)] });
            tx.transferObjects([call('pop', type, list)], bob);
            call('empty', type, list);
          } else tx.transferObjects([call('unwrap', type, call('wrap', type, tx.object(ticket().id)))], bob);
        },
        [ticket()],
      );
      expect(objects).toMatchObject([
        { id: ticket().id, type, routes: [{ to: { kind: 'address', address: bob } }] },
      ]);
      expect(leaves).toEqual([]);
    },
  );

  test('one of several objects that a call chooses, or takes out of a vector, may be another one', async () => {
    const { type } = ticket();
    const other = { ...ticket(), id: address('d2') };
    const sendOne = (build: (tx: Transaction) => [TransactionArgument, TransactionArgument]) =>
      explainBuilt(
        (tx) => {
          const [first, second] = build(tx);
          tx.transferObjects([first], bob);
          tx.transferObjects([second], alice);
        },
        [ticket(), other],
      );
    const chosen = await sendOne((tx) => {
      const args = [tx.object(ticket().id), tx.object(other.id), tx.pure.bool(false)];
      const call = { target: `${shopId}::shop::choose`, typeArguments: [type], arguments: args };
      const [first, second] = tx.moveCall(call);
      return [first!, second!];
    });
    const popped = await sendOne((tx) => {
      const list = tx.makeMoveVec({ type, elements: [tx.object(ticket().id), tx.object(other.id)] });
      const pop = () =>
        tx.moveCall({ target: `${shopId}::shop::pop`, typeArguments: [type], arguments: [list] });
      return [pop(), pop()];
    });
    for (const { objects } of [chosen, popped]) {
      const routes = [
        { to: { kind: 'address', address: bob }, likelihood: 'may', commands: [expect.any(Number)] },
      ];
      expect(objects.map((each) => [each.id, each.routes])).toEqual([
        [ticket().id, routes],
        [other.id, routes],
      ]);
    }
  });

  test('an object that comes out of a container changes hands, and the fields of the container are not its own', async () => {
    const { type } = ticket();
    const { objects, changes } = await explainBuilt(
      (tx) => {
        const call = (name: string, typeArguments: string[], ...args: TransactionArgument[]) =>
          tx.moveCall({ target: `0x2::object_bag::${name}`, typeArguments, arguments: args });
        const bag = call('new', []);
        call('add', ['u64', type], bag, tx.pure.u64(1), tx.object(ticket().id));
        tx.transferObjects([call('remove', ['u64', type], bag, tx.pure.u64(1))], bob);
        call('destroy_empty', [], bag);
      },
      [ticket()],
    );
    expect(objects[0]?.routes.map(({ to }) => to)).toContainEqual({ kind: 'address', address: bob });
    expect(changes).toEqual([]);
    const kiosk = await explainBuilt(
      (tx) => {
        const call = (name: string, typeArguments: string[], ...args: TransactionArgument[]) =>
          tx.moveCall({ target: `0x2::kiosk::${name}`, typeArguments, arguments: args });
        const [shop, cap] = call('new', []);
        call('place', [type], shop!, cap!, tx.object(ticket().id));
        tx.transferObjects([call('take', [type], shop!, cap!, tx.pure.id(ticket().id))], bob);
        call('close_and_withdraw', [], shop!, cap!);
      },
      [ticket()],
    );
    expect(kiosk.objects[0]?.routes.map(({ to }) => to)).toContainEqual({ kind: 'address', address: bob });
  });

  test('the code of an upgrade is not read', async () => {
    const cap = owned(address('ca9'), alice, `${address('2')}::package::UpgradeCap`);
    const { notRead } = await explainBuilt(
      (tx) => {
        const [ticket] = tx.moveCall({ target: '0x77::m::authorize', arguments: [tx.object(cap.id)] });
        tx.upgrade({ modules: [], dependencies: [], package: address('99'), ticket: ticket! });
      },
      [cap],
      new Map(),
    );
    expect(notRead).toMatchObject([{ command: 0 }, { command: 1, what: address('99') }]);
  });

  test('an object that the node does not have leaves the explanation open', async () => {
    const { rest, notRead } = await explainBuilt((tx) =>
      tx.transferObjects([tx.object(address('dead'))], bob),
    );
    expect(rest).toBe('unread');
    expect(notRead).toMatchObject([{ what: address('dead') }]);
  });
});

describe('versions of objects', () => {
  const digest = '1'.repeat(32);
  const at = (version: string, more: Partial<ObjectFact> = {}): ObjectFact => ({
    ...purse,
    version,
    digest,
    ...more,
  });
  /** Sends a part of the purse, which the transaction names at version 5. */
  const sendAt5 = (fact: ObjectFact, kind: 'objectRef' | 'sharedObjectRef' | 'receivingRef' = 'objectRef') =>
    explainBuilt(
      (tx) => {
        const reference = { objectId: purse.id, version: '5', digest };
        const shared = { objectId: purse.id, initialSharedVersion: '5', mutable: true };
        const input = kind === 'sharedObjectRef' ? tx.sharedObjectRef(shared) : tx[kind](reference);
        tx.transferObjects([...tx.splitCoins(input, [5])], bob);
      },
      [fact],
    );

  test('a version that the chain has is nothing to say', async () => {
    expect((await sendAt5(at('5'))).versions).toEqual([]);
    const shared = at('9', { owner: { kind: 'shared', initialVersion: '5' } });
    expect((await sendAt5(shared, 'sharedObjectRef')).versions).toEqual([]);
  });

  test.each<[string, Parameters<typeof sendAt5>, string]>([
    [
      'an older version',
      [at('7')],
      `The network refuses it: it names version 5 of the object ${purse.id}, which has version 7 now. Build it again.`,
    ],
    [
      'an older version of an object to receive',
      [at('7', { owner: { kind: 'address', address: till.id } }), 'receivingRef'],
      `The network refuses it: it names version 5 of the object ${purse.id}, which has version 7 now. Build it again.`,
    ],
    [
      'another digest',
      [at('5', { digest: '2'.repeat(32) })],
      `The network refuses it: it names version 5 of the object ${purse.id} with another digest than the chain has. Build it again.`,
    ],
    [
      'another version at which an object was shared',
      [at('9', { owner: { kind: 'shared', initialVersion: '4' } }), 'sharedObjectRef'],
      `The network refuses it: it says that the object ${purse.id} was shared at version 5, and it was at version 4. Build it again.`,
    ],
  ])('%s is refused, which is said first', async (_, [fact, kind], text) => {
    const { sentences } = await sendAt5(fact, kind);
    expect(sentences[0]).toEqual({ kind: 'versions', verdict: 'always', text });
  });

  test('a newer version than the node has leaves the explanation open, and has no known balance', async () => {
    const { rest, sentences, leaves } = await explainBuilt(
      (tx) => tx.transferObjects([tx.objectRef({ objectId: purse.id, version: '5', digest })], bob),
      [at('3')],
    );
    expect(rest).toBe('unread');
    expect(leaves).toMatchObject([{ atMost: null }]);
    expect(sentences[0]).toEqual({
      kind: 'versions',
      verdict: 'unread',
      text: `The transaction names version 5 of the object ${purse.id}, and the node has version 3. It runs in a later state than the one that was read here.`,
    });
  });

  test('a coin that pays for gas is compared too', async () => {
    const { versions } = await explainBuilt(
      (tx) => {
        tx.setGasPayment([{ objectId: purse.id, version: '5', digest }]);
        tx.transferObjects([...tx.splitCoins(tx.gas, [5])], bob);
      },
      [at('6')],
    );
    expect(versions).toEqual([{ id: purse.id, named: '5', found: '6', kind: 'older' }]);
  });
});

describe('objects that were sent to objects', () => {
  const sent = owned(address('c3'), till.id, coinType, 1_000n);
  const reference = { objectId: sent.id, version: '1', digest: '1'.repeat(32) };
  const said = (text: string, verdict: string) => ({ kind: 'receives', verdict, text });
  const subject = `The object ${sent.id} (0x2::coin::Coin<0x2::sui::SUI>), which was sent to the object ${till.id},`;

  test('one that is received is said with its type, the object that it was sent to, and where it goes', async () => {
    const { receives, sentences } = await explainBuilt(
      (tx) => {
        tx.moveCall({
          target: `${shopId}::shop::received`,
          arguments: [tx.object(till.id), tx.receivingRef(reference)],
        });
      },
      [till, sent],
    );
    const to = { kind: 'address', address: address('c0de') };
    const routes = [{ to, likelihood: 'may', commands: [0] }];
    expect(receives).toEqual([{ id: sent.id, type: coinType, from: till.id, routes }]);
    expect(sentences).toContainEqual(said(`${subject} may go to ${to.address}.`, 'may'));
  });

  test('one whose ticket a result holds goes where a later call sends it', async () => {
    const other = owned(address('c4'), till.id, coinType, 1n);
    const { receives, leaves } = await explainBuilt(
      (tx) => {
        const [held] = tx.moveCall({
          target: `${shopId}::shop::hold`,
          arguments: [tx.receivingRef(reference)],
        });
        const ticket = tx.receivingRef({ ...reference, objectId: other.id });
        tx.moveCall({
          target: `${shopId}::shop::receive_both`,
          arguments: [tx.object(till.id), held!, ticket],
        });
      },
      [till, sent, other],
    );
    const routes = [{ to: { kind: 'address', address: address('c0de') } }];
    expect(receives).toMatchObject([
      { id: sent.id, routes },
      { id: other.id, routes },
    ]);
    expect(leaves).toMatchObject([{ atMost: '1001' }]);
  });

  test('one that no command receives stays', async () => {
    const { sentences } = await explainBuilt(
      (tx) => {
        tx.receivingRef(reference);
        tx.transferObjects([...tx.splitCoins(tx.gas, [5])], bob);
      },
      [till, sent],
    );
    expect(sentences).toContainEqual(said(`${subject} stays there.`, 'cannot'));
  });
});

describe('packages that are published and upgraded', () => {
  let modules: string[];
  beforeAll(async () => {
    const { modules: compiled } = await publishedText({
      'Move.toml': moveToml('shop'),
      'sources/shop.move': shop,
    });
    modules = [...compiled.values()].map(toBase64);
  });

  /** Certificates of functions that return what they are given, in place of those of the framework. */
  const framework = () => {
    const fact = (name: string): FunctionFact => ({
      certificate: certifier.certify({ module: 'shop', function: name }),
      typeOrigins,
    });
    const key = (name: string) => `${address('2')}::package::${name}`;
    return new Map([
      ...['authorize_upgrade', 'only_additive_upgrades', 'only_dep_upgrades'].map(
        (name) => [key(name), fact('raise')] as const,
      ),
      [key('make_immutable'), fact('empty')],
    ]);
  };
  const readSentence = async (kind: string, build: (tx: Transaction) => void, objects: ObjectFact[] = []) =>
    (await explainBuilt(build, objects, framework())).sentences.find((one) => one.kind === kind);
  const publish = (tx: Transaction, list = modules) => tx.publish({ modules: list, dependencies: [] });
  const call = (tx: Transaction, name: string, ...args: TransactionArgument[]) =>
    tx.moveCall({ target: `0x2::package::${name}`, arguments: args });

  test('the modules of a publication and the holder of its UpgradeCap are named', async () => {
    expect(await readSentence('publishes', (tx) => tx.transferObjects([publish(tx)], alice))).toEqual({
      kind: 'publishes',
      verdict: 'always',
      text: 'Command 1 publishes a package with the module shop. Its UpgradeCap goes to your address. Its holder may change all of its code in a later version.',
    });
  });

  test.each([
    ['only_additive_upgrades', 'add code and change none'],
    ['only_dep_upgrades', 'change the versions of its dependencies, and no code'],
  ])('%s restricts what the holder of the UpgradeCap may do', async (name, allowed) => {
    const sentence = await readSentence('publishes', (tx) => {
      const cap = publish(tx);
      call(tx, name, cap);
      call(tx, 'only_additive_upgrades', cap);
      tx.transferObjects([cap], bob);
    });
    expect(sentence?.text).toMatch(
      `Its UpgradeCap goes to ${bob}. Its holder may ${allowed} in a later version.`,
    );
  });

  test('a package whose UpgradeCap is taken apart can never change', async () => {
    const sentence = await readSentence('publishes', (tx) => call(tx, 'make_immutable', publish(tx)));
    expect(sentence).toMatchObject({ verdict: 'always' });
    expect(sentence?.text).toMatch('Its UpgradeCap is taken apart, so that the package can never change.');
  });

  test('an UpgradeCap that code gets which was not read may go anywhere', async () => {
    const sentence = await readSentence('publishes', (tx) => {
      tx.moveCall({ target: '0x77::m::f', arguments: [publish(tx)] });
    });
    expect(sentence).toMatchObject({ verdict: 'unread' });
  });

  test('a restriction of one of several caps restricts none for certain', async () => {
    const cap = `${address('2')}::package::UpgradeCap`;
    const restrict = (name: string) =>
      explainBuilt((tx) => {
        const list = tx.makeMoveVec({ type: cap, elements: [publish(tx), publish(tx)] });
        const pop = () =>
          tx.moveCall({ target: `${shopId}::shop::pop`, typeArguments: [cap], arguments: [list] });
        const popped = pop();
        call(tx, name, popped);
        tx.transferObjects(name === 'make_immutable' ? [pop()] : [popped, pop()], alice);
      });
    const { publishes } = await restrict('only_dep_upgrades');
    expect(publishes.map(({ policy }) => policy)).toEqual(['compatible', 'compatible']);
    const ended = await restrict('make_immutable');
    expect(ended.publishes[0]!.cap).toMatchObject([
      { to: { kind: 'destroyed' }, likelihood: 'may' },
      { to: { address: alice }, likelihood: 'may' },
    ]);
  });

  test('a cap that code returns which was not read may be that of another package', async () => {
    const { publishes } = await explainBuilt(
      (tx) => {
        const cap = tx.moveCall({ target: '0x77::m::f', arguments: [publish(tx)] });
        call(tx, 'only_dep_upgrades', cap);
        tx.transferObjects([cap], alice);
      },
      [],
      framework(),
    );
    expect(publishes[0]!.policy).toBe('compatible');
  });

  test('bytes that are not bytecode are a module without a name', async () => {
    const junk = toBase64(new Uint8Array([1, 2, 3]));
    const sentence = await readSentence('publishes', (tx) =>
      tx.transferObjects([publish(tx, [junk, ...modules])], alice),
    );
    expect(sentence?.text).toMatch('with the modules one that is not valid bytecode, shop.');
  });

  test.each([
    [0, 'change all of its code'],
    [128, 'add code and change none'],
    [192, 'change the versions of its dependencies, and no code'],
  ])(
    'an upgrade with a ticket of policy %i says what it allows, and whose UpgradeCap it is from',
    async (policy, allowed) => {
      const cap = owned(address('ca9'), alice, `${address('2')}::package::UpgradeCap`);
      const sentence = await readSentence(
        'upgrades',
        (tx) => {
          const digest = tx.pure.vector('u8', []);
          const ticket = call(tx, 'authorize_upgrade', tx.object(cap.id), tx.pure.u8(policy), digest);
          const receipt = tx.upgrade({ modules, dependencies: [], package: '0x99', ticket });
          call(tx, 'commit_upgrade', tx.object(cap.id), receipt);
        },
        [cap],
      );
      expect(sentence).toEqual({
        kind: 'upgrades',
        verdict: 'always',
        text: `Command 2 adds a version to the package ${address('99')}, with the module shop. Its ticket allows to ${allowed}. It is from the UpgradeCap ${cap.id}, of your address.`,
      });
    },
  );

  test('a ticket that another package made allows what could not be read', async () => {
    const sentence = await readSentence('upgrades', (tx) => {
      const ticket = tx.moveCall({ target: '0x77::m::authorize' });
      tx.upgrade({ modules, dependencies: [], package: '0x99', ticket });
    });
    expect(sentence).toMatchObject({ verdict: 'unread' });
    expect(sentence?.text).toMatch(/It could not be read what its ticket allows\.$/);
  });
});

describe('code that is not read', () => {
  test('may take all that it is given, and what it returns', async () => {
    const other = owned(address('c2'), alice, coinType, 7n);
    const { leaves, notRead, sentences } = await explainBuilt(
      (tx) => {
        const [result] = tx.moveCall({ target: '0x77::m::f', arguments: [tx.object(purse.id)] });
        tx.transferObjects([result!], bob);
        tx.mergeCoins(tx.gas, [tx.object(other.id)]);
      },
      [purse, other],
      new Map([[`${address('77')}::m::f`, { reason: 'The package is not on this network.' }]]),
    );
    expect(leaves).toMatchObject([
      { atMost: '1000', routes: [{ to: { kind: 'unread' } }, { to: { address: bob } }] },
    ]);
    expect(notRead).toEqual([
      { command: 0, what: `${address('77')}::m::f`, reason: 'The package is not on this network.' },
    ]);
    expect(sentences[0]?.verdict).toBe('unread');
  });
});

test('money that is put into one result of code that was not read does not come with another one', async () => {
  const { arrives } = await explainBuilt(
    (tx) => {
      tx.setGasOwner(bob);
      const results = tx.moveCall({ target: '0x77::m::f' });
      tx.mergeCoins(results[0]!, [tx.splitCoins(tx.gas, [1_000])[0]!]);
      tx.transferObjects([results[1]!], alice);
    },
    [],
    new Map(),
  );
  expect(arrives.map(({ atLeast }) => atLeast)).not.toContain('1000');
});

describe('hostile transactions', () => {
  test('no text but a transaction is parsed, and each is refused with a reason', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.json()), (text) => {
        expect(() => parseTransaction(text)).toThrow(ExplainError);
      }),
    );
  });

  test('bytes that are cut or changed are refused, or explained', async () => {
    const tx = new Transaction();
    tx.setSender(alice);
    tx.setGasPrice(1);
    tx.setGasBudget(1);
    tx.setGasPayment([{ objectId: purse.id, version: '1', digest: '1'.repeat(32) }]);
    tx.setExpiration({ None: true });
    tx.transferObjects([...tx.splitCoins(tx.gas, [40])], bob);
    const bytes = await tx.build();
    const facts: ExplainFacts = { objects: new Map(), functions: new Map(), upgrades: new Map() };
    expect(explain(parseTransaction(toBase64(bytes)), facts).leaves[0]?.atMost).toBe('40');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), fc.boolean(), (at, value, isCut) => {
        const changed = isCut ? bytes.slice(0, at) : bytes.with(at, value);
        try {
          explain(parseTransaction(toBase64(changed)), facts);
        } catch (error) {
          expect(error).toBeInstanceOf(ExplainError);
        }
      }),
    );
  });

  describe.each([
    ['the name of a module', makeCall('m\nNothing leaves.', 'f')],
    ['the name of a function', makeCall('m', '<b>')],
    ['the package of an upgrade', { Upgrade: { ...upgraded, package: 'p\nNothing leaves.' } }],
    ['the bytes of a module', { Upgrade: { ...upgraded, modules: ['***'] } }],
    ['the type of a vector', { MakeMoveVec: { type: 'u8\nNothing leaves.', elements: [] } }],
  ])('text in place of %s', (_, command) => {
    test('is refused, so that no sentence shows it', () => {
      expect(() => parseTransaction(writeJson({ commands: [command] }))).toThrow(ExplainError);
    });
  });

  test('an input whose bytes are not base64 is refused', () => {
    expect(() => parseTransaction(writeJson({ inputs: [{ Pure: { bytes: '***' } }] }))).toThrow(ExplainError);
  });

  test('more coins for gas than the chain allows are refused before they are read', () => {
    const payment = Array.from({ length: explainBounds.gasCoins + 1 }, (_, at) => ({
      objectId: address(`c${at.toString(16)}`),
      version: 1,
      digest: '1'.repeat(32),
    }));
    expect(() => parseTransaction(writeJson({ payment }))).toThrow(/more than 256 coins/);
  });

  test('types within types, as deep as bytes allow, are refused', () => {
    expect(() => parseTransaction(toBase64(new Uint8Array(explainBounds.bytes).fill(6)))).toThrow(
      ExplainError,
    );
  });

  test('more bytes, commands or functions than the bounds are refused', async () => {
    expect(() => parseTransaction('A'.repeat(explainBounds.bytes * 2))).toThrow(/more than 131072 bytes/);
    const many = new Transaction();
    many.setSender(alice);
    for (let i = 0; i <= explainBounds.commands; i++) many.splitCoins(many.gas, [many.object(purse.id)]);
    const text = await many.toJSON();
    expect(() => parseTransaction(text)).toThrow(/more than 1024 commands/);
    const calls = new Transaction();
    calls.setSender(alice);
    for (let i = 0; i <= explainBounds.functions; i++) calls.moveCall({ target: `0x5::m::f${i}` });
    const called = await calls.toJSON();
    expect(() => parseTransaction(called)).toThrow(/more than 64 different functions/);
  });

  test('parts that would multiply are refused in bounded time', async () => {
    const doubling = explainBuilt((tx) => {
      const coins = Array.from({ length: 500 }, (_, at) => tx.object(address(`f${at.toString(16)}`)));
      tx.mergeCoins(tx.gas, coins);
      for (let i = 0; i < 5; i++) tx.splitCoins(tx.gas, Array<number>(100).fill(1));
    });
    await expect(doubling).rejects.toThrow(/too many steps/);
  });

  test('parts of parts are refused in bounded time', async () => {
    const deepening = explainBuilt((tx) => {
      const coins = Array.from({ length: 50 }, (_, at) => tx.object(address(`f${at.toString(16)}`)));
      tx.mergeCoins(tx.gas, coins);
      const parts = [tx.splitCoins(tx.gas, [1])[0]!];
      for (let i = 0; i < 500; i++) parts.push(tx.splitCoins(parts.at(-1)!, [1])[0]!);
      tx.mergeCoins(tx.object(purse.id), parts);
    });
    await expect(deepening).rejects.toThrow(/too many steps/);
  });

  test('objects that many calls may receive are refused in bounded time', async () => {
    const certificate = certifier.certify({ module: 'shop', function: 'received' });
    const received = certificate.claims.find(
      (claim) => claim.kind === 'goesTo' && 'source' in claim && claim.source.kind === 'received',
    )!;
    const claims = Array.from({ length: 50 }, (_, index) => ({
      ...received,
      sink: { kind: 'returned', index },
    })) as typeof certificate.claims;
    const key = `${shopId}::shop::received`;
    const all = Array.from({ length: 200 }, (_, at) =>
      owned(address(`f${at.toString(16)}`), till.id, coinType),
    );
    const receiving = explainBuilt(
      (tx) => {
        for (const { id: objectId } of all)
          tx.receivingRef({ objectId, version: '1', digest: '1'.repeat(32) });
        for (let i = 0; i < 40; i++) tx.moveCall({ target: key, arguments: [tx.object(till.id)] });
      },
      [till, ...all],
      new Map([[key, { certificate: { ...certificate, claims }, typeOrigins }]]),
    );
    await expect(receiving).rejects.toThrow(/too many steps/);
  });

  test('intents are refused with the way to resolve them', async () => {
    const text = writeJson({ commands: [{ $Intent: { name: 'CoinWithBalance', inputs: {}, data: {} } }] });
    expect(() => parseTransaction(text)).toThrow(/toJSON\(\{ client \}\)/);
  });
});
