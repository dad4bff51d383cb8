import type { CodeModule, FunctionHandle } from '../../introspect/code/module.ts';
import { hasAbility, type MoveType } from '../../introspect/code/move-type.ts';
import { type CodeFunction, getHandle } from '../code/program.ts';
import type { Assets } from './assets.ts';
import { type Atom, initial, type Origins } from './atom.ts';
import { type AtomSet, atomSet, noAtoms, union } from './atom-set.ts';
import type { ControlFlow } from './control.ts';
import type { Effects } from './effects.ts';
import { extend, type Path, type Step } from './path.ts';
import type { NotReadReason } from './site.ts';
import { type Flow, type FlowKind, noFacts, type Trail } from './summary.ts';
import {
  influences,
  join,
  nothing,
  type Place,
  place,
  reference,
  scalar,
  selectPath,
  unread,
  type Value,
  withInfluence,
  writeInto,
} from './value.ts';

/** A value on the stack with its static type. The type is unknown in code that no verifier would pass. */
export interface Operand {
  value: Value;
  type: MoveType | undefined;
}

/** The function that a frame is for, and what is read from its code alone. */
interface FrameCode {
  fn: CodeFunction;
  origins: Origins;
  /** Index of the signature of its locals. */
  locals: number;
  flow: ControlFlow;
  /** Locals that some instruction reads. */
  used: ReadonlySet<number>;
}

/** The state of a function while it runs on abstract values: its stack, its locals, and what its parameters refer to. */
export class Frame {
  readonly fn: CodeFunction;
  readonly module: CodeModule;
  readonly handle: FunctionHandle;
  readonly assets: Assets;
  readonly origins: Origins;
  readonly flow: ControlFlow;
  readonly localTypes: readonly MoveType[];
  locals: Value[] = [];
  /** The values that parameters refer to, by parameter. */
  memory: Value[];
  readonly #stack: Operand[] = [];
  readonly conditions = new Map<number, Value>();
  pc = 0;
  block = 0;
  /** Set when the condition of a block grows. */
  changed = false;
  /** Present in the last run of a block, when all values are known. */
  effects: Effects | undefined;
  returns: Value[];
  failure: { reason: NotReadReason; what: string } | undefined;
  steps = 0;
  /** Locals that some instruction reads. */
  readonly #used: ReadonlySet<number>;
  /** Origins that decide about each block, until a condition grows. */
  readonly #guards = new Map<number, AtomSet>();

  constructor({ fn, origins, locals, flow, used }: FrameCode, assets: Assets) {
    this.#used = used;
    this.fn = fn;
    this.module = fn.module;
    this.handle = getHandle(fn);
    this.assets = assets;
    this.origins = origins;
    this.flow = flow;
    this.localTypes = [...this.handle.parameters, ...fn.module.signature(locals)];
    this.memory = [];
    this.returns = this.handle.returns.map(() => nothing);
  }

  get constraints(): readonly number[] {
    return this.handle.constraints;
  }

  /** The locals and what parameters refer to, as blocks pass them on. */
  get state(): readonly Value[] {
    return [...this.locals, ...this.memory];
  }

  set state(state: readonly Value[]) {
    this.locals = state.slice(0, this.localTypes.length);
    this.memory = state.slice(this.localTypes.length);
  }

  /** The state at the start of the function. */
  entryState(): Value[] {
    const { root } = this.origins;
    const locals = this.localTypes.map((type, i) => {
      if (i >= this.handle.parameters.length) return nothing;
      return type.kind === 'reference' ? reference([place(-1 - i, root)]) : scalar(atomSet(initial(i, root)));
    });
    return [...locals, ...this.handle.parameters.map((_, i) => scalar(atomSet(initial(i, root))))];
  }

  constant(value: string): Value {
    return scalar(atomSet(this.origins.constant(value)));
  }

  isUsed(local: number): boolean {
    return this.#used.has(local);
  }

  // The stack

  push(value: Value, type: MoveType | undefined): void {
    this.#stack.push({ value, type });
  }

