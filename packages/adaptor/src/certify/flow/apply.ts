import { type MoveType, substitute } from '../../introspect/code/move-type.ts';
import { type Atom, initial } from './atom.ts';
import { type AtomSet, atomSet, plainSets, union, unionAll } from './atom-set.ts';
import { bounds } from './bounds.ts';
import { flowKey } from './effects.ts';
import { type Frame, initialAtoms, type Operand, objectSources } from './frame.ts';
import { concat, dynamic, type Path, type Step } from './path.ts';
import { type Flow, noFacts, type Summary, type Trail } from './summary.ts';
import {
  closed,
  identities,
  influences,
  join,
  nothing,
  type Part,
  type Place,
  place,
  scalar,
  selectPath,
  type Test,
  unread,
  type Value,
  withInfluence,
  writeInto,
} from './value.ts';

/** The type arguments of a call. */
export class TypeArguments {
  readonly #args: readonly MoveType[];
  readonly #types = new Map<MoveType, MoveType | undefined>();
  readonly #steps = new Map<string, Step>();

  constructor(args: readonly MoveType[]) {
    this.#args = args;
  }

  type(type: MoveType | undefined): MoveType | undefined {
    if (this.#args.length === 0 || !type) return type;
    if (!this.#types.has(type)) this.#types.set(type, substitute(type, this.#args));
    return this.#types.get(type);
  }

  step(step: Step): Step {
    if (step.kind !== 'dynamic' || this.#args.length === 0) return step;
    const known = this.#steps.get(step.text);
    if (known) return known;
    // A type that is too large to write is unknown, and matches each.
    const found = dynamic(this.type(step.key), this.type(step.value));
    this.#steps.set(step.text, found);
    return found;
  }
}

/** The effects of a function in terms of a function that calls it. */
export class Application {
  readonly #frame: Frame;
  readonly #args: readonly Operand[];
  readonly #types: TypeArguments;
  readonly #values = new Map<Value, Value>();
  readonly #atoms = new Map<Atom, Value>();
  readonly #influenceOf = new Map<Atom, AtomSet>();
  readonly #sets = new Map<AtomSet, AtomSet>();
  readonly #facts = new Map<Test, Test>();
  readonly #factLists = new Map<readonly Test[], readonly Test[]>();

  constructor(frame: Frame, args: readonly Operand[], types: TypeArguments) {
    this.#frame = frame;
    this.#args = args;
    this.#types = types;
  }

  value(value: Value): Value {
    const known = this.#values.get(value);
    if (known) return known;
    const found = this.#translate(value);
    this.#values.set(value, found);
    return found;
  }

  #translate(value: Value): Value {
    const from = this.#influences(value.from);
    let found: Value;
    if (value.closed) {
      const parts = [...(value.parts?.values() ?? [])].map((part): Part => this.#part(part));
      found = closed(joinEqualSteps(parts), this.sources(value.is), from);
    } else {
      found = value.is.atoms.reduce((all, atom) => join(all, this.#atom(atom)), nothing);
      for (const part of value.parts?.values() ?? []) {
        const { step, value: inner } = this.#part(part);
        found = writeInto(found, [step], inner);
      }
      found = withInfluence(found, from);
    }
    if (value.places) {
      const places = [...value.places.values()].flatMap(({ root, path }) => this.places(-1 - root, path));
      const unknown = [...value.places.values()].some(({ root }) => this.#isUnknown(-1 - root));
      const is = unknown ? plainSets.unread : found.is;
      found = { ...found, is, places: new Map(places.map((each) => [each.key, each])) };
    }
    const test = value.test && this.test(value.test);
    return {
      ...found,
      ...(test && { test }),
      ...(value.check !== undefined && { check: value.check }),
    };
  }

  #part({ step, value }: Part): Part {
    return { step: this.#types.step(step), value: this.value(value) };
  }

  /** A reference whose place is not known. */
  #isUnknown(parameter: number): boolean {
    const arg = this.#args[parameter]?.value;
    return !arg || arg.is.isUnread || !arg.places;
  }

  test({ left, right, when }: Test): Test {
    return { left: this.value(left), right: this.value(right), when };
  }

  #tests(tests: readonly Test[]): readonly Test[] {
    if (tests.length === 0) return noFacts;
    const known = this.#factLists.get(tests);
    if (known) return known;
    const found = tests.map((fact) => this.#fact(fact));
    this.#factLists.set(tests, found);
    return found;
  }

  #fact(fact: Test): Test {
    const known = this.#facts.get(fact);
    if (known) return known;
    const found = this.test(fact);
    this.#facts.set(fact, found);
    return found;
  }

  #path(path: Path): readonly Step[] {
    return path.steps.map((step) => this.#types.step(step));
  }

  #atom(atom: Atom): Value {
    if (atom.kind !== 'initial') return makeLone(atom);
    const known = this.#atoms.get(atom);
    if (known) return known;
    const arg = this.#args[atom.parameter]?.value ?? unread;
    const whole = this.#isReference(atom.parameter) ? this.#frame.content(arg) : arg;
    const found = selectPath(whole, this.#path(atom.path));
    this.#atoms.set(atom, found);
    return found;
  }

  #isReference(parameter: number): boolean {
    const arg = this.#args[parameter];
    return arg?.type?.kind === 'reference' || arg?.value.places !== undefined;
  }

  #influence(atom: Atom): AtomSet {
    const known = this.#influenceOf.get(atom);
    if (known) return known;
    const found = influences(this.#atom(atom));
    this.#influenceOf.set(atom, found);
    return found;
  }

  #influences(atoms: AtomSet): AtomSet {
    if (atoms.size === 0) return atoms;
    const known = this.#sets.get(atoms);
    if (known) return known;
    const all = unionAll(atoms.atoms.map((atom) => this.#influence(atom)));
    this.#sets.set(atoms, all);
    return all;
  }

  /** The sources of money or objects with these sources. */
  sources({ atoms }: AtomSet): AtomSet {
    return unionAll(atoms.map((atom) => identities(this.#atom(atom))));
  }

  /** The sources of objects with these sources, without those of their parts. */
  #objects({ atoms }: AtomSet): AtomSet {
    return unionAll(atoms.map((atom) => objectSources(this.#atom(atom).is)));
  }

  /** The places of the calling function that a place of a parameter is. */
  places(parameter: number, path: Path): Place[] {
    const steps = this.#path(path);
    const roots = this.#args[parameter]?.value.places?.values() ?? [];
    return [...roots].map(({ root, path: above }) => place(root, concat(above, steps)));
  }

  /** Applies the effects that the calling function's state needs, and collects the others in the last round. */
  run(summary: Summary): Value[] {
    const frame = this.#frame;
    const returns = summary.returns.map((value) => this.value(value));
    const writes = summary.writes.map((write) => ({ write, value: this.value(write.value) }));
    this.#collect(summary);
    const guards = frame.guards();
    for (const { write, value } of writes) {
      const written = withInfluence(value, guards);
      for (const { root, path } of this.places(write.parameter, write.path))
        frame.writeAt(root, path, written);
    }
    return returns;
  }

  #collect(summary: Summary): void {
    const { effects, flow, block } = this.#frame;
    if (!effects) return;
    const frame = this.#frame;
    const guards = frame.guards();
    const { site } = frame.here().trail;
    const isLooping = flow.isInLoop(block);
    const below = ({ trail, leaf }: { trail: Trail; leaf: string }, key: string): Located => ({
      trail: { site, next: trail, depth: 1 + trail.depth },
      leaf,
      key,
    });
    // A function that never returns is a check that aborts, if something decides whether it is called.
    const returns = summary.returnTrails.length > 0;
    if (!returns && guards.size > 0)
      effects.add('gates', { ...frame.here('gate'), key: guards.key, on: guards });
    for (const each of summary.flows) this.#collectFlow(each, below, guards);
    for (const split of summary.splits) {
      const places = this.#placeAtoms(split.places);
      const amount = split.amount && this.value(split.amount);
      const isDeep = split.trail.depth >= trailMax || split.leaf.startsWith(`${frame.fn.key}@`);
      effects.add('splits', {
        ...below(split, isDeep ? `${frame.pc}|${split.leaf}` : `${frame.pc}/${split.key}`),
        places,
        amount,
        guards: union(this.#influences(split.guards), guards),
        repeated: split.repeated || isLooping,
      });
    }
    for (const write of summary.writes) {
      for (const { parameter, path } of this.#initialPlaces(write.parameter, write.path)) {
        const key = `${parameter}${path.text}`;
        effects.add('writes', {
          ...below(write, key),
          parameter,
          path,
          value: withInfluence(this.value(write.value), guards),
          type: this.#types.type(write.type),
          facts: this.#tests(write.facts),
          block,
        });
      }
    }
    for (const read of summary.reads) {
      for (const { parameter, path } of this.#initialPlaces(read.parameter, read.path)) {
        effects.add('reads', { ...below(read, `${parameter}${path.text}`), parameter, path });
      }
    }
    for (const gate of summary.gates) {
      const on = union(this.#influences(gate.on), guards);
      effects.add('gates', { ...below(gate, on.key), on });
    }
    for (const each of summary.dropped) effects.add('dropped', { ...each, ...below(each, each.leaf) });
    for (const each of summary.unread) effects.add('unread', { ...each, ...below(each, each.leaf) });
    for (const each of summary.packs) {
      effects.add('packs', { ...each, ...below(each, each.leaf), facts: this.#tests(each.facts), block });
    }
  }

  #collectFlow(flow: Flow, below: (effect: Flow, key: string) => Located, guards: AtomSet): void {
    const { effects } = this.#frame;
    const sources = flow.kind === 'destroy' ? this.#objects(flow.sources) : this.sources(flow.sources);
    if (!effects || sources.size === 0) return;
    const add = (more: Partial<Flow>) => {
      const { trail, leaf } = below(flow, '');
      const all = union(this.#influences(flow.guards), guards);
      const type = this.#types.type(flow.type);
      const found = { trail, leaf, kind: flow.kind, sources, type, guards: all, ...more };
      effects.add('flows', { ...found, key: flowKey(found) });
    };
    if (!flow.into) {
      add(flow.recipient ? { recipient: this.value(flow.recipient) } : {});
      return;
    }
    const { parameter, path } = flow.into;
    if (this.#isUnknown(parameter) && this.#isReference(parameter)) add({ kind: 'unread' });
    for (const each of this.places(parameter, path)) {
      if (each.root < 0) add({ into: { parameter: -1 - each.root, path: each.path } });
    }
  }

  #placeAtoms(atoms: AtomSet): AtomSet {
    const found = [...initialAtoms(atoms)].flatMap(({ parameter, path }) => this.places(parameter, path));
    return atomSet(...found.filter(({ root }) => root < 0).map(({ root, path }) => initial(-1 - root, path)));
  }

  /** The places of the calling function's parameters; for a part of a local, those that it came from. */
  #initialPlaces(parameter: number, path: Path): Iterable<{ parameter: number; path: Path }> {
    const arg = this.#args[parameter];
    if (!arg) return [];
    if (!this.#isReference(parameter)) {
      return this.#frame.isCopy(arg.type) ? [] : initialAtoms(selectPath(arg.value, this.#path(path)).is);
    }
    const places = this.places(parameter, path);
    return this.#frame.initialPlaces(new Map(places.map((each) => [each.key, each])));
  }
}

type Located = Pick<Flow, 'trail' | 'leaf' | 'key'>;

/** Bound on the calls that tell splits of one instruction apart. */
const trailMax = 24;

/** Different steps of a function can be the same step for its caller. */
function joinEqualSteps(parts: readonly Part[]): Part[] {
  const found = new Map<string, Part>();
  for (const { step, value } of parts) {
    const known = found.get(step.text);
    found.set(step.text, { step, value: known ? join(known.value, value) : value });
  }
  return [...found.values()];
}

/** Steps that the application of a summary takes. */
export const applicationSteps = ({ flows, writes, reads, gates, splits }: Summary): number =>
  Math.min(bounds.effects, 1 + flows.length + writes.length + reads.length + gates.length + splits.length);

const loneValues = new WeakMap<Atom, Value>();

/** The value that is just the atom. */
function makeLone(atom: Atom): Value {
  const known = loneValues.get(atom) ?? scalar(atomSet(atom));
  loneValues.set(atom, known);
  return known;
}
