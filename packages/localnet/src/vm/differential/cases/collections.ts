import { casesOf, type Suite } from '../suite.ts';

const members = `
  use std::bit_vector;
  use std::fixed_point32 as fixed;
  use sui::borrow;
  use sui::coin;
  use sui::derived_object;
  use sui::kiosk;
  use sui::object_table;
  use sui::priority_queue as queue;
  use sui::sui::SUI;
  use sui::table_vec::{Self, TableVec};
  use sui::versioned;
  public struct Box has key, store { id: UID, n: u64 }

  fun box(n: u64, ctx: &mut TxContext): Box { Box { id: object::new(ctx), n } }
  fun open(b: Box): u64 { let Box { id, n } = b; id.delete(); n }
  fun keep<T: key + store>(t: T) { transfer::public_transfer(t, @0xb0b) }
  fun tv(n: u64, ctx: &mut TxContext): TableVec<u64> { let mut t = table_vec::empty(ctx); n.do!(|i| t.push_back(i * 10)); t }
  fun all(t: &TableVec<u64>): vector<u64> { vector::tabulate!(t.length(), |i| t[i]) }
  fun sorted(mut q: queue::PriorityQueue<u8>, n: u64): vector<u64> { vector::tabulate!(n, |_| { let (p, v) = q.pop_max(); p * 1000 + (v as u64) }) }
  fun bits(b: &bit_vector::BitVector): vector<bool> { vector::tabulate!(b.length(), |i| b.is_index_set(i)) }
  fun marked(): bit_vector::BitVector { let mut b = bit_vector::new(6); b.set(1); b.set(2); b.set(4); b.set(5); b.unset(4); b }
  fun shifted(by: u64): vector<bool> { let mut b = marked(); b.shift_left(by); bits(&b) }
  fun fixed(a: u64, b: u64): u64 { fixed::create_from_rational(a, b).get_raw_value() }
  fun zero(ctx: &mut TxContext): coin::Coin<SUI> { coin::zero(ctx) }
`;

const tableVec = (what: string) =>
  `{ let mut t = tv(3, ctx); ${what}; let result = all(&t); t.drop(); result }`;
const shop = (what: string, value = 'k.item_count() as u64') =>
  `{ let (mut k, cap) = kiosk::new(ctx); let b = box(7, ctx); let id = object::id(&b); k.place(&cap, b); ${what || '()'}; let result = ${value}; keep(k); keep(cap); result }`;

