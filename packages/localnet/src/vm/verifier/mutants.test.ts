import type { InstructionJson, ModuleJson } from '@adaptor-marketplace/move-bytecode';
import { deserialize, serialize } from '@mysten/move-bytecode-template';
import { fromBase64 } from '@mysten/sui/utils';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { TestChain } from '../../execution/testing/chain.ts';
import { publishCommand } from '../../execution/testing/commands.ts';
import { serializeValue } from '../bcs.ts';
import { linkModule } from '../code/linkage.ts';
import { FACTS } from '../differential/interpret.ts';
import { VmError } from '../errors.ts';
import { STD, SUI } from '../framework.ts';
import type { LoadedFunction } from '../loader/module.ts';
import { type LoadedPackage, PackageCache } from '../loader/package.ts';
import { Meter } from '../meter.ts';
import { Machine } from '../runtime/machine.ts';
import { Session } from '../runtime/session.ts';
import { fieldTypesOf, INTEGER_BITS, isInteger, substitute, type Type, U64 } from '../types.ts';
import { ByteVector, Ref, StructValue, type Value, VariantValue, VectorValue } from '../values.ts';
import { verifyPackage } from './index.ts';
import { ModuleEditor } from './testing/editor.ts';
import { putRandomCode, type Segment } from './testing/random-code.ts';
import { Subject } from './testing/subject.ts';
import { checkAlive, watch } from './testing/watch.ts';

/** Code full of references, moves and branches. */
const SOURCE = `
module demo::mutant {
  public struct S has copy, drop, store { a: u64, b: u64 }
  public struct Pair has copy, drop, store { x: S, y: S, list: vector<u64> }
  public struct Potato { value: u64, more: vector<u64> }
  public struct Object has key, store { id: UID, value: u64 }
  public enum E has copy, drop, store { One { a: u64, s: S }, Two(u64), Three }

  public fun fields(pair: &mut Pair): u64 { let x = &mut pair.x.a; let y = &mut pair.y.b; *x = *y + 1; *y = *x; pair.x.a }
  public fun choose(pair: &mut Pair, first: bool): &mut S { if (first) &mut pair.x else &mut pair.y }
  public fun chosen(mut pair: Pair, first: bool): Pair { let s = choose(&mut pair, first); s.a = s.b; pair }
  public fun sum(list: &vector<u64>): u64 { let mut i = 0; let mut s = 0; while (i < list.length()) { s = s + list[i]; i = i + 1 }; s }
  public fun grow(mut list: vector<u64>, by: u64): vector<u64> { let mut i = 0; while (i < by) { list.push_back(i); i = i + 1; if (i > 5) break }; list.swap(0, 0); list }
  public fun last(list: &mut vector<u64>): &mut u64 { let i = list.length() - 1; &mut list[i] }
  public fun switch(e: &mut E): u64 { match (e) { E::One { a, s } => { *a = s.b; *a }, E::Two(n) => { *n = *n + 1; *n }, E::Three => 3 } }
  public fun become(e: E): E { match (e) { E::One { a, s } => E::Two(a + s.a), E::Two(n) => E::One { a: n, s: S { a: n, b: n } }, E::Three => E::Three } }
  public fun potato(value: u64): Potato { Potato { value, more: vector[value] } }
  public fun cook(potato: Potato, long: bool): u64 { let Potato { value, mut more } = potato; if (long) more.push_back(value); value + more.length() }
  public fun pass(potato: Potato, n: u64): Potato { if (n == 0) potato else { let Potato { value, more } = potato; pass(Potato { value: value + 1, more }, n % 3) } }
  public fun equal(a: &S, b: &S): bool { a == b && a.a == b.b }
  public fun object(value: u64, ctx: &mut TxContext): Object { Object { id: object::new(ctx), value } }
  public fun remake(object: Object, ctx: &mut TxContext): Object { let Object { id, value } = object; id.delete(); object(value + 1, ctx) }
  public fun keep<T>(value: T, list: &mut vector<T>) { list.push_back(value) }
  public fun swapped<T: copy + drop>(a: &mut T, b: T): T { let old = *a; *a = b; old }
}`;

