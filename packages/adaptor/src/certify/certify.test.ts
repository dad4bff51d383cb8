import { join } from 'node:path';
import { moveToml, scratchPackages } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { beforeAll, describe, expect, test } from 'vitest';
import { moveDir, publishedFolders } from '../introspect/testing/packages.ts';
import { Certifier } from './certify.ts';
import type { Certificate, Claim, GoesToClaim, Sink } from './claims.ts';
import type { Program } from './code/program.ts';
import { certificateHash } from './hash.ts';
import { type InlinedClaim, inlineClaims } from './testing/inline.ts';
import { linkProgram } from './testing/program.ts';

const market = `module probe::market;
use sui::balance::{Self, Balance};
use sui::coin::{Self, Coin};
use sui::clock::Clock;
use sui::dynamic_field as field;
use sui::sui::SUI;
use sui::table::{Self, Table};

const EPaused: u64 = 0;
const ENotAdmin: u64 = 1;
const EVersion: u64 = 2;

public struct AdminCap has key, store { id: UID }
public struct KeeperCap has key, store { id: UID }
public struct FakeCap has key, store { id: UID }
public struct OpenCap has key { id: UID }
public struct Market has key {
    id: UID, money: Balance<SUI>, fee_bps: u64, treasury: address, admin: address, paused: bool, version: u64,
    rates: Table<address, u64>, tick: u64, lot: u64, open: u64, keeper: u64, limit: Option<u64>,
}
public struct Box has key, store { id: UID, coin: Coin<SUI> }
public struct Key has copy, drop, store {}

fun init(ctx: &mut TxContext) {
    transfer::transfer(AdminCap { id: object::new(ctx) }, ctx.sender());
    transfer::share_object(OpenCap { id: object::new(ctx) });
    transfer::share_object(Market {
        id: object::new(ctx), money: balance::zero(), fee_bps: 0, treasury: ctx.sender(), admin: ctx.sender(),
        paused: false, version: 1, rates: table::new(ctx), tick: 0, lot: 0, open: 0, keeper: 0, limit: option::none(),
    })
}

public fun new_keeper(_: &AdminCap, ctx: &mut TxContext): KeeperCap { KeeperCap { id: object::new(ctx) } }
public fun new_fake(ctx: &mut TxContext): FakeCap { FakeCap { id: object::new(ctx) } }

public fun set_fee(market: &mut Market, _: &AdminCap, fee_bps: u64) { market.fee_bps = fee_bps }
public fun set_treasury(market: &mut Market, treasury: address, ctx: &TxContext) {
    assert!(ctx.sender() == market.admin, ENotAdmin);
    market.treasury = treasury
}
public fun set_paused(market: &mut Market, _: &FakeCap, paused: bool) { market.paused = paused }
public fun set_open(market: &mut Market, _: &OpenCap, open: u64) { market.open = open }
public fun set_keeper(market: &mut Market, _: &KeeperCap, keeper: u64) { market.keeper = keeper }
public fun set_tick(market: &mut Market, tick: u64) { market.tick = tick }
public fun set_lot(market: &mut Market, lot: u64, ctx: &TxContext) {
    if (lot > 5) assert!(ctx.sender() == market.admin, ENotAdmin);
    market.lot = lot
}
public fun set_rate(market: &mut Market, of: address, rate: u64) { market.rates.add(of, rate) }

public fun to_constant(coin: Coin<SUI>) { transfer::public_transfer(coin, @0xbad) }
public fun to_sender(coin: Coin<SUI>, ctx: &TxContext) { transfer::public_transfer(coin, ctx.sender()) }
public fun to_argument(coin: Coin<SUI>, to: address) { transfer::public_transfer(coin, to) }
public fun to_items(mut coin: Coin<SUI>, to: vector<address>, ctx: &mut TxContext) {
    let mut i = 0;
    while (i < to.length()) { transfer::public_transfer(coin.split(1, ctx), to[i]); i = i + 1 };
    transfer::public_transfer(coin, ctx.sender())
}
public fun to_treasury(market: &Market, coin: Coin<SUI>) { transfer::public_transfer(coin, market.treasury) }
public fun to_market_address(market: &Market, coin: Coin<SUI>) {
    transfer::public_transfer(coin, object::id_address(market))
}
public fun by_rake(market: &mut Market, mut coin: Coin<SUI>, ctx: &mut TxContext) {
    let fee = coin.value() * market.fee_bps / 10_000;
    transfer::public_transfer(coin.split(fee, ctx), market.treasury);
    market.money.join(coin.into_balance());
}
public fun in_object(coin: Coin<SUI>, ctx: &mut TxContext) {
    transfer::public_transfer(Box { id: object::new(ctx), coin }, @0xbad)
}
public fun out_of_object(box: Box): Coin<SUI> { let Box { id, coin } = box; id.delete(); coin }
public fun keep_in(coin: Coin<SUI>, ctx: &mut TxContext): Coin<SUI> {
    out_of_object(Box { id: object::new(ctx), coin })
}
public fun in_field(market: &mut Market, coin: Coin<SUI>) { field::add(&mut market.id, Key {}, coin) }
public fun out_of_field(market: &mut Market): Coin<SUI> { field::remove(&mut market.id, Key {}) }
public fun by_funds(coin: Coin<SUI>) { coin.into_balance().send_funds(@0xbad) }
public fun shared(coin: Coin<SUI>) { transfer::public_share_object(coin) }
public fun frozen(coin: Coin<SUI>) { transfer::public_freeze_object(coin) }
public fun in_vector(coin: Coin<SUI>) {
    let mut all = vector[coin];
    transfer::public_transfer(all.pop_back(), @0xbad);
    all.destroy_empty()
}
public fun in_option(coin: Coin<SUI>) {
    let mut some = option::some(coin);
    transfer::public_transfer(some.extract(), @0xbad);
    some.destroy_none()
}
public fun even(coin: Coin<SUI>, n: u64) { if (n == 0) to_constant(coin) else odd(coin, n - 1) }
public fun odd(coin: Coin<SUI>, n: u64) { even(coin, n) }
public fun any<T: key + store>(it: T) { transfer::public_transfer(it, @0xbad) }
public fun by_generic(coin: Coin<SUI>) { any(coin) }
public fun after(coin: Coin<SUI>, clock: &Clock, ctx: &TxContext) {
    let to = if (clock.timestamp_ms() > 1_000_000) @0xbad else ctx.sender();
    transfer::public_transfer(coin, to)
}
public fun for_one(coin: Coin<SUI>, ctx: &TxContext) {
    if (ctx.sender() == @0xcafe) transfer::public_transfer(coin, @0xbad)
    else transfer::public_transfer(coin, ctx.sender())
}
public fun borrowed(coin: &mut Coin<SUI>, amount: u64, ctx: &mut TxContext) {
    transfer::public_transfer(coin.split(amount, ctx), @0xbad)
}
public fun untouched(coin: &mut Coin<SUI>, market: &mut Market) { market.tick = coin.value() }
public fun buys(market: &mut Market, coin: Coin<SUI>, ctx: &mut TxContext): Coin<SUI> {
    assert!(!market.paused, EPaused);
    assert!(market.version == 1, EVersion);
    let paid = coin.value();
    market.money.join(coin.into_balance());
    let rate = market.rates[@0x1];
    market.money.split(paid * rate).into_coin(ctx)
}
public fun compares(market: &Market) {
    assert!(market.open == market.lot && market.keeper == market.tick && market.rates.contains(@0x1), EPaused)
}
public fun limited(market: &Market) { assert!(market.limit.is_none(), EPaused) }
public fun reads_limit(market: &Market): u64 { let limit = market.limit; limit.destroy_some() }
public fun burns(cap: &mut coin::TreasuryCap<SUI>, coin: Coin<SUI>) { cap.burn(coin); }
public fun is_admin(market: &Market, ctx: &TxContext): bool { ctx.sender() == market.admin }
public fun drops_check(market: &mut Market, coin: Coin<SUI>, ctx: &TxContext) {
    is_admin(market, ctx);
    market.money.join(coin.into_balance());
}
public fun uses_check(market: &mut Market, coin: Coin<SUI>, ctx: &TxContext) {
    assert!(is_admin(market, ctx), ENotAdmin);
    market.money.join(coin.into_balance());
}
public fun deleted_with_field(coin: Coin<SUI>, ctx: &mut TxContext) {
    let mut id = object::new(ctx);
    field::add(&mut id, Key {}, coin);
    id.delete()
}
public fun swapped(a: Coin<SUI>, b: Coin<SUI>) {
    let (mut x, mut y) = (a, b);
    let mut n = 0;
    while (n < 3) { let z = x; x = y; y = z; n = n + 1 };
    transfer::public_transfer(x, @0x1);
    transfer::public_transfer(y, @0x2)
}
`;

