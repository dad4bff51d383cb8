import { casesOf, type Suite } from '../suite.ts';

const members = `
  use sui::bag;
  use sui::balance;
  use sui::coin;
  use sui::dynamic_field as df;
  use sui::dynamic_object_field as dof;
  use sui::event;
  use sui::linked_table;
  use sui::object_bag;
  use sui::table;
  public struct Box has key, store { id: UID, n: u64 }
  public struct Other has key, store { id: UID, n: u64 }
  public struct Name has copy, drop, store { n: u64, text: vector<u8> }
  public struct Note has copy, drop { n: u64 }
  public struct COIN has drop {}
  public struct Vault has key, store { id: UID, supply: balance::Supply<COIN> }

  fun box(n: u64, ctx: &mut TxContext): Box { Box { id: object::new(ctx), n } }
  fun open(box: Box): u64 { let Box { id, n } = box; id.delete(); n }
  fun keep<T: key + store>(t: T) { transfer::public_transfer(t, @0xb0b) }
  fun with<T: store>(ctx: &mut TxContext, key: u64, t: T): Box { let mut b = box(1, ctx); df::add(&mut b.id, key, t); b }
  fun keep_supply(supply: balance::Supply<COIN>, ctx: &mut TxContext) { keep(Vault { id: object::new(ctx), supply }) }
  fun reparented(ctx: &mut TxContext): u64 { let mut a = box(1, ctx); let b = box(2, ctx); dof::add(&mut a.id, 0u8, b); let b: Box = dof::remove(&mut a.id, 0u8); keep(a); open(b) }
`;

/** A block that makes `b` with a field 5 -> 10u64, does `what`, gives the box away and answers `value`. */
const field = (what: string, value: string) =>
  `{ let mut b = with(ctx, 5, 10u64); ${what || '()'}; let result = ${value}; keep(b); result }`;
const child = (what: string, value: string) =>
  `{ let mut b = box(1, ctx); let c = box(7, ctx); dof::add(&mut b.id, 5u64, c); ${what || '()'}; let result = ${value}; keep(b); result }`;
const tabled = (what: string, value: string) =>
  `{ let mut t = table::new<u8, u64>(ctx); t.add(1, 10); ${what || '()'}; let result = ${value}; t.drop(); result }`;
const linked = (what: string, value: string) =>
  `{ let mut t = linked_table::new<u8, u64>(ctx); t.push_back(1, 10); t.push_back(2, 20); t.push_front(0, 0); ${what || '()'}; let result = ${value}; t.drop(); result }`;
const bagged = (what: string, value: string) =>
  `{ let mut t = bag::new(ctx); t.add(1u8, 10u64); t.add(b"k", true); ${what || '()'}; let result = ${value}; keep(t); result }`;
