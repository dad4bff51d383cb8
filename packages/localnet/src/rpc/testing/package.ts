import { compileSources } from '@adaptor-marketplace/move-toolchain';

/** A package with a bit of everything that answers show: events, owned, shared and child objects, a coin. */
const source = `
module demo::demo;

use std::string::String;
use sui::balance::{Self, Balance};
use sui::dynamic_field;
use sui::dynamic_object_field;
use sui::event;
use sui::sui::SUI;

const ERefused: u64 = 7;

public struct Box<T: store> has key, store { id: UID, value: T }
public struct Board has key { id: UID, count: u64, funds: Balance<SUI> }
public struct Noted has copy, drop {
    by: address, count: u64, small: u8, flag: bool, text: String, bytes: vector<u8>, list: vector<u64>,
    maybe: Option<u64>, none: Option<address>, big: u256, id: ID, kind: Kind,
}
public struct Generic<phantom T> has copy, drop { count: u64 }
public enum Kind has copy, drop, store { Plain, Named { name: String, at: u64 } }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Board { id: object::new(ctx), count: 0, funds: balance::zero() });
}

public fun note(board: &mut Board, text: String, ctx: &TxContext) {
    board.count = board.count + 1;
    event::emit(Noted {
        by: ctx.sender(), count: board.count, small: 5, flag: true, text, bytes: vector[1, 2, 3], list: vector[1, 2],
        maybe: option::some(9), none: option::none(), big: 1 << 200, id: object::id(board),
        kind: Kind::Named { name: text, at: 3 },
    });
}

public fun emit<T>(count: u64) { event::emit(Generic<T> { count }) }

public fun box(value: u64, ctx: &mut TxContext): Box<u64> { Box { id: object::new(ctx), value } }

public fun attach(board: &mut Board, name: u64, value: u64, ctx: &mut TxContext) {
    dynamic_field::add(&mut board.id, name, value);
    dynamic_object_field::add(&mut board.id, name, box(value, ctx));
}

public fun count(board: &Board): u64 { board.count }
public fun refuse() { abort ERefused }
`;

const coinSource = `
module demo::gem;

public struct GEM has drop {}

fun init(witness: GEM, ctx: &mut TxContext) {
    let (mut cap, metadata) =
        sui::coin::create_currency(witness, 6, b"GEM", b"Gem", b"Shiny", option::none(), ctx);
    transfer::public_transfer(cap.mint(1_000, ctx), ctx.sender());
    transfer::public_transfer(cap, ctx.sender());
    transfer::public_freeze_object(metadata);
}
`;

/** The package compiled, ready for a `Publish` command. */
export function compileTestPackage() {
  return compileSources({
    'Move.toml': '[package]\nname = "demo"\nedition = "2024"\n\n[addresses]\ndemo = "0x0"\n',
    'sources/demo.move': source,
    'sources/gem.move': coinSource,
  });
}