const adaptor = `module probe::adaptor;
use other::vault::{Self, Vault};
use probe::market::Market;
use sui::clock::Clock;
use sui::sui::SUI;
use wallet::intent;
use wallet::wallet::Wallet;

public struct Probe has drop {}
public struct Leaky has drop {}
public fun leak(): Leaky { Leaky {} }

public fun pays(wallet: &mut Wallet, vault: &mut Vault<SUI>, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    let (coin, witness) = intent::validate_and_pay(
        wallet, intent::request_payment<_, SUI>(Probe {}, amount, @0x1), clock, ctx,
    );
    vault.put(coin);
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Probe {}, amount, @0x1))
}
public fun double(wallet: &mut Wallet, market: &Market, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    let (coin, witness) = intent::validate_and_pay(
        wallet, intent::request_payment<_, SUI>(Probe {}, amount * 2, @0x1), clock, ctx,
    );
    market.to_treasury(coin);
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Probe {}, amount * 2, @0x1))
}
public fun brings(wallet: &mut Wallet, vault: &mut Vault<SUI>, ctx: &mut TxContext) {
    wallet.receive_from_service(vault.take(7, ctx), Probe {})
}
public struct Ticket has key, store { id: UID }
public fun spends_ticket(wallet: &mut Wallet, name: std::string::String) {
    let Ticket { id } = wallet.take_asset_for_service<_, Ticket>(name, Probe {});
    id.delete()
}
public fun pays_and_takes(wallet: &mut Wallet, vault: &mut Vault<SUI>, amount: u64, name: std::string::String, clock: &Clock, ctx: &mut TxContext) {
    pays(wallet, vault, amount, clock, ctx);
    vault.put(wallet.take_asset_for_service<_, sui::coin::Coin<SUI>>(name, Probe {}))
}
public fun looks(wallet: &Wallet): u64 { wallet.balance<SUI>() }
public fun mixes<A, B>(vault: &mut Vault<A>, a: sui::coin::Coin<A>, ctx: &mut TxContext) {
    vault.keep_any(a);
    let b = vault.take_any<A, B>(ctx);
    transfer::public_transfer(b, @0xbad)
}
`;