const cases = casesOf({
  'vector<u64>': [
    tableVec('t.push_back(7)'),
    tableVec('*&mut t[1] = 9'),
    tableVec('*&mut t[3] = 9'),
    tableVec('t.pop_back()'),
    tableVec('t.swap(0, 2)'),
    tableVec('t.swap(1, 1)'),
    tableVec('t.swap(0, 3)'),
    tableVec('t.swap_remove(0)'),
    tableVec('t.swap_remove(3)'),
    '{ let mut t = tv(0, ctx); t.pop_back(); t.drop(); vector[] }',
    '{ tv(0, ctx).destroy_empty(); vector[] }',
    '{ tv(1, ctx).destroy_empty(); vector[] }',
    'sorted(queue::new(queue::create_entries(vector[3, 1, 4, 1, 5, 9, 2, 6], b"abcdefgh")), 8)',
    '{ let mut q = queue::new(vector[queue::new_entry(3, 1u8)]); q.insert(7, 2); q.insert(5, 3); q.priorities() }',
    'sorted(queue::new(vector[]), 1)',
    'sorted(queue::new(queue::create_entries(vector[1], b"")), 1)',
    '{ let mut c = zero(ctx); let v = c.divide_into_n(0, ctx); v.destroy!(|x| x.destroy_zero()); c.destroy_zero(); vector[] }',
    '{ let mut c = zero(ctx); c.split_vec(vector[0, 0], ctx); let n = c.value(); c.destroy_zero(); vector[n] }',
    '{ let mut c = zero(ctx); c.split_vec(vector[0, 1], ctx); c.destroy_zero(); vector[] }',
    '{ let mut c = zero(ctx); let d = zero(ctx); c.join_vec(vector[d]); let n = c.value(); c.destroy_zero(); vector[n] }',
    '{ sui::pay::join_vec_and_transfer(vector<coin::Coin<SUI>>[], @0x1); vector[] }',
  ],
  'vector<bool>': [
    'bits(&marked())',
    'shifted(0)',
    'shifted(1)',
    'shifted(5)',
    'shifted(6)',
    'shifted(18446744073709551615)',
  ],
  bool: [
    'marked().is_index_set(6)',
    'bit_vector::new(0).is_index_set(0)',
    'bit_vector::new(1024).is_index_set(0)',
    '{ let mut b = marked(); b.set(6); true }',
    'fixed::is_zero(fixed::create_from_raw_value(0))',
    '{ let mut p = object::new(ctx); let u = derived_object::claim(&mut p, 1u8); u.delete(); let e = derived_object::exists(&p, 1u8); p.delete(); e }',
    '{ let mut p = object::new(ctx); let u = derived_object::claim(&mut p, 1u8); u.delete(); let v = derived_object::claim(&mut p, 1u8); v.delete(); p.delete(); true }',
    '{ let mut p = object::new(ctx); let u = derived_object::claim(&mut p, 1u8); let same = u.to_address() == derived_object::derive_address(p.to_inner(), 1u8); u.delete(); p.delete(); same }',
    shop('', 'k.is_listed(id)'),
    shop('k.list<Box>(&cap, id, 5)', 'k.is_listed(id) && !k.is_listed_exclusively(id)'),
  ],
  u64: [
    'marked().longest_set_sequence_starting_at(1)',
    'marked().longest_set_sequence_starting_at(6)',
    'fixed(1, 3)',
    'fixed(1, 0)',
    'fixed(0, 5)',
    'fixed(1, 18446744073709551615)',
    'fixed(18446744073709551615, 1)',
    'fixed::multiply_u64(10, fixed::create_from_rational(5, 2))',
    'fixed::multiply_u64(18446744073709551615, fixed::create_from_rational(5, 2))',
    'fixed::divide_u64(10, fixed::create_from_rational(5, 2))',
    'fixed::divide_u64(10, fixed::create_from_raw_value(0))',
    'fixed::divide_u64(18446744073709551615, fixed::create_from_rational(1, 2))',
    'sui::math::max(1, 2) + sui::math::pow(2, 5) + sui::math::sqrt(99) + sui::math::diff(1, 9)',
    '{ let mut r = borrow::new(box(5, ctx), ctx); let (b, p) = r.borrow(); r.put_back(b, p); open(r.destroy()) }',
    '{ let mut r = borrow::new(box(5, ctx), ctx); let (b, p) = r.borrow(); let c = box(6, ctx); r.put_back(c, p); keep(b); open(r.destroy()) }',
    '{ let mut r = borrow::new(box(5, ctx), ctx); let mut s = borrow::new(box(6, ctx), ctx); let (b, p) = r.borrow(); let (c, q) = s.borrow(); r.put_back(c, q); s.put_back(b, p); open(r.destroy()) + open(s.destroy()) }',
    '{ let mut r = borrow::new(box(5, ctx), ctx); let (b, p) = r.borrow(); let (c, q) = r.borrow(); r.put_back(b, p); r.put_back(c, q); open(r.destroy()) }',
    '{ let mut v = versioned::create(1, 10u64, ctx); *v.load_value_mut<u64>() = 11; let n = *v.load_value<u64>() + v.version(); v.destroy<u64>(); n }',
    '{ let mut v = versioned::create(1, 10u64, ctx); let (n, cap) = v.remove_value_for_upgrade<u64>(); v.upgrade(2, n as u8, cap); let m = v.destroy<u8>(); m as u64 }',
    '{ let mut v = versioned::create(2, 10u64, ctx); let (n, cap) = v.remove_value_for_upgrade<u64>(); v.upgrade(2, n, cap); v.destroy<u64>() }',
    '{ let v = versioned::create(2, 10u64, ctx); v.destroy<u8>() as u64 }',
    '{ let mut t = object_table::new<u8, Box>(ctx); t.add(1, box(5, ctx)); t[1].n = 6; let n = t[1].n + t.length(); open(t.remove(1)); t.destroy_empty(); n }',
    '{ let mut t = object_table::new<u8, Box>(ctx); t.add(1, box(5, ctx)); t.destroy_empty(); 0 }',
    '{ let mut t = object_table::new<u8, Box>(ctx); let b = t.remove(1); t.destroy_empty(); open(b) }',
    shop(''),
    shop('open(k.take<Box>(&cap, id))'),
    shop('k.list<Box>(&cap, id, 5); open(k.take<Box>(&cap, id))'),
    shop('k.list<Box>(&cap, id, 5); k.list<Box>(&cap, id, 6)'),
    shop('k.list<Box>(&cap, id, 5); k.delist<Box>(&cap, id)'),
    shop('k.delist<Box>(&cap, id)'),
    shop('let pc = k.list_with_purchase_cap<Box>(&cap, id, 0, ctx); keep(pc); open(k.take<Box>(&cap, id))'),
    shop(
      'let pc = k.list_with_purchase_cap<Box>(&cap, id, 0, ctx); k.return_purchase_cap(pc); open(k.take<Box>(&cap, id))',
    ),
    shop('let (b, p) = k.borrow_val<Box>(&cap, id); k.return_val(b, p)'),
    shop('let (b, p) = k.borrow_val<Box>(&cap, id); keep(b); let c = box(9, ctx); k.return_val(c, p)'),
    shop('k.borrow_mut<Box>(&cap, id).n = 70', 'k.borrow<Box>(&cap, id).n'),
    shop('let c = k.withdraw(&cap, option::some(1), ctx); keep(c)'),
    shop('let (k2, cap2) = kiosk::new(ctx); k.set_owner_custom(&cap2, @0x1); keep(k2); keep(cap2)'),
    shop('k.uid_mut()'),
    '{ let (k, cap) = kiosk::new(ctx); let c = k.close_and_withdraw(cap, ctx); c.destroy_zero(); 1 }',
    '{ let (mut k, cap) = kiosk::new(ctx); k.place(&cap, box(1, ctx)); let c = k.close_and_withdraw(cap, ctx); c.destroy_zero(); 1 }',
  ],
});

/** Framework modules that publishers import, in both machines over the same sources. */
export const COLLECTIONS_SUITE: Suite = { name: 'collections', members, cases };
