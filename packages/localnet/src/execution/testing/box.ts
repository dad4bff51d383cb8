import { bcs } from '@mysten/sui/bcs';
import { expect } from 'vitest';
import type { MoveObject } from '../../state/objects.ts';
import type { Command, ExecutionFailure, ExecutionInput, ExecutionOutcome } from '../types.ts';
import { TestChain } from './chain.ts';
import { ALICE, call, input, objectInput, pure, result, transfer } from './commands.ts';

/** A package with a function for each thing that a transaction can do to objects. */
export const BOX = `
module demo::box {
  use sui::dynamic_field as df;
  use sui::dynamic_object_field as dof;
  use sui::event;

  public struct Box has key, store { id: UID, value: u64 }
  public struct Wrapper has key { id: UID, inner: Box }
  public struct Counter has key { id: UID, value: u64 }
  public struct Big has key, store { id: UID, bytes: vector<u8> }
  public struct Potato { value: u64 }
  public struct Opened has copy, drop { value: u64, who: address }
  public struct BOX has drop {}

  fun init(witness: BOX, ctx: &mut TxContext) {
    assert!(sui::types::is_one_time_witness(&witness), 7);
    transfer::share_object(Counter { id: object::new(ctx), value: 0 });
    event::emit(Opened { value: 99, who: ctx.sender() });
  }

  public fun new(value: u64, ctx: &mut TxContext): Box { Box { id: object::new(ctx), value } }
  public fun set(box: &mut Box, value: u64, ctx: &TxContext) {
    box.value = value;
    event::emit(Opened { value, who: ctx.sender() });
  }
  public fun value(box: &Box): u64 { box.value }
  public fun open(box: Box): u64 { let Box { id, value } = box; id.delete(); value }
  public fun wrap(inner: Box, ctx: &mut TxContext) { transfer::transfer(Wrapper { id: object::new(ctx), inner }, ctx.sender()) }
  public fun unwrap(wrapper: Wrapper): Box { let Wrapper { id, inner } = wrapper; id.delete(); inner }
  public fun open_wrapped(wrapper: Wrapper): u64 { open(unwrap(wrapper)) }
  public fun count(counter: &mut Counter) { counter.value = counter.value + 1 }
  public fun count_of(counter: &Counter): u64 { counter.value }
  public fun end_counter(counter: Counter) { let Counter { id, .. } = counter; id.delete() }
  public fun freeze_box(box: Box) { transfer::public_freeze_object(box) }
  public fun share_old(box: Box) { transfer::public_share_object(box) }
  public fun put(box: &mut Box, key: u64, value: u64) { df::add(&mut box.id, key, value) }
  public fun add_to(box: &mut Box, key: u64, more: u64) { let v: &mut u64 = df::borrow_mut(&mut box.id, key); *v = *v + more }
  public fun field(box: &Box, key: u64): u64 { *df::borrow(&box.id, key) }
  public fun field_as_bool(box: &Box, key: u64): bool { *df::borrow(&box.id, key) }
  public fun take(box: &mut Box, key: u64): u64 { df::remove(&mut box.id, key) }
  public fun retake(box: &mut Box, key: u64) { let v: u64 = df::remove(&mut box.id, key); df::add(&mut box.id, key, v + 1) }
  public fun nest(box: &mut Box, child: Box) { dof::add(&mut box.id, 1u8, child) }
  public fun nested_value(box: &Box): u64 { dof::borrow<u8, Box>(&box.id, 1).value }
  public fun set_nested(box: &mut Box, value: u64) { dof::borrow_mut<u8, Box>(&mut box.id, 1).value = value }
  public fun unnest(box: &mut Box): Box { dof::remove(&mut box.id, 1u8) }
  public fun shout(times: u64, ctx: &TxContext) { times.do!(|value| event::emit(Opened { value, who: ctx.sender() })) }
  public fun huge(part: vector<u8>, ctx: &mut TxContext): Big { let parts = vector::tabulate!(16, |_| part); Big { id: object::new(ctx), bytes: std::bcs::to_bytes(&parts) } }
  public fun zeros(count: u64): vector<u8> { vector::tabulate!(count, |_| 0) }
  public fun receive_box(parent: &mut Box, ticket: transfer::Receiving<Box>): Box { transfer::receive(&mut parent.id, ticket) }
  public fun potato(value: u64): (Potato, u64) { (Potato { value }, value) }
  public fun eat(potato: Potato): u64 { let Potato { value } = potato; value }
  public fun sum(values: vector<u64>): u64 { let mut s = 0; values.do!(|v| s = s + v); s }
  public fun names(name: std::string::String, maybe: Option<u8>, id: ID): (std::string::String, Option<u8>, ID) { (name, maybe, id) }
  public fun identity<T>(value: T): T { value }
  public fun needs_store<T: store>(value: T): T { value }
  public fun reference(box: &Box): &u64 { &box.value }
  public fun total(boxes: vector<Box>): u64 { let mut s = 0; boxes.do!(|b| s = s + open(b)); s }
  entry fun private_entry(value: u64): u64 { value }
  public fun lend(_: &mut Box): Potato { Potato { value: 0 } }
  public fun pay_for(_: &Counter): Potato { Potato { value: 0 } }
  entry fun spend(_: &mut Box) {}
  public(package) entry fun spend_in_package(_: &Box) {}
  public fun spend_publicly(_: &mut Box) {}
  entry fun eat_privately(potato: Potato) { eat(potato); }
  entry fun eat_two(potato: Potato, another: Potato) { eat(potato); eat(another); }
  public fun share_again(counter: Counter): u64 { let value = counter.value; transfer::share_object(counter); value }
  entry fun share_privately(counter: Counter) { transfer::share_object(counter) }
  public fun hold(counter: Counter): Counter { counter }
  public fun keep(counter: Counter, ctx: &TxContext) { transfer::transfer(counter, ctx.sender()) }
  public fun push(bytes: &mut vector<u8>) { bytes.push_back(33) }
  public fun changed_and_read(_: &mut u64, _: &u64) {}
  public fun read_and_changed(_: &u64, _: &mut u64) {}
  public fun changed_and_taken(changed: &mut u64, taken: u64): u64 { *changed = taken + 1; taken }
  public fun read_and_opened(_: &Box, box: Box) { open(box); }
  public struct Stamp has copy { value: u64 }
  public fun stamp(): Stamp { Stamp { value: 3 } }
  public fun look(_: &Stamp) {}
  public fun tear(stamp: Stamp): u64 { let Stamp { value } = stamp; value }
  public fun look_and_tear(_: &Stamp, stamp: Stamp) { tear(stamp); }
  public fun new_by(ctx: &mut TxContext, value: u64): Box { new(value, ctx) }
  public fun read_context(first: &TxContext, value: u64, last: &TxContext): u64 { assert!(first.epoch() == last.epoch(), 9); value }
  public fun two_contexts(_: &mut TxContext, _: u64, _: &mut TxContext) {}
  public fun mixed_contexts(_: &TxContext, _: &mut TxContext) {}
  fun hidden() {}
  public(package) fun friendly() {}
  public fun forever() { loop {} }
  public fun recurse(n: u64): u64 { recurse(n + 1) + 1 }
  public fun fail() { abort 42 }
  public fun overflow(a: u8): u8 { a + 1 }
}`;