const vault = `module other::vault;
use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::dynamic_field as field;

public struct Vault<phantom T> has key { id: UID, held: Balance<T> }
public struct Slot has copy, drop, store {}

public fun open<T>(ctx: &mut TxContext) {
    transfer::share_object(Vault<T> { id: object::new(ctx), held: balance::zero() })
}
public fun put<T>(vault: &mut Vault<T>, coin: Coin<T>) { vault.held.join(coin.into_balance()); }
public fun take<T>(vault: &mut Vault<T>, amount: u64, ctx: &mut TxContext): Coin<T> {
    vault.held.split(amount).into_coin(ctx)
}
public fun keep_any<T, C>(vault: &mut Vault<T>, coin: Coin<C>) { field::add(&mut vault.id, Slot {}, coin) }
public fun take_any<T, C>(vault: &mut Vault<T>, _ctx: &mut TxContext): Coin<C> {
    field::remove(&mut vault.id, Slot {})
}
`;

let probeId: string;
let otherId: string;
let program: Program;
let certifier: Certifier;

beforeAll(async () => {
  const walletDir = join(moveDir, 'wallet');
  const manifest = moveToml('probe', ['wallet', 'other']).replace('../wallet', walletDir);
  await using scratch = await scratchPackages({
    other: { 'Move.toml': moveToml('other'), 'sources/vault.move': vault },
    probe: { 'Move.toml': manifest, 'sources/market.move': market, 'sources/adaptor.move': adaptor },
  });
  const folders = await publishedFolders([walletDir, join(scratch.dir, 'other'), join(scratch.dir, 'probe')]);
  probeId = folders.deriveId('probe');
  otherId = folders.deriveId('other');
  const ids = [probeId, otherId, folders.deriveId('wallet')];
  const [probe, other, wallet] = await Promise.all(ids.map((id) => folders.read(id)));
  program = await linkProgram(probe!, [other!, wallet!]);
  certifier = new Certifier(program);
});