const SELF = `0x${'0'.repeat(64)}`;

let chain: TestChain;
let original: Uint8Array;
let subject: Subject;

beforeAll(async () => {
  chain = await TestChain.open();
  const command = await publishCommand({ mutant: SOURCE });
  if (command.$kind !== 'Publish') throw new Error('not a publish command');
  original = fromBase64(command.Publish.modules[0]!);
  subject = await Subject.open();
});

/** What is done to one instruction, chosen by its place in all code. */
type Mutation = { at: number; kind: 'replace' | 'insert' | 'remove' | 'operand' | 'swap'; from: number };

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat({ max: 100_000 }),
  kind: fc.constantFrom('replace', 'insert', 'remove', 'operand', 'operand', 'swap'),
  from: fc.nat({ max: 100_000 }),
});

function mutate(json: ModuleJson, { at, kind, from }: Mutation): void {
  const bodies = json.function_defs.map((definition) => definition.code!.code);
  const all = bodies.flat();
  const body = bodies[at % bodies.length]!;
  const place = (at * 31) % body.length;
  const other = structuredClone(all[from % all.length]!);
  if (kind === 'replace') body[place] = other;
  if (kind === 'remove') body.splice(place, 1);
  if (kind === 'insert') body.splice(place, 0, other);
  if (kind === 'swap') [body[place], body[from % body.length]] = [body[from % body.length]!, body[place]!];
  if (kind === 'operand') body[place] = withOperand(body[place]!, from % 7);
  // Code that moved is still jumped to where it was meant to be.
  if (kind === 'insert' || kind === 'remove') retarget(body, place, kind === 'insert' ? 1 : -1);
}

function withOperand(instruction: InstructionJson, operand: number): InstructionJson {
  if (typeof instruction === 'string') return instruction;
  const [name] = Object.keys(instruction);
  return typeof instruction[name!] === 'number' ? { [name!]: operand } : instruction;
}

function retarget(body: InstructionJson[], place: number, by: number): void {
  for (const [pc, instruction] of body.entries()) {
    if (typeof instruction === 'string') continue;
    for (const name of ['Branch', 'BrTrue', 'BrFalse']) {
      const target = instruction[name];
      if (typeof target === 'number' && target > place) body[pc] = { [name]: target + by };
    }
  }
}

/** The package with the module changed, if it can be written and is accepted. */
function accepted(change: (json: ModuleJson) => void, of: Uint8Array): LoadedPackage | undefined {
  const json: ModuleJson = deserialize(of);
  change(json);
  const bytes = write(json);
  if (bytes === undefined) return undefined;
  chain.addPackage(SELF, new Map([['any', of]]), [STD, SUI]);
  const read = (id: string) => chain.objects.get(id);
  for (const id of [STD, SUI]) chain.packages.load(id, read);
  const object = read(SELF);
  if (object?.kind !== 'package') throw new Error('not a package');
  const modules = new Map([[nameOf(json), bytes]]);
  const owner = new PackageCache(chain.packages).publish({ ...object, modules }, read);
  try {
    verifyPackage(owner);
    return owner;
  } catch (error) {
    if (error instanceof VmError && /erification$/.test(error.kind)) return undefined;
    throw error;
  }
}

function nameOf({ module_handles, self_module_handle_idx, identifiers }: ModuleJson): string {
  return identifiers[module_handles[self_module_handle_idx]!.name]!;
}

function write(json: ModuleJson): Uint8Array | undefined {
  try {
    return serialize(json);
  } catch {
    return undefined;
  }
}