/** A chain with the package on it. */
export class BoxChain {
  readonly chain: TestChain;
  readonly packageId: string;
  /** A shared object. */
  readonly counterId: string;

  private constructor(chain: TestChain, packageId: string) {
    this.chain = chain;
    this.packageId = packageId;
    const counter = [...chain.objects.values()].find(
      (object) => object.kind === 'move' && object.type === `${packageId}::box::Counter`,
    );
    this.counterId = counter!.id;
  }

  static async open(): Promise<BoxChain> {
    const chain = await TestChain.open();
    return new BoxChain(chain, await chain.publish({ box: BOX }));
  }

  fn(name: string): string {
    return `${this.packageId}::box::${name}`;
  }

  object(id: string): MoveObject {
    return this.chain.object(id);
  }

  run(commands: Command[], options?: Partial<ExecutionInput>): ExecutionOutcome {
    return this.chain.run(commands, options);
  }

  /** A new box of `owner`; answers its id. */
  newBox(value = 5n, owner = ALICE): string {
    const commands = [call(this.fn('new'), [input(0)]), transfer([result(0)], input(1))];
    const outcome = this.run(commands, inputs(value, owner));
    expect(outcome.failure).toBeUndefined();
    return outcome.writes[0]!.id;
  }

  /** Why commands fail; they must leave nothing behind. */
  failureOf(commands: Command[], options: Partial<ExecutionInput> = {}): ExecutionFailure | undefined {
    const outcome = this.run(commands, options);
    expect(outcome.writes).toEqual([]);
    return outcome.failure;
  }
}

/** One value that a successful transaction returned. */
export function returned(outcome: ExecutionOutcome, command = 0, value = 0) {
  expect(outcome.failure).toBeUndefined();
  return outcome.commandOutputs![command]!.returnValues[value]!;
}

export function u64Of(bytes: Uint8Array): bigint {
  return BigInt(bcs.u64().parse(bytes));
}

/** Inputs: a number is a pure u64, a string an address, an object itself. */
export function inputs(...list: (MoveObject | bigint | string)[]): Partial<ExecutionInput> {
  const toArgument = (each: MoveObject | bigint | string) => {
    if (typeof each === 'bigint') return pure(bcs.u64(), each);
    return typeof each === 'string' ? pure(bcs.Address, each) : objectInput(each);
  };
  return { inputs: list.map(toArgument) };
}