type Kind<K extends Claim['kind']> = Exclude<Extract<InlinedClaim, { kind: K }>, { rest: true }>;

function read(name: string, module = 'market'): Certificate {
  return certifier.certify({ module, function: name });
}

function claims<K extends Claim['kind']>(certificate: Certificate, kind: K): Kind<K>[] {
  return inlineClaims(certificate).filter(
    (claim): claim is Kind<K> => claim.kind === kind && !('rest' in claim),
  );
}

function rest({ claims: all }: Certificate, kind: Claim['kind']): string | undefined {
  return all.find((claim) => claim.kind === kind && 'rest' in claim)?.verdict;
}

/** Verdict, source and sink of each movement, in the words of the claims. */
function movements(certificate: Certificate): string[] {
  return claims(certificate, 'goesTo')
    .map(({ verdict, source, sink }) => `${verdict}: ${write(source)} -> ${write(sink)}`)
    .sort();
}

function write({ kind, ...more }: GoesToClaim['source'] | Sink): string {
  const details = Object.values(more).map((value) =>
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  );
  return [kind, ...details]
    .join(' ')
    .replaceAll(`${probeId}::`, '')
    .replaceAll(`${otherId}::`, '')
    .replaceAll(/0x0{20,}/g, '0x');
}

test.each([
  ['to_constant', ['always: argument 0 -> constantAddress 0xbad']],
  ['to_sender', ['always: argument 0 -> sender']],
  ['to_argument', ['always: argument 0 -> argumentAddress 1']],
  ['to_items', ['may: argument 0 -> argumentAddress 1', 'may: argument 0 -> sender']],
  ['to_treasury', ['always: argument 1 -> storedAddress market::Market.treasury']],
  ['to_market_address', ['always: argument 1 -> objectAddress 0']],
  [
    'by_rake',
    [
      'may: argument 1 -> kept market::Market.money',
      'may: argument 1 -> storedAddress market::Market.treasury',
    ],
  ],
  ['in_object', ['always: argument 0 -> constantAddress 0xbad', 'always: made -> constantAddress 0xbad']],
  ['out_of_object', [`always: argument 0 -> returned 0`, 'may: argument 0 -> destroyed market::Box']],
  ['keep_in', ['always: argument 0 -> returned 0']],
  ['in_field', ['always: argument 1 -> kept market::Market.id[market::Key]']],
  ['out_of_field', ['always: state market::Market.id[market::Key] -> returned 0']],
  ['by_funds', ['always: argument 0 -> constantAddress 0xbad']],
  ['shared', ['always: argument 0 -> shared 0x2::coin::Coin<0x2::sui::SUI>']],
  ['frozen', ['always: argument 0 -> frozen 0x2::coin::Coin<0x2::sui::SUI>']],
  ['in_vector', ['always: argument 0 -> constantAddress 0xbad']],
  ['in_option', ['always: argument 0 -> constantAddress 0xbad']],
  ['even', ['always: argument 0 -> constantAddress 0xbad']],
  ['odd', ['always: argument 0 -> constantAddress 0xbad']],
  ['any', ['always: argument 0 -> constantAddress 0xbad']],
  ['by_generic', ['always: argument 0 -> constantAddress 0xbad']],
  ['after', ['may: argument 0 -> constantAddress 0xbad', 'may: argument 0 -> sender']],
  ['for_one', ['may: argument 0 -> constantAddress 0xbad', 'may: argument 0 -> sender']],
  ['borrowed', ['always: argument 0 -> constantAddress 0xbad']],
  ['untouched', []],
  [
    'buys',
    [
      'always: state market::Market.money -> returned 0',
      'may: argument 1 -> kept market::Market.money',
      'may: argument 1 -> returned 0',
    ],
  ],
  ['burns', ['always: argument 1 -> burned']],
  ['deleted_with_field', ['always: argument 0 -> burned']],
  [
    'swapped',
    [
      'may: argument 0 -> constantAddress 0x1',
      'may: argument 0 -> constantAddress 0x2',
      'may: argument 1 -> constantAddress 0x1',
      'may: argument 1 -> constantAddress 0x2',
    ],
  ],
])('the places where money of %s ends are all found, and no others', (name, expected) => {
  const certificate = read(name);
  expect(movements(certificate)).toEqual(expected);
  expect(rest(certificate, 'goesTo')).toBe('cannot');
});