/** Some value of a type; references point at holders of their own. */
function sample(type: Type, seed: number): Value {
  if (isInteger(type)) return INTEGER_BITS[type.kind] <= 32 ? seed % 5 : BigInt(seed % 5);
  switch (type.kind) {
    case 'bool':
      return seed % 2 === 0;
    case 'reference':
      return new Ref([sample(type.to, seed)], 0);
    case 'vector': {
      const items = Array.from({ length: seed % 4 }, (_, i) => sample(type.element, seed + i));
      return type.element.kind === 'u8'
        ? new ByteVector(Uint8Array.from(items as number[]))
        : new VectorValue(items);
    }
    case 'datatype': {
      const variants = fieldTypesOf(type);
      const tag = seed % variants.length;
      const fields = variants[tag]!.map((field, i) => sample(field, seed + i));
      return type.datatype.body.kind === 'struct' ? new StructValue(fields) : new VariantValue(tag, fields);
    }
    default:
      return `0x${seed.toString(16).padStart(64, '0')}`;
  }
}

/** Containers behind the references that the running call was given. */
let outside: Ref['cells'][] = [];

const HARMLESS = new Set(['abort', 'arithmetic', 'vector', 'primitive', 'gas', 'limit']);

/** Runs a function; throws when it stops for a reason that verified code cannot have, or leaves a wrong value behind. */
function run(owner: LoadedPackage, fn: LoadedFunction, seed: number): void {
  const typeArgs = fn.constraints.map(() => U64);
  const parameters = fn.parameters.map((type) => substitute(type, typeArgs));
  const args = parameters.map((type, i) => sample(type, seed + i));
  const meter = new Meter(3_000);
  const session = new Session(FACTS, () => undefined, meter);
  session.running = { packageId: SELF, module: 'mutant' };
  const kept = args.filter((arg) => arg instanceof Ref);
  outside = kept.map((each) => each.cells);
  try {
    const results = new Machine(meter, session).run(
      linkModule(owner, fn.module).function(fn),
      typeArgs,
      args,
    );
    for (const [i, type] of fn.returns.entries()) check(substitute(type, typeArgs), results[i]!);
    checkAlive(
      results.filter((result) => result instanceof Ref),
      outside,
    );
  } catch (error) {
    if (!(error instanceof VmError && HARMLESS.has(error.kind))) throw error;
    return;
  }
  const references = parameters.filter((type) => type.kind === 'reference');
  for (const [i, type] of references.entries()) check(type, kept[i]!);
}

function check(type: Type, value: Value): void {
  if (type.kind === 'reference') check(type.to, (value as Ref).read());
  else serializeValue(type, value);
}

/** Runs functions of an accepted package, watching their references. */
function runAll(owner: LoadedPackage, module: string, names: string[] | undefined, seed: number): void {
  const { functions } = owner.module(module)!;
  for (const fn of functions) watch(fn, () => outside);
  for (const fn of functions) {
    if (names !== undefined && !names.includes(fn.name)) continue;
    for (let i = 0; i < 2; i += 1) run(owner, fn, seed + i);
  }
}

test('a changed module is refused, or runs without meeting anything that verified code cannot meet', () => {
  let passed = 0;
  const mutations = fc.array(mutation, { minLength: 1, maxLength: 2 });
  fc.assert(
    fc.property(mutations, fc.nat({ max: 1_000 }), (list, seed) => {
      const owner = accepted((json) => {
        for (const each of list) mutate(json, each);
      }, original);
      if (owner === undefined) return;
      passed += 1;
      runAll(owner, 'mutant', undefined, seed);
    }),
    { numRuns: 400 },
  );
  // Else nothing was shown.
  expect(passed).toBeGreaterThan(10);
});

test('whatever random code borrows, what is accepted leaves no reference dangling and shares none that is mutable', () => {
  let passed = 0;
  const segment: fc.Arbitrary<Segment> = fc.record({
    shape: fc.constantFrom('plain', 'plain', 'if', 'loop'),
    choices: fc.array(fc.nat({ max: 10_000 }), { minLength: 1, maxLength: 12 }),
  });
  const bytes = subject.bytes(() => {});
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
      const owner = accepted((json) => putRandomCode(new ModuleEditor(json), segments), bytes);
      if (owner === undefined) return;
      passed += 1;
      runAll(owner, 'subject', ['probe'], segments.length);
    }),
    { numRuns: 800 },
  );
  expect(passed).toBeGreaterThan(100);
});
