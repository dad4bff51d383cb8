import { canonicalJson } from '../manifest/hash.ts';
import type { Bound, ComesBackClaim, GoesToClaim, Sink, Source, TakesClaim } from './claims.ts';
import { isMoney } from './flow/assets.ts';
import { type Atom, initial } from './flow/atom.ts';
import { type AtomSet, atomSet, noAtoms, union } from './flow/atom-set.ts';
import { typeText } from './flow/path.ts';
import type { Flow, Split, Summary, Trail } from './flow/summary.ts';
import { influences } from './flow/value.ts';
import { assetName, originKey, type Signature } from './signature.ts';
import type { Tables } from './tables.ts';

/** Money or objects of one source that end in one sink. */
interface Movement {
  source: Source;
  sink: Sink;
  sourceKey: string;
  sinkKey: string;
  /** Type of the money or the object at its source. */
  taken: string;
  /** Type of the value that is consumed. */
  type: string;
  guards: AtomSet;
  trails: Trail[];
}

/** The claims about money, and whether all code behind them was read. */
interface MoneyClaims {
  takes: TakesClaim[];
  goesTo: GoesToClaim[];
  comesBack: ComesBackClaim[];
  isRead: boolean;
}

/** Says where money and objects come from and where they end. */
export function describeMoney(signature: Signature, summary: Summary, tables: Tables): MoneyClaims {
  const movements = new Map<string, Movement>();
  let isRead = summary.unread.length === 0 && !summary.failure;
  const flows = [...summary.flows, ...listReturns(signature, summary)];
  for (const { flow, sinks } of flows.map((flow) => ({ flow, sinks: findSinks(signature, flow) }))) {
    for (const atom of flow.sources.atoms) {
      const found = signature.source(atom);
      if (!found) continue;
      for (const sink of sinks) {
        if (found.source.kind === 'unread' || sink.kind === 'unread') isRead = false;
        add(movements, {
          source: found.source,
          sink,
          sourceKey: originKey(found.source),
          sinkKey: canonicalJson(sink),
          taken: assetName(found.type ?? flow.type),
          type: assetName(flow.type),
          guards: flow.guards,
          trails: [flow.trail],
        });
      }
    }
  }
  const all = [...movements.values()];
  return {
    takes: signature.owned.flatMap((parameter) =>
      describeTakes(signature, summary, parameter, all, isRead, tables),
    ),
    goesTo: all.map((movement) => describeMovement(signature, movement, all, isRead, tables)),
    comesBack: describeComingBack(all),
    isRead,
  };
}

function add(movements: Map<string, Movement>, movement: Movement): void {
  const { sourceKey, sinkKey, taken, type } = movement;
  const key = [sourceKey, sinkKey, taken, type].join(' ');
  const known = movements.get(key);
  if (!known) movements.set(key, movement);
  else {
    known.guards = union(known.guards, movement.guards);
    known.trails.push(...movement.trails);
  }
}

/** A flow, or money or an object that the function returns. */
type Consumption = Omit<Flow, 'kind' | 'leaf' | 'key'> & { kind: Flow['kind'] | 'return'; index?: number };

/** The results of the function: values, and references by which the caller could take what is behind them. */
function listReturns(
  { handle, assets }: Signature,
  { returns, returnGuards, returnTrails }: Summary,
): Consumption[] {
  const [trail] = returnTrails;
  if (!trail) return [];
  return handle.returns.flatMap((type, index): Consumption[] => {
    const value = returns[index];
    if (!value) return [];
    let sources = noAtoms;
    if (type.kind !== 'reference') sources = assets.sources(value, type, handle.constraints);
    else if (type.mutable && assets.mayHold(type.to, handle.constraints)) {
      const places = [...(value.places?.values() ?? [])].map(({ root, path }) => initial(-1 - root, path));
      sources = atomSet(...places, ...(value.is.isUnread ? value.is.atoms : []));
    }
    if (sources.size === 0) return [];
    const to = type.kind === 'reference' ? type.to : type;
    return returnTrails.map((each) => ({
      kind: 'return',
      index,
      sources,
      type: to,
      guards: returnGuards,
      trail: each,
    }));
  });
}

function findSinks(signature: Signature, flow: Consumption): Sink[] {
  switch (flow.kind) {
    case 'return':
      return [{ kind: 'returned', index: flow.index ?? 0 }];
    case 'burn':
      return [{ kind: 'burned' }];
    case 'destroy':
      return [{ kind: 'destroyed', type: typeText(flow.type) }];
    case 'share':
      return [{ kind: 'shared', type: typeText(flow.type) }];
    case 'freeze':
      return [{ kind: 'frozen', type: typeText(flow.type) }];
    case 'unread':
      return [{ kind: 'unread' }];
    case 'put': {
      const into = flow.into!;
      const { parameter } = into;
      const kind = signature.kind(parameter);
      if (kind === 'wallet') return [{ kind: 'wallet', parameter }];
      if (kind === 'money' || kind === 'ownedObject' || kind === 'plain')
        return [{ kind: 'argument', parameter }];
      return [{ kind: 'kept', path: signature.locate(into).path }];
    }
    case 'transfer': {
      const recipients = flow.recipient?.is.atoms ?? [];
      const from = flow.recipient ? influences(flow.recipient) : noAtoms;
      const sinks = recipients.map((atom) => toAddress(signature, atom, from));
      return sinks.length > 0 ? sinks : [{ kind: 'unread' }];
    }
  }
}