const cases = casesOf({
  address: [
    'ctx.sender()',
    'ctx.fresh_object_address()',
    '{ ctx.fresh_object_address(); ctx.fresh_object_address(); ctx.fresh_object_address() }',
    '{ let b = box(1, ctx); let a = object::id_address(&b); open(b); a }',
    '{ let b = with(ctx, 5, 1u8); let a = b.id.to_address(); keep(b); a }',
    '{ let u = object::new(ctx); let a = u.to_address(); u.delete(); a }',
  ],
  'vector<u8>': [
    '*ctx.digest()',
    '{ let b = box(1, ctx); let a = object::id_bytes(&b); open(b); a }',
    '{ let u = object::new(ctx); let a = u.to_bytes(); u.delete(); a }',
  ],
  ID: [
    '{ let b = box(1, ctx); let a = object::id(&b); open(b); a }',
    '{ let b = box(1, ctx); let a = *object::borrow_id(&b); open(b); a }',
    '{ let u = object::new(ctx); let a = *u.as_inner(); u.delete(); a }',
    'object::id_from_bytes(b"no")',
  ],
  'Option<address>': ['ctx.sponsor()'],
  'Option<ID>': [child('', 'dof::id(&b.id, 5u64)'), child('', 'dof::id(&b.id, 6u64)')],
  u64: [
    'ctx.epoch()',
    'ctx.epoch_timestamp_ms()',
    'ctx.reference_gas_price()',
    'ctx.gas_price()',
    field('', '*df::borrow(&b.id, 5u64)'),
    field('', '*df::borrow(&b.id, 6u64)'),
    field('', '*df::borrow(&b.id, 5u8)'),
    field('', '*df::borrow<u64, u8>(&b.id, 5) as u64'),
    field('', 'if (*df::borrow_mut<u64, bool>(&mut b.id, 5)) 1 else 0'),
    field('*df::borrow_mut(&mut b.id, 5u64) = 11', '*df::borrow(&b.id, 5u64)'),
    field('*df::borrow_mut(&mut b.id, 7u64) = 11', '0'),
    field('', 'df::remove(&mut b.id, 5u64)'),
    field('', 'df::remove(&mut b.id, 6u64)'),
    field('', 'df::remove<u64, u8>(&mut b.id, 5) as u64'),
    field('df::remove<u64, u64>(&mut b.id, 5)', 'df::remove(&mut b.id, 5u64)'),
    field(
      'let x: u64 = df::remove(&mut b.id, 5u64); df::add(&mut b.id, 5u64, x * 2)',
      '*df::borrow(&b.id, 5u64)',
    ),
    field('df::add(&mut b.id, 5u64, 1u64)', '0'),
    field('df::add(&mut b.id, 5u64, true)', '0'),
    field(
      'df::add(&mut b.id, b"5", 3u64); df::add(&mut b.id, Name { n: 5, text: b"" }, 4u64)',
      '*df::borrow(&b.id, b"5") * 10 + *df::borrow(&b.id, Name { n: 5, text: b"" })',
    ),
    field('df::add(&mut b.id, @0x5, vector[1, 2, 3])', 'df::borrow<address, vector<u64>>(&b.id, @0x5)[2]'),
    field('', 'df::remove_if_exists(&mut b.id, 5u64).destroy_with_default(77)'),
    field('', 'df::remove_if_exists(&mut b.id, 6u64).destroy_with_default(77)'),
    child('', 'dof::borrow<u64, Box>(&b.id, 5).n'),
    child('', 'dof::borrow<u64, Other>(&b.id, 5).n'),
    child('', 'dof::borrow<u64, Box>(&b.id, 6).n'),
    child('dof::borrow_mut<u64, Box>(&mut b.id, 5).n = 8', 'dof::borrow<u64, Box>(&b.id, 5).n'),
    child('', 'open(dof::remove(&mut b.id, 5u64))'),
    child('', '{ let o: Other = dof::remove(&mut b.id, 5u64); let n = o.n; keep(o); n }'),
    child('let c = box(1, ctx); dof::add(&mut b.id, 5u64, c)', '0'),
    child('df::add(&mut b.id, 5u64, 12u64)', '*df::borrow(&b.id, 5u64)'),
    'reparented(ctx)',
    'open(box(3, ctx))',
    tabled('', 't[1]'),
    tabled('', 't[2]'),
    tabled('t.add(2, 20)', 't.length()'),
    tabled('t.add(1, 20)', 't.length()'),
    tabled('*&mut t[1] = 12', 't[1]'),
    tabled('', 't.remove(1) + t.length()'),
    tabled('', 't.remove(2)'),
    '{ let t = table::new<u8, u64>(ctx); t.destroy_empty(); 0 }',
    '{ let mut t = table::new<u8, u64>(ctx); t.add(1, 1); t.destroy_empty(); 0 }',
    linked('', 't[1] + t[2]'),
    linked('', 't[9]'),
    linked('', 't.remove(1)'),
    linked('t.remove(0); t.remove(1)', 't.length()'),
    linked('', '{ let (k, v) = t.pop_front(); (k as u64) * 100 + v }'),
    linked('', '{ let (k, v) = t.pop_back(); (k as u64) * 100 + v }'),
    linked('t.pop_back(); t.pop_back(); t.pop_back()', '{ let (_, v) = t.pop_back(); v }'),
    bagged('', '*t.borrow<u8, u64>(1)'),
    bagged('', 'if (*t.borrow<u8, bool>(1)) 1 else 0'),
    bagged('', 't.remove<u8, u64>(1) + t.length()'),
    bagged('t.add(1u8, 3u8)', '0'),
    '{ let b = bag::new(ctx); b.destroy_empty(); 1 }',
    '{ let mut b = bag::new(ctx); b.add(1u8, 1u8); b.destroy_empty(); 1 }',
    '{ let mut b = object_bag::new(ctx); let c = box(4, ctx); b.add(1u8, c); let n = b.borrow<u8, Box>(1).n; open(b.remove(1u8)); b.destroy_empty(); n }',
    '{ let mut b = object_bag::new(ctx); let c = box(4, ctx); b.add(1u8, c); b.destroy_empty(); 0 }',
    '{ let c = coin::zero<COIN>(ctx); let n = c.value(); c.destroy_zero(); n }',
    '{ let mut s = balance::create_supply(COIN {}); let mut b = s.increase_supply(100); let c = b.split(30); let n = b.value() * 1000 + c.value(); b.join(c); s.decrease_supply(b); keep_supply(s, ctx); n }',
    '{ let mut s = balance::create_supply(COIN {}); let mut b = s.increase_supply(100); let c = b.split(101); b.join(c); s.decrease_supply(b); keep_supply(s, ctx); 0 }',
    '{ let mut s = balance::create_supply(COIN {}); let b = s.increase_supply(18446744073709551615); let c = s.increase_supply(1); s.decrease_supply(b); s.decrease_supply(c); keep_supply(s, ctx); 0 }',
    '{ let mut s = balance::create_supply(COIN {}); let b = s.increase_supply(1); b.destroy_zero(); keep_supply(s, ctx); 0 }',
  ],
  bool: [
    field('', 'df::exists_(&b.id, 5u64)'),
    field('', 'df::exists_(&b.id, 5u8)'),
    field('', 'df::exists_with_type<u64, u64>(&b.id, 5)'),
    field('', 'df::exists_with_type<u64, u8>(&b.id, 5)'),
    field('df::remove<u64, u64>(&mut b.id, 5)', 'df::exists_(&b.id, 5u64)'),
    field('df::remove<u64, u64>(&mut b.id, 5)', 'df::exists_with_type<u64, u64>(&b.id, 5)'),
    child('', 'dof::exists_(&b.id, 5u64)'),
    child('', 'df::exists_(&b.id, 5u64)'),
    child('', 'dof::exists_with_type<u64, Box>(&b.id, 5)'),
    child('', 'dof::exists_with_type<u64, Other>(&b.id, 5)'),
    tabled('', 't.contains(1)'),
    tabled('', 't.contains(2)'),
    bagged('', 't.contains(b"k")'),
    bagged('', 't.contains_with_type<vector<u8>, u64>(b"k")'),
    '{ event::emit(Note { n: 1 }); event::emit(Note { n: 2 }); true }',
    '{ let b = box(1, ctx); transfer::share_object(b); true }',
    '{ let b = box(1, ctx); transfer::public_share_object(b); true }',
    '{ let b = box(1, ctx); transfer::party_transfer(b, sui::party::single_owner(@0xb0b)); true }',
    '{ let b = box(1, ctx); sui::party::single_owner(@0xb0b).public_transfer!(b); true }',
    '{ let b = box(1, ctx); transfer::freeze_object(b); true }',
    '{ let b = box(1, ctx); transfer::public_freeze_object(b); true }',
    '{ let b = box(1, ctx); transfer::transfer(b, ctx.sender()); true }',
  ],
});

/** Natives on objects: ids, dynamic fields, transfers, what a transaction knows of itself. */
export const OBJECTS_SUITE: Suite = { name: 'objects', members, cases };
