import { union } from './atom-set.ts';
import { bounds } from './bounds.ts';
import { typeText } from './path.ts';
import {
  commonFacts,
  distinctFacts,
  type Flow,
  noFacts,
  type Pack,
  type Split,
  type Summary,
  type Trail,
  type Write,
} from './summary.ts';
import { join, type Test, type Value } from './value.ts';

type Kind = 'flows' | 'splits' | 'writes' | 'reads' | 'gates' | 'dropped' | 'unread' | 'packs';
type EffectLists = Pick<Summary, Kind>;
type AnyEffect = EffectLists[Kind][number];

/** An effect as it is collected. Its facts are those of the called function, without those of the block that it is in. */
type Found<K extends Kind> = EffectLists[K][number] &
  (K extends 'writes' | 'packs' ? { block: number } : object);

/** Collects the effects of a function. Effects with the same key are joined. */
export class Effects {
  readonly #lists: { [K in Kind]: Map<string, Found<K>> } = {
    flows: new Map(),
    splits: new Map(),
    writes: new Map(),
    reads: new Map(),
    gates: new Map(),
    dropped: new Map(),
    unread: new Map(),
    packs: new Map(),
  };
  #isFull = false;

  /** True if there are too many effects. They are incomplete then. */
  get isFull(): boolean {
    return this.#isFull;
  }

  add<K extends Kind>(kind: K, effect: Found<K>): void {
    const list = this.#lists[kind] as Map<string, AnyEffect>;
    // Facts hold for a block, so that only those of one block can be compared now.
    const key = 'block' in effect ? `${effect.block} ${effect.key}` : effect.key;
    const known = list.get(key);
    if (known) list.set(key, nearest(joined(kind, known, effect), known, effect));
    else if (list.size < bounds.effects) list.set(key, effect);
    else this.#isFull = true;
  }

  /** @param listFacts finds the equalities that hold in each execution in which a block runs and the function returns */
  lists(listFacts: (block: number) => readonly Test[]): EffectLists {
    const known = new Map<number, readonly Test[]>();
    const factsIn = (block: number) => {
      const facts = known.get(block) ?? listFacts(block);
      known.set(block, facts);
      return facts;
    };
    const list = <K extends Kind>(kind: K) => [...this.#lists[kind].values()];
    return {
      flows: joinMany(list('flows'), joinFlow),
      splits: joinMany(list('splits'), joinSplit),
      writes: joinBlocks('writes', list('writes'), factsIn),
      reads: list('reads'),
      gates: list('gates'),
      dropped: list('dropped'),
      unread: list('unread'),
      packs: joinBlocks('packs', list('packs'), factsIn),
    };
  }
}

/** Joins those with the same key in different blocks. */
function joinBlocks<K extends 'writes' | 'packs'>(
  kind: K,
  effects: readonly Found<K>[],
  factsIn: (block: number) => readonly Test[],
): EffectLists[K][number][] {
  const found = new Map<string, AnyEffect>();
  for (const { block, ...effect } of effects) {
    const here = factsIn(block);
    const facts = effect.facts === noFacts ? here : distinctFacts([...here, ...effect.facts]);
    const whole = { ...effect, facts } as unknown as AnyEffect;
    const known = found.get(effect.key);
    found.set(effect.key, known ? nearest(joined(kind, known, whole), known, whole) : whole);
  }
  return [...found.values()] as EffectLists[K][number][];
}

/** Joins the effects of each instruction if there are many. */
function joinMany<E extends Flow | Split>(effects: E[], joinTwo: (a: E, b: E) => E): E[] {
  if (effects.length <= bounds.paths) return effects;
  const found = new Map<string, E>();
  for (const effect of effects) {
    const into = 'into' in effect && effect.into ? `${effect.into.parameter}${effect.into.path.text}` : '';
    const key = `${effect.leaf} ${into}`;
    const known = found.get(key);
    found.set(key, known ? nearest(joinTwo(known, effect), known, effect) : { ...effect, key });
  }
  return [...found.values()];
}

/** The joined effect with the shorter of the ways to it. */
function nearest<E extends { trail: Trail; leaf: string }>(joint: E, a: E, b: E): E {
  return b.trail.depth < a.trail.depth ? { ...joint, trail: b.trail, leaf: b.leaf } : joint;
}

function joined(kind: Kind, known: AnyEffect, effect: AnyEffect): AnyEffect {
  switch (kind) {
    case 'flows':
      return joinFlow(known as Flow, effect as Flow);
    case 'splits':
      return joinSplit(known as Split, effect as Split);
    case 'writes': {
      const [a, b] = [known as Write, effect as Write];
      const type = a.type === b.type ? a.type : (a.type ?? b.type);
      return { ...a, value: join(a.value, b.value), type, facts: commonFacts(a.facts, b.facts) };
    }
    case 'packs': {
      const [a, b] = [known as Pack, effect as Pack];
      return { ...a, facts: commonFacts(a.facts, b.facts) };
    }
    default:
      return known;
  }
}

function joinFlow(a: Flow, b: Flow): Flow {
  const recipient =
    a.recipient && b.recipient ? join(a.recipient, b.recipient) : (a.recipient ?? b.recipient);
  const sources = union(a.sources, b.sources);
  const guards = union(a.guards, b.guards);
  return recipient ? { ...a, sources, guards, recipient } : { ...a, sources, guards };
}

function joinSplit(a: Split, b: Split): Split {
  const amount = a.amount && b.amount && join(a.amount, b.amount);
  const [places, guards] = [union(a.places, b.places), union(a.guards, b.guards)];
  return { ...a, places, amount, guards, repeated: true };
}

const valueKey = (value: Value | undefined): string => (value ? `${value.is.key} < ${value.from.key}` : '');

/** Identifies what a flow of one instruction does, by whichever calls. */
export function flowKey({ leaf, kind, sources, recipient, into, type }: Omit<Flow, 'key'>): string {
  const to = into ? `${into.parameter}${into.path.text}` : valueKey(recipient);
  return `${leaf} ${kind} ${sources.key} > ${to}: ${typeText(type)}`;
}