test.each([
  ['pays', ['always: wallet 0 -> kept vault::Vault.held']],
  ['double', ['always: wallet 0 -> storedAddress market::Market.treasury']],
  ['brings', ['always: state vault::Vault.held -> wallet 0']],
  ['looks', []],
  [
    // The two types can be the same.
    'mixes',
    [
      'always: state vault::Vault.id[vault::Slot] -> constantAddress 0xbad',
      'may: argument 1 -> constantAddress 0xbad',
      'may: argument 1 -> kept vault::Vault.id[vault::Slot]',
    ],
  ],
])('money of the wallet is followed through the wallet and a second package: %s', (name, expected) => {
  const certificate = read(name, 'adaptor');
  expect(movements(certificate)).toEqual(expected);
  expect(rest(certificate, 'goesTo')).toBe('cannot');
});

describe('amounts', () => {
  test('an amount that is an argument is a bound', () => {
    const [take, ...others] = claims(read('pays', 'adaptor'), 'takes');
    expect(others).toEqual([]);
    expect(take).toMatchObject({
      verdict: 'may',
      source: { kind: 'wallet', parameter: 0 },
      type: expect.stringMatching(/coin::Coin<.*sui::SUI>$/),
      bounds: [{ kind: 'equal', to: { kind: 'argument', parameter: 2 } }],
      repeated: false,
    });
  });

  test('a computed amount is unbounded, and names what it is computed from', () => {
    const from = [
      { kind: 'argument', parameter: 2 },
      { kind: 'constant', value: '2' },
    ];
    expect(claims(read('double', 'adaptor'), 'takes')).toMatchObject([
      { bounds: [{ kind: 'unbounded', from }] },
    ]);
  });

  test('an object that is taken out of the wallet is taken, also if it is only taken apart', () => {
    const [take] = claims(read('spends_ticket', 'adaptor'), 'takes');
    expect(take).toMatchObject({
      verdict: 'may',
      source: { kind: 'wallet', parameter: 0 },
      type: `${probeId}::adaptor::Ticket`,
      bounds: [{ kind: 'all' }],
    });
  });

  test('a coin that is taken out of the wallet as a whole has no bound beside an amount that is paid', () => {
    const [take] = claims(read('pays_and_takes', 'adaptor'), 'takes');
    expect(take).toMatchObject({
      source: { kind: 'wallet', parameter: 0 },
      type: expect.stringMatching(/coin::Coin<.*sui::SUI>$/),
      bounds: [{ kind: 'all' }, { kind: 'equal', to: { kind: 'argument', parameter: 2 } }],
    });
  });

  test('a coin that is only borrowed is taken up to the amount, or not at all', () => {
    const bounds = [{ kind: 'equal', to: { kind: 'argument', parameter: 1 } }];
    expect(claims(read('borrowed'), 'takes')).toMatchObject([{ verdict: 'may', bounds }]);
    expect(claims(read('untouched'), 'takes')).toMatchObject([
      { verdict: 'cannot', source: { kind: 'argument' } },
    ]);
    expect(claims(read('looks', 'adaptor'), 'takes')).toMatchObject([
      { verdict: 'cannot', source: { kind: 'wallet' } },
    ]);
  });
});

test('what comes back is named with its sources', () => {
  const [back] = claims(read('brings', 'adaptor'), 'comesBack');
  expect(back).toMatchObject({
    sink: { kind: 'wallet', parameter: 0 },
    sources: [{ kind: 'state', path: `${otherId}::vault::Vault.held` }],
  });
  expect(claims(read('to_constant'), 'comesBack')).toEqual([]);
  expect(rest(read('to_constant'), 'comesBack')).toBe('cannot');
});

test('a movement that a branch decides names what decides', () => {
  const [first] = claims(read('for_one'), 'goesTo');
  expect(first!.decidedBy).toContainEqual({ kind: 'sender' });
  expect(claims(read('to_constant'), 'goesTo')[0]!.decidedBy).toEqual([]);
});