  /** An empty stack gives an unknown value: only code that no verifier would pass does that. */
  pop(): Operand {
    return this.#stack.pop() ?? { value: unread, type: undefined };
  }

  popMany(count: number): Operand[] {
    return Array.from({ length: count }, () => this.pop()).reverse();
  }

  clearStack(): void {
    this.#stack.length = 0;
  }

  // Memory

  /** The value behind a reference. */
  content({ places, is, from, ...own }: Value): Value {
    let found: Value | undefined;
    for (const each of places?.values() ?? []) {
      const value = this.#at(each);
      found = found ? join(found, value) : value;
    }
    if (is.isUnread) found = found ? join(found, unread) : unread;
    if (!found) return places ? nothing : { is, from, ...own };
    return withInfluence(found, from);
  }

  #at({ root, path }: Place): Value {
    const whole = root < 0 ? this.memory[-1 - root] : this.locals[root];
    return selectPath(whole ?? nothing, path.steps);
  }

  /** A reference to a part of what a reference leads to. */
  part(of: Value, step: Step, from: AtomSet = noAtoms): Value {
    const places = [...(of.places?.values() ?? [])].map(({ root, path }) => place(root, extend(path, step)));
    return { ...reference(places, union(of.from, from)), is: of.is };
  }

  /** Writes behind a reference. What was there before may stay. */
  write(to: Value, written: Value, type: MoveType | undefined): void {
    const value = withInfluence(stripped(written), union(this.guards(), to.from));
    for (const { root, path } of to.places?.values() ?? []) this.writeAt(root, path, value);
    this.touch(to, value, type);
    if (!this.effects) return;
    const sources = this.assets.sources(value, type, this.constraints);
    if (sources.size === 0) return;
    if (to.is.isUnread || !to.places) this.addFlow('unread', sources, type);
    for (const { root, path } of to.places?.values() ?? []) {
      if (root < 0) this.addFlow('put', sources, type, { into: { parameter: -1 - root, path } });
    }
  }

  writeAt(root: number, path: Path, value: Value): void {
    if (root >= 0) {
      this.locals[root] = writeInto(this.locals[root] ?? nothing, path.steps, value);
      return;
    }
    const parameter = -1 - root;
    const before = this.memory[parameter] ?? nothing;
    this.memory[parameter] = writeInto(before, path.steps, value);
  }

  /** Records that what is behind the reference changes. */
  touch(to: Value, value: Value = nothing, type?: MoveType): void {
    if (!this.effects) return;
    for (const { parameter, path } of this.initialPlaces(to.places)) {
      this.effects.add('writes', {
        ...this.here(`w${parameter}${path.text}`),
        key: `${parameter}${path.text}`,
        parameter,
        path,
        value,
        type,
        facts: noFacts,
        block: this.block,
      });
    }
  }

  /** Records that what is behind the reference is read. */
  read(from: Value): void {
    if (!this.effects) return;
    for (const { parameter, path } of this.initialPlaces(from.places)) {
      const key = `${parameter}${path.text}`;
      this.effects.add('reads', { ...this.here(key), key, parameter, path });
    }
  }

  /** The places of parameters behind a reference; for one to a local, those that the local's value came from. */
  *initialPlaces(places: Value['places']): Iterable<{ parameter: number; path: Path }> {
    for (const each of places?.values() ?? []) {
      if (each.root < 0) yield { parameter: -1 - each.root, path: each.path };
      else if (!this.isCopy(this.localTypes[each.root])) yield* initialAtoms(this.#at(each).is);
    }
  }

  /** A value that can be copied is not a part of stored state, wherever it came from. */
  isCopy(type: MoveType | undefined): boolean {
    return type !== undefined && hasAbility(type, 'copy', this.constraints);
  }

  // Effects

  /** Origins of the values that decide whether the current block runs. */
  guards(): AtomSet {
    const known = this.#guards.get(this.block);
    if (known) return known;
    let all = noAtoms;
    for (const block of this.flow.deciders(this.block)) {
      const condition = this.conditions.get(block);
      if (condition) all = union(all, influences(condition));
    }
    this.#guards.set(this.block, all);
    return all;
  }

  condition(value: Value): void {
    const before = this.conditions.get(this.block);
    const after = before ? join(before, value) : value;
    if (after === before) return;
    this.conditions.set(this.block, after);
    this.#guards.clear();
    this.changed = true;
  }

  here(suffix = ''): { trail: Trail; leaf: string; key: string } {
    const site = { function: this.fn.key, offset: this.pc };
    const leaf = `${this.fn.key}@${this.pc}${suffix}`;
    return { trail: { site, depth: 1 }, leaf, key: leaf };
  }

  addFlow(
    kind: FlowKind,
    sources: AtomSet,
    type: MoveType | undefined,
    more: Pick<Flow, 'recipient' | 'into'> = {},
    part = '',
  ): void {
    const suffix = `${kind}${part}${more.into ? `${more.into.parameter}${more.into.path.text}` : ''}`;
    this.effects?.add('flows', { ...this.here(suffix), kind, sources, type, guards: this.guards(), ...more });
  }

  /** Records that a value is consumed. `part` tells the values apart that one instruction consumes. */
  consume(kind: FlowKind, { value, type }: Operand, recipient?: Value, part = ''): void {
    if (!this.effects) return;
    const sources = this.assets.sources(value, type, this.constraints);
    if (sources.size > 0) this.addFlow(kind, sources, type, recipient && { recipient }, part);
  }

  /** Records that an object is taken apart. Its parts go on, so only the object itself is consumed. */
  destroy({ is }: Value, type: MoveType): void {
    const sources = objectSources(is);
    if (this.effects && sources.size > 0) this.addFlow('destroy', sources, type);
  }

  /** Records that an amount is taken out of the money behind a reference. Undefined takes all. */
  split(from: Value, amount: Value | undefined): void {
    const places = [...(from.places?.values() ?? [])].filter(({ root }) => root < 0);
    const atoms = atomSet(...places.map(({ root, path }) => initial(-1 - root, path)));
    const repeated = this.flow.isInLoop(this.block);
    const guards = this.guards();
    this.effects?.add('splits', { ...this.here('split'), places: atoms, amount, guards, repeated });
  }

  /** Records that a value is moved out of the place behind a reference, with all money in it. */
  takeOut(from: Value, type: MoveType | undefined): void {
    if (this.assets.mayHold(type, this.constraints)) this.split(from, undefined);
  }

  fail(reason: NotReadReason, what: string): void {
    this.failure ??= { reason, what };
  }

  /** Code that was not read gets these arguments: it may do anything with them. */
  runUnread(operands: readonly Operand[], reason: NotReadReason, what: string): void {
    this.effects?.add('unread', { ...this.here('unread'), reason, what });
    for (const [i, { value, type }] of operands.entries()) {
      if (type?.kind !== 'reference') {
        this.consume('unread', { value, type }, undefined, String(i));
        continue;
      }
      this.read(value);
      if (!type.mutable) continue;
      this.consume('unread', { value: this.content(value), type: type.to }, undefined, String(i));
      this.split(value, undefined);
      this.write(value, unread, type.to);
    }
  }
}

/** The sources of an object, without those that were made in the call. */
export const objectSources = (atoms: AtomSet): AtomSet =>
  atoms.filter(({ kind }) => kind === 'initial' || kind === 'received' || kind === 'unread');

/** A value as it is stored: without the knowledge that only the stack needs. */
function stripped(value: Value): Value {
  if (!value.test && value.check === undefined) return value;
  const { test: _, check: __, ...kept } = value;
  return kept;
}

/** The type of the referent of a reference. */
export const dereference = (type: MoveType | undefined): MoveType | undefined =>
  type?.kind === 'reference' ? type.to : type;

export function* initialAtoms({ atoms }: AtomSet): Iterable<Extract<Atom, { kind: 'initial' }>> {
  for (const atom of atoms) if (atom.kind === 'initial') yield atom;
}
