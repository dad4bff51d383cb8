import { union } from './atom.ts';
import { bounds } from './bounds.ts';
import { commonFacts, type Flow, type Summary, type Write } from './summary.ts';
import { join } from './value.ts';

type Kind = 'flows' | 'splits' | 'writes' | 'reads' | 'gates' | 'dropped' | 'unread' | 'packs';
type EffectLists = Pick<Summary, Kind>;
type AnyEffect = EffectLists[Kind][number];

/** Collects the effects of a function. Effects with the same key are joined. */
export class Effects {
  readonly #lists: { [K in Kind]: Map<string, EffectLists[K][number]> } = {
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

  add<K extends Kind>(kind: K, effect: EffectLists[K][number]): void {
    const list = this.#lists[kind] as Map<string, AnyEffect>;
    const known = list.get(effect.key);
    if (known) list.set(effect.key, joined(kind, known, effect));
    else if (list.size < bounds.effects) list.set(effect.key, effect);
    else this.#isFull = true;
  }

  lists(): EffectLists {
    const list = <K extends Kind>(kind: K) => [...this.#lists[kind].values()];
    return {
      flows: this.#joinFlows(),
      splits: list('splits'),
      writes: list('writes'),
      reads: list('reads'),
      gates: list('gates'),
      dropped: list('dropped'),
      unread: list('unread'),
      packs: list('packs'),
    };
  }

  /** Joins the flows of each instruction if there are many. */
  #joinFlows(): Flow[] {
    const flows = [...this.#lists.flows.values()];
    if (flows.length <= bounds.flows) return flows;
    const byLeaf = new Map<string, Flow>();
    for (const flow of flows) {
      const key = `${flow.leaf} ${flow.into ? `${flow.into.parameter}${flow.into.path.text}` : ''}`;
      const known = byLeaf.get(key);
      byLeaf.set(key, known ? joinFlow(known, flow) : { ...flow, key });
    }
    return [...byLeaf.values()];
  }
}

function joined(kind: Kind, known: AnyEffect, effect: AnyEffect): AnyEffect {
  switch (kind) {
    case 'flows':
      return joinFlow(known as Flow, effect as Flow);
    case 'writes': {
      const [a, b] = [known as Write, effect as Write];
      const type = a.type === b.type ? a.type : (a.type ?? b.type);
      return { ...a, value: join(a.value, b.value), type, facts: commonFacts(a.facts, b.facts) };
    }
    case 'splits': {
      const [a, b] = [known as Summary['splits'][number], effect as Summary['splits'][number]];
      const amount = a.amount && b.amount && join(a.amount, b.amount);
      const guards = union(a.guards, b.guards);
      return { ...a, places: union(a.places, b.places), amount, guards, repeated: true };
    }
    case 'gates': {
      const [a, b] = [known as Summary['gates'][number], effect as Summary['gates'][number]];
      return { ...a, on: union(a.on, b.on) };
    }
    case 'packs': {
      const [a, b] = [known as Summary['packs'][number], effect as Summary['packs'][number]];
      return { ...a, facts: commonFacts(a.facts, b.facts) };
    }
    default:
      return known;
  }
}

function joinFlow(a: Flow, b: Flow): Flow {
  const recipient =
    a.recipient && b.recipient ? join(a.recipient, b.recipient) : (a.recipient ?? b.recipient);
  return {
    ...a,
    sources: union(a.sources, b.sources),
    guards: union(a.guards, b.guards),
    ...(recipient && { recipient }),
  };
}