test('the evidence leads through the calls to the instruction', () => {
  const [movement] = claims(read('pays', 'adaptor'), 'goesTo');
  const path = movement!.evidence[0]!.map(({ function: name }) => name.split('::').slice(1).join('::'));
  expect(path).toEqual(['adaptor::pays', 'vault::put']);
});

const field = (name: string) => `${probeId}::market::Market.${name}`;

describe('stored fields', () => {
  test('reads and writes are named', () => {
    const touched = claims(read('by_rake'), 'touches').map(({ access, path }) => `${access} ${path}`);
    expect(touched).toEqual(
      expect.arrayContaining([
        `reads ${field('fee_bps')}`,
        `reads ${field('treasury')}`,
        `writes ${field('money')}`,
      ]),
    );
    expect(touched).not.toContain(`writes ${field('fee_bps')}`);
    expect(claims(read('set_rate'), 'touches').map(({ access, path }) => `${access} ${path}`)).toContain(
      `writes ${field('rates[address]')}`,
    );
  });

  test('a field that decides an abort is a gate', () => {
    const gates = claims(read('buys'), 'gate').map(({ on }) => on);
    expect(gates).toContainEqual({ kind: 'state', path: field('paused') });
    expect(gates).toContainEqual({ kind: 'state', path: field('version') });
    expect(gates).not.toContainEqual({ kind: 'state', path: field('fee_bps') });
    expect(rest(read('buys'), 'gate')).toBe('cannot');
  });

  test('a version that must equal a constant is a version gate', () => {
    const gates = (name: string) => claims(read(name), 'upgrade').map(({ versionGates }) => versionGates);
    expect(gates('buys')).toEqual([[field('version')]]);
    expect(gates('by_rake')).toEqual([[]]);
  });

  test('fields that reach an amount or a recipient steer', () => {
    const steers = claims(read('by_rake'), 'steers').map(({ path, reaches }) => `${reaches} ${path}`);
    expect(steers).toEqual([`amount ${field('fee_bps')}`, `recipient ${field('treasury')}`]);
    const table = claims(read('buys'), 'steers').map(({ path }) => path);
    expect(table).toContain(field('rates[address]'));
  });
});

describe('writers', () => {
  const readSteers = (name: string): Kind<'steers'>[] => claims(read(name), 'steers');
  const readGate = (path: string, name = 'compares'): Kind<'gate'> =>
    claims(read(name), 'gate').find(({ on }) => on.kind === 'state' && on.path === path)!;

  test('a capability that only init makes is needed', () => {
    const fee = readSteers('by_rake').find(({ path }) => path === field('fee_bps'))!;
    expect(fee.writers!.others).toBe('cannot');
    expect(fee.writers!.list).toMatchObject([
      {
        function: `${probeId}::market::set_fee`,
        needs: [{ kind: 'capability', type: `${probeId}::market::AdminCap` }],
      },
    ]);
  });

  test('the stored sender is needed if it is compared on every path', () => {
    const treasury = readSteers('by_rake').find(({ path }) => path === field('treasury'))!;
    expect(treasury.writers!.list).toMatchObject([
      { function: `${probeId}::market::set_treasury`, needs: [{ kind: 'sender', path: field('admin') }] },
    ]);
  });

  test('a capability that anyone can make is none', () => {
    expect(readGate(field('paused'), 'buys').writers!.list).toMatchObject([{ needs: [] }]);
  });

  test('a shared capability is none', () => {
    expect(readGate(field('open')).writers!.list).toMatchObject([{ needs: [] }]);
  });

  test('a capability that holders of another one make counts', () => {
    const needs = [{ kind: 'capability', type: `${probeId}::market::KeeperCap` }];
    expect(readGate(field('keeper')).writers!.list).toMatchObject([{ needs }]);
  });

  test('a comparison on some paths only is not a requirement', () => {
    const needs = [{ kind: 'checksSender', paths: [field('admin')] }];
    expect(readGate(field('lot')).writers!.list).toMatchObject([{ needs }]);
  });

  test('anyone can call a writer without a requirement', () => {
    const tick = readGate(field('tick')).writers!;
    expect(tick.list.map(({ function: name }) => name.split('::')[2])).toEqual(['set_tick', 'untouched']);
    expect(tick.list.map(({ needs }) => needs)).toEqual([[], []]);
    expect(tick.others).toBe('cannot');
  });

  test('a copy that is taken apart leaves the stored value', () => {
    const limit = claims(read('limited'), 'gate').find(({ on }) => on.kind === 'state')!;
    expect(limit.writers).toEqual({ list: [], others: 'cannot' });
  });

  test('entries of a table have the writers of the table', () => {
    const { list } = readGate(field('rates[address]')).writers!;
    expect(list).toMatchObject([{ function: `${probeId}::market::set_rate`, needs: [] }]);
  });
});

