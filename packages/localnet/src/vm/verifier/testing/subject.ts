import { deserialize, serialize } from '@mysten/move-bytecode-template';
import { bcs } from '@mysten/sui/bcs';
import { fromBase64, toBase64 } from '@mysten/sui/utils';
import { TestChain } from '../../../execution/testing/chain.ts';
import { ALICE, input, publishCommand, pure, result, transfer } from '../../../execution/testing/commands.ts';
import type { Command, ExecutionOutcome } from '../../../execution/types.ts';
import { ModuleEditor } from './editor.ts';

type Publish = Extract<Command, { $kind: 'Publish' }>;

/** A module to be changed, with something of every kind. */
const SUBJECT = `
module demo::subject {
  use sui::event;

  public struct S has copy, drop, store { a: u64, b: u64 }
  public struct Pair has copy, drop, store { x: S, y: S }
  public struct Potato { value: u64 }
  public struct Object has key, store { id: UID, value: u64 }
  public struct Generic<T, phantom P> has copy, drop, store { value: T }
  public struct Happened has copy, drop { value: u64 }
  public struct SUBJECT has drop {}
  public enum E has copy, drop, store { One { a: u64, b: u64 }, Two(u64), Three }

  fun init(_witness: SUBJECT, _ctx: &mut TxContext) {}

  public fun probe(
    _s: S, _r: &mut S, _v: vector<u64>, _i: &S, _e: E, _w: &mut vector<u64>, _n: u64, _b: bool, _p: Pair,
  ) {}
  public fun give_mut(_s: S, r: &mut S): &mut u64 { &mut r.a }
  public fun give_two(_s: S, r: &mut S): (&mut u64, &mut u64) { (&mut r.a, &mut r.b) }
  public fun give_imm(_s: S, r: &S): &u64 { &r.a }
  public fun pick(a: &mut S, _b: &mut S): &mut u64 { &mut a.a }
  public fun peek(a: &S): &u64 { &a.a }
  public fun both(_a: &mut u64, _b: &mut u64) {}
  public fun keep(potato: Potato, again: bool): Potato { if (again) potato else potato }
  public fun eat(potato: Potato): u64 { let Potato { value } = potato; value }
  public fun count(n: u64): u64 { let mut i = 0; while (i < n) i = i + 1; i }
  public fun which(e: &E): u64 { match (e) { E::One { a, .. } => *a, E::Two(n) => *n, E::Three => 0 } }
  public fun make(ctx: &mut TxContext): Object { Object { id: object::new(ctx), value: 1 } }
  public fun swap(mut object: Object): Object { object.value = 2; object }
  public fun end(object: Object) { let Object { id, .. } = object; id.delete() }
  public fun give(object: Object, to: address) { transfer::transfer(object, to) }
  public fun tell(value: u64) { event::emit(Happened { value }) }
  public fun wrap<T: copy + drop + store>(value: T): Generic<T, u8> { Generic { value } }
  public fun again<T: copy + drop + store>(value: T) { again<T>(value) }
  public fun bytes(): vector<u8> { b"constant" }
  public(package) fun friendly() {}
  public fun bounded(_x: u8) {}
}`;

/** Publishes changed versions of one module, each alone. */
export class Subject {
  readonly chain: TestChain;
  readonly publish: Publish;

  private constructor(chain: TestChain, publish: Publish) {
    this.chain = chain;
    this.publish = publish;
  }

  static async open(source: string = SUBJECT): Promise<Subject> {
    const chain = await TestChain.open();
    const command = await publishCommand({ subject: source });
    if (command.$kind !== 'Publish') throw new Error('not a publish command');
    return new Subject(chain, command);
  }

  /** The bytes of the module after a change. Throws what is not an Error when they cannot be written. */
  bytes(change: (editor: ModuleEditor) => void): Uint8Array {
    const editor = new ModuleEditor(deserialize(fromBase64(this.publish.Publish.modules[0]!)));
    change(editor);
    return serialize(editor.json);
  }

  run(...modules: Uint8Array[]): ExecutionOutcome {
    const command: Command = {
      $kind: 'Publish',
      Publish: { ...this.publish.Publish, modules: modules.map((bytes) => toBase64(bytes)) },
    };
    return this.chain.run([command, transfer([result(0)], input(0))], { inputs: [pure(bcs.Address, ALICE)] });
  }

  /** `accepted`, or the kind of the failure and its message. */
  verdictOf(...modules: Uint8Array[]): string {
    const reason = this.run(...modules).failure?.reason;
    if (reason === undefined) return 'accepted';
    return 'message' in reason ? `${reason.kind}: ${reason.message}` : reason.kind;
  }

  verdict(change: (editor: ModuleEditor) => void): string {
    return this.verdictOf(this.bytes(change));
  }
}

/** What begins the message of a module that breaks a rule of Move. */
export function refused(status: string): string {
  return `VMVerificationOrDeserializationError: ${status}: `;
}

/** What begins the message of a module that breaks a rule of Sui. */
export const refusedBySui = 'SuiMoveVerificationError: ';
