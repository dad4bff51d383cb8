import type { Scenario, Taken } from '../scenario.ts';

export const SCENARIO_MEMBERS = `
  use sui::dynamic_field as df;
  use sui::dynamic_object_field as dof;
  use sui::event;
  public struct Box has key, store { id: UID, n: u64 }
  public struct Inner has key, store { id: UID, n: u64 }
  public struct Outer has key { id: UID, inner: Inner }
  public struct Note has copy, drop { n: u64 }
  fun box(n: u64, ctx: &mut TxContext): Box { Box { id: object::new(ctx), n } }
  fun inner(n: u64, ctx: &mut TxContext): Inner { Inner { id: object::new(ctx), n } }
  fun close(b: Box): u64 { let Box { id, n } = b; id.delete(); n }
`;

const mine = (type: string, by: Taken['by']): Taken => ({ type, from: 'sender', by });
const shared = (by: Taken['by']): Taken => ({ type: 'Box', from: 'shared', by });
const frozen = (by: Taken['by']): Taken => ({ type: 'Box', from: 'immutable', by });

const keepBox = { body: 'transfer::transfer(box(1, ctx), ctx.sender())' };
const shareBox = { body: 'transfer::share_object(box(1, ctx))' };
const freezeBox = { body: 'transfer::freeze_object(box(1, ctx))' };
const keepInner = { body: 'transfer::public_transfer(inner(2, ctx), ctx.sender())' };

/** Transfers, deletions, fields, wrapping, receiving and events over several transactions. */
export const SCENARIOS: Scenario[] = [
  [{ body: 'close(box(1, ctx));' }],
  [keepBox, { takes: [mine('Box', 'value')], body: 'close(a);' }],
  [
    keepBox,
    { takes: [mine('Box', '&mut')], body: 'a.n = 5' },
    { takes: [mine('Box', 'value')], body: 'assert!(a.n == 5, 0); transfer::public_transfer(a, @0xb0b)' },
  ],
  [keepBox, { takes: [mine('Box', 'value')], body: 'transfer::public_transfer(a, ctx.sender())' }],
  [
    keepBox,
    { takes: [mine('Box', 'value')], body: 'transfer::freeze_object(a)' },
    { takes: [frozen('&')], body: 'assert!(a.n == 1, 0)' },
  ],
  [keepBox, { takes: [mine('Box', 'value')], body: 'transfer::share_object(a)' }],
  [keepBox, { takes: [mine('Box', 'value')], body: 'transfer::public_share_object(a)' }],
  [
    {
      body: 'transfer::transfer(box(1, ctx), @0xb0b); transfer::share_object(box(2, ctx)); transfer::freeze_object(box(3, ctx)); close(box(4, ctx));',
    },
  ],
  [
    shareBox,
    { takes: [shared('&mut')], body: 'a.n = a.n + 1' },
    { takes: [shared('value')], body: 'assert!(close(a) == 2, 0)' },
  ],
  [shareBox, { takes: [shared('value')], body: 'transfer::share_object(a)' }],
  [shareBox, { takes: [shared('&')], body: 'assert!(a.n == 1, 0)' }],
  [freezeBox, { takes: [frozen('&')], body: 'transfer::transfer(box(a.n + 1, ctx), @0xb0b)' }],
  [
    keepBox,
    { takes: [mine('Box', '&mut')], body: 'df::add(&mut a.id, 1u8, 7u64)' },
    {
      takes: [mine('Box', '&mut')],
      body: '*df::borrow_mut(&mut a.id, 1u8) = *df::borrow<u8, u64>(&a.id, 1) + 1',
    },
    { takes: [mine('Box', '&mut')], body: 'assert!(df::remove<u8, u64>(&mut a.id, 1) == 8, 0)' },
  ],
  [
    keepBox,
    { takes: [mine('Box', '&mut')], body: 'df::add(&mut a.id, 1u8, 7u64)' },
    { takes: [mine('Box', '&mut')], body: 'df::add(&mut a.id, 1u8, 8u64)' },
  ],
  [
    keepBox,
    { takes: [mine('Box', '&mut')], body: 'df::add(&mut a.id, 1u8, 7u64)' },
    {
      takes: [mine('Box', '&mut')],
      body: 'df::remove<u8, u64>(&mut a.id, 1); df::add(&mut a.id, 1u8, 9u64)',
    },
  ],
  [
    keepBox,
    { takes: [mine('Box', '&mut')], body: 'df::add(&mut a.id, 1u8, 7u64)' },
    { takes: [mine('Box', '&')], body: 'df::borrow<u8, bool>(&a.id, 1);' },
  ],
  [keepBox, { takes: [mine('Box', '&mut')], body: 'df::borrow_mut<u8, u64>(&mut a.id, 1);' }],
  [
    keepBox,
    keepInner,
    { takes: [mine('Box', '&mut'), mine('Inner', 'value')], body: 'dof::add(&mut a.id, 1u8, b)' },
    { takes: [mine('Box', '&mut')], body: 'dof::borrow_mut<u8, Inner>(&mut a.id, 1).n = 9' },
    {
      takes: [mine('Box', '&mut')],
      body: 'let i: Inner = dof::remove(&mut a.id, 1u8); assert!(i.n == 9, 0); transfer::public_transfer(i, @0xb0b)',
    },
  ],
  [
    keepBox,
    keepInner,
    { takes: [mine('Box', '&mut'), mine('Inner', 'value')], body: 'dof::add(&mut a.id, 1u8, b)' },
    { takes: [mine('Box', '&mut')], body: 'let i: Box = dof::remove(&mut a.id, 1u8); close(i);' },
  ],
  [
    keepInner,
    {
      takes: [mine('Inner', 'value')],
      body: 'transfer::transfer(Outer { id: object::new(ctx), inner: a }, ctx.sender())',
    },
    {
      takes: [mine('Outer', 'value')],
      body: 'let Outer { id, inner } = a; id.delete(); transfer::public_transfer(inner, ctx.sender())',
    },
  ],
  [
    keepBox,
    { takes: [mine('Box', '&')], body: 'transfer::public_transfer(inner(3, ctx), object::id_address(a))' },
    {
      takes: [mine('Box', '&mut'), { type: 'Inner', from: 'receiving', by: 'value' }],
      body: 'let i = transfer::public_receive(&mut a.id, b); assert!(i.n == 3, 0); transfer::public_transfer(i, ctx.sender())',
    },
  ],
  [
    keepBox,
    { takes: [mine('Box', '&')], body: 'transfer::public_transfer(inner(3, ctx), object::id_address(a))' },
    {
      takes: [mine('Box', '&mut'), { type: 'Inner', from: 'receiving', by: 'value' }],
      body: 'let Inner { id, n } = transfer::receive(&mut a.id, b); id.delete()',
    },
  ],
  [
    keepBox,
    { takes: [mine('Box', '&')], body: 'transfer::public_transfer(inner(3, ctx), object::id_address(a))' },
    {
      takes: [mine('Box', '&mut'), { type: 'Inner', from: 'receiving', by: 'value' }],
      body: 'let mut other = box(2, ctx); let i = transfer::receive(&mut other.id, b); transfer::public_transfer(i, ctx.sender()); close(other);',
    },
  ],
  [
    { body: 'event::emit(Note { n: 1 }); event::emit(Note { n: 2 })' },
    { body: 'event::emit(Note { n: 3 })' },
  ],
  [keepBox, { takes: [mine('Box', '&mut')], body: 'a.n = 77; abort 13' }],
];