describe('dropped checks', () => {
  test('a check whose result is thrown away is found', () => {
    expect(claims(read('drops_check'), 'droppedCheck')).toMatchObject([
      { check: `${probeId}::market::is_admin` },
    ]);
    expect(claims(read('uses_check'), 'droppedCheck')).toEqual([]);
    expect(rest(read('uses_check'), 'droppedCheck')).toBe('cannot');
  });
});

test('a function that gives a witness away is named', () => {
  expect(claims(read('looks', 'adaptor'), 'witnessLeak')).toEqual([
    {
      kind: 'witnessLeak',
      verdict: 'may',
      witness: `${probeId}::adaptor::Leaky`,
      function: `${probeId}::adaptor::leak`,
    },
  ]);
});

describe('code that was not read', () => {
  test('a missing package makes claims about the rest unread, not cannot', () => {
    const dependencies = program.dependencies.filter(({ id }) => id !== otherId);
    const certificate = new Certifier({ ...program, dependencies }).certify({
      module: 'adaptor',
      function: 'pays',
    });
    expect(movements(certificate)).toContain('may: wallet 0 -> unread');
    expect(rest(certificate, 'goesTo')).toBe('unread');
    expect(rest(certificate, 'touches')).toBe('unread');
    expect(claims(certificate, 'notRead')).toMatchObject([{ reason: 'package', what: otherId }]);
  });

  test('another version of a dependency than the linked one is not read', () => {
    const dependencies = program.dependencies.map((each) =>
      each.id === otherId ? { ...each, id: `0x${'9'.repeat(64)}` } : each,
    );
    const certificate = new Certifier({ ...program, dependencies }).certify({
      module: 'adaptor',
      function: 'pays',
    });
    expect(claims(certificate, 'notRead')).toMatchObject([{ reason: 'package', what: otherId }]);
  });

  test('too few steps leave everything unread', () => {
    const certificate = new Certifier(program, { steps: 10 }).certify({
      module: 'adaptor',
      function: 'pays',
    });
    const verdicts = new Set(certificate.claims.map(({ verdict }) => verdict));
    expect([...verdicts]).not.toContain('always');
    expect(rest(certificate, 'goesTo')).toBe('unread');
    expect(claims(certificate, 'takes').map(({ verdict }) => verdict)).toEqual(['unread']);
    expect(claims(certificate, 'notRead')).toMatchObject([{ reason: 'bound', what: 'steps' }]);
  });

  test('a function that the package does not have is refused by name', () => {
    expect(() => certifier.certify({ module: 'market', function: 'absent' })).toThrow(/market::absent/);
  });
});

test('a certificate does not depend on what was certified before, or on the order of packages and modules', () => {
  const turned: Program = {
    root: { ...program.root, modules: new Map([...program.root.modules].reverse()) },
    dependencies: [...program.dependencies].reverse(),
  };
  const other = new Certifier(turned);
  const targets = certifier.targets;
  const hashes = new Map(targets.map((target) => [target, certificateHash(certifier.certify(target))]));
  for (const target of [...targets].reverse()) {
    expect(certificateHash(other.certify(target))).toBe(hashes.get(target));
  }
});

test("upgrade facts are the caller's, and without them nothing is said", () => {
  expect(claims(read('looks', 'adaptor'), 'upgrade')).toMatchObject([{ verdict: 'unread' }]);
  const fixed = new Certifier(program, { upgrade: { policy: 'immutable', olderVersions: 0 } });
  const open = new Certifier(program, { upgrade: { policy: 'immutable', olderVersions: 2 } });
  const target = { module: 'adaptor', function: 'looks' };
  expect(claims(fixed.certify(target), 'upgrade')).toMatchObject([{ verdict: 'cannot' }]);
  expect(claims(open.certify(target), 'upgrade')).toMatchObject([{ verdict: 'may' }]);
});