function toAddress(signature: Signature, atom: Atom, from: AtomSet): Sink {
  const origin = signature.origin(atom);
  switch (origin?.kind) {
    case 'argument':
      return { kind: 'argumentAddress', parameter: origin.parameter };
    case 'state':
      return { kind: 'storedAddress', path: origin.path };
    case 'constant':
      return { kind: 'constantAddress', address: origin.value };
    case 'sender':
      return { kind: 'sender' };
    case 'objectId':
      return { kind: 'objectAddress', parameter: origin.parameter };
    case 'unread':
      return { kind: 'unread' };
    default: {
      const origins = new Map(signature.origins(from).map((each) => [originKey(each), each]));
      return { kind: 'computedAddress', from: [...origins].sort(byKey).map(([, each]) => each) };
    }
  }
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

function describeMovement(
  signature: Signature,
  { source, sourceKey, sink, sinkKey, type, guards, trails }: Movement,
  all: readonly Movement[],
  isRead: boolean,
  tables: Tables,
): GoesToClaim {
  const others = all.filter((each) => each.sourceKey === sourceKey && each.sink.kind !== 'destroyed');
  const sinks = new Set([...others.map((each) => each.sinkKey), sinkKey]);
  const decidedBy = new Map(signature.origins(guards).map((each) => [originKey(each), each]));
  return {
    kind: 'goesTo',
    verdict: isRead && sinks.size === 1 && !hasOwnerMoving(source, sourceKey, all) ? 'always' : 'may',
    source,
    sink,
    type,
    decidedBy: [...decidedBy].sort(byKey).map(([, each]) => each),
    evidence: tables.selectEvidence(trails),
  };
}

/** Returns `true` if an object moves whose fields have the name of the stored source: its money goes with it. */
function hasOwnerMoving(source: Source, sourceKey: string, all: readonly Movement[]): boolean {
  if (source.kind !== 'state') return false;
  const owner = /^\w+::\w+::\w+/.exec(source.path)?.[0];
  return all.some((each) => each.sourceKey !== sourceKey && each.taken.replace(/<.*/, '') === owner);
}

const callers: ReadonlySet<string> = new Set(['wallet', 'argument', 'sender', 'returned']);

function describeComingBack(all: readonly Movement[]): ComesBackClaim[] {
  const found = new Map<string, ComesBackClaim & { sources: Source[] }>();
  for (const { sink, source, type } of all) {
    if (!callers.has(sink.kind)) continue;
    const key = canonicalJson([sink, type]);
    const known = found.get(key);
    const claim = known ?? {
      kind: 'comesBack',
      verdict: 'may',
      sink: sink as ComesBackClaim['sink'],
      type,
      sources: [],
    };
    if (!claim.sources.some((each) => originKey(each) === originKey(source))) claim.sources.push(source);
    found.set(key, claim);
  }
  for (const { sources } of found.values()) {
    sources.sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));
  }
  return [...found.values()];
}

function describeTakes(
  signature: Signature,
  summary: Summary,
  parameter: number,
  all: readonly Movement[],
  isRead: boolean,
  tables: Tables,
): TakesClaim[] {
  const kind = signature.kind(parameter) === 'wallet' ? 'wallet' : 'argument';
  const source = { kind, parameter } as const;
  const isOwn = (each: Source | Sink) => each.kind === kind && each.parameter === parameter;
  const leaving = all.filter((each) => isOwn(each.source) && !isOwn(each.sink));
  if (leaving.length === 0) {
    const verdict = isRead ? 'cannot' : 'unread';
    return [{ kind: 'takes', verdict, source, bounds: [], repeated: false, evidence: [] }];
  }
  const byType = Map.groupBy(leaving, ({ taken }) => taken);
  return [...byType].map(([type, movements]): TakesClaim => {
    const splits = summary.splits.filter((split) => takesFrom(signature, split, parameter, type));
    const trails =
      splits.length > 0 ? splits.map(({ trail }) => trail) : movements.flatMap((each) => each.trails);
    const bounds = splits.map((split) => toBound(signature, split));
    return {
      kind: 'takes',
      verdict: 'may',
      source,
      type,
      bounds: bounds.length > 0 ? sorted(bounds) : [{ kind: 'all' }],
      repeated: splits.some(({ repeated }) => repeated),
      evidence: tables.selectEvidence(trails),
    };
  });
}

/** Returns `true` if money of the type may come out of the parameter: also within another value that is taken as a whole. */
function takesFrom(
  signature: Signature,
  { places, amount }: Split,
  parameter: number,
  type: string,
): boolean {
  return places.atoms.some((atom) => {
    if (atom.kind !== 'initial' || atom.parameter !== parameter) return false;
    const held = signature.locate(atom).type;
    return assetName(held) === type || (amount === undefined && !(held && isMoney(held)));
  });
}

function toBound(signature: Signature, { amount }: Split): Bound {
  if (!amount) return { kind: 'all' };
  const [only, ...others] = amount.is.atoms;
  const origin = only && others.length === 0 && isExact(only) ? signature.origin(only) : undefined;
  if (origin && origin.kind !== 'unread') return { kind: 'equal', to: origin };
  const from = new Map(signature.origins(influences(amount)).map((each) => [originKey(each), each]));
  return { kind: 'unbounded', from: [...from].sort(byKey).map(([, each]) => each) };
}

const sorted = (bounds: readonly Bound[]): Bound[] =>
  [...bounds].sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));

/** Returns `false` for an atom that stands for one of several values, such as an item of a vector. */
function isExact(atom: Atom): boolean {
  return (
    atom.kind !== 'initial' || atom.path.steps.every(({ kind }) => kind === 'field' || kind === 'dynamic')
  );
}
