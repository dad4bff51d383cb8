import type { GoesToClaim, Origin, Sink, Source } from '@adaptor-marketplace/adaptor/certify';
import type { End } from '../../src/vm/provenance/ends.ts';
import type { Atom, Place } from '../../src/vm/provenance/place.ts';
import { abilitiesOf, COPY, DROP, fieldTypesOf, hasAbility, KEY, type Type } from '../../src/vm/types.ts';
import { assetText, chainTo, isMoney, isSystemType, listPaths } from './names.ts';

/** Who a parameter belongs to, by its type. */
type ParameterKind = 'wallet' | 'money' | 'ownedObject' | 'object' | 'plain' | 'clock' | 'random';

function classify(type: Type): ParameterKind {
  const held = type.kind === 'reference' ? type.to : type;
  if (isSystemType(held, 'clock', 'Clock')) return 'clock';
  if (isSystemType(held, 'random', 'Random')) return 'random';
  if (type.kind !== 'reference') return holdsAssets(held) ? 'ownedObject' : 'plain';
  if (held.kind === 'datatype' && held.datatype.module === 'wallet' && held.datatype.name === 'Wallet')
    return 'wallet';
  if (isMoney(held)) return type.mutable ? 'money' : 'object';
  return hasAbility(held, KEY) ? 'object' : 'plain';
}

/** A value that can be neither copied nor dropped may hold money or an object. */
function holdsAssets(type: Type): boolean {
  if (type.kind === 'vector') return holdsAssets(type.element);
  if (type.kind !== 'datatype' || (abilitiesOf(type) & (COPY | DROP)) !== 0) return false;
  if (isMoney(type) || isSystemType(type, 'object', 'UID') || hasAbility(type, KEY)) return true;
  return fieldTypesOf(type).flat().some(holdsAssets);
}

/** Compares what an execution did with claims that name no type parameters. */
export class Vocabulary {
  readonly #parameters: readonly Type[];
  readonly #paths = new Map<Place, ReadonlySet<string>>();

  constructor(parameters: readonly Type[]) {
    this.#parameters = parameters;
  }

  kind({ parameter }: Place): ParameterKind {
    return classify(this.#parameters[parameter]!);
  }

  isPath(place: Place, path: string): boolean {
    return this.#pathsTo(place).has(path.endsWith('.*') ? path.slice(0, -2) : path);
  }

  /** A claim on an object says nothing of its dynamic fields, unless it is on all places below it. */
  isTouched(place: Place, path: string): boolean {
    if (path.endsWith('.*')) return this.isPath(place, path);
    const steps = chainTo(place);
    const from = steps.findLastIndex(({ step }) => step?.kind === 'dynamic');
    return listPaths(place).slice(Math.max(0, from)).includes(path);
  }

  isType(type: string | undefined, candidates: readonly Type[]): boolean {
    if (type === undefined || type === '?') return true;
    return candidates.some((each) => assetText(each) === type);
  }

  isOrigin(atom: Atom, origin: Origin): boolean {
    if (origin.kind === 'unread') return true;
    switch (atom.kind) {
      case 'initial':
        return this.#isInitial(atom.place, origin);
      case 'constant':
        return origin.kind === 'constant' && isConstant(atom.value, origin.value);
      case 'made':
        return origin.kind === 'fresh';
      case 'funds':
        return origin.kind === 'transaction';
      case 'received':
        return false;
      default:
        return origin.kind === atom.kind;
    }
  }

  /** True for a part of a parameter that is stored on chain, as opposed to what the caller chooses. */
  isStored(atom: Atom): atom is Extract<Atom, { kind: 'initial' }> {
    if (atom.kind !== 'initial') return false;
    const kind = this.kind(atom.place);
    if (kind === 'plain' || kind === 'clock' || kind === 'random' || this.#isMoneyParameter(atom.place))
      return false;
    return !isOwnId(atom.place);
  }

  isSource(atom: Atom, source: Source): boolean {
    if (source.kind === 'unread') return true;
    if (atom.kind !== 'initial') return source.kind === atom.kind;
    const { place } = atom;
    switch (this.kind(place)) {
      case 'wallet':
        return source.kind === 'wallet' && source.parameter === place.parameter;
      case 'money':
      case 'ownedObject':
      case 'plain':
        return source.kind === 'argument' && source.parameter === place.parameter;
      default:
        return source.kind === 'state' && this.isPath(place, source.path);
    }
  }

  /** True if the claim says that all of the source ends elsewhere. That an object is destroyed is said apart. */
  isDenied(source: Atom, end: End, claim: GoesToClaim): boolean {
    if (claim.verdict !== 'always' || claim.sink.kind === 'destroyed' || this.isSink(end, claim.sink))
      return false;
    // A claim on an object is not one on the money in it.
    if (claim.source.kind !== 'state' || source.kind !== 'initial') return true;
    return listPaths(source.place).at(-1) === claim.source.path;
  }

  isSink(end: End, sink: Sink): boolean {
    if (sink.kind === 'unread') return true;
    switch (end.kind) {
      case 'kept':
        return this.#isKept(end.place, sink);
      case 'sent':
        return this.#isRecipient(end, sink);
      case 'returned':
        return sink.kind === 'returned' && sink.index === end.index;
      case 'burned':
        return sink.kind === 'burned';
      default:
        return sink.kind === end.kind && this.isType(sink.type, [end.type]);
    }
  }

  /** True if the source and the end are in the same place for the reader of a certificate. */
  isStaying(source: Atom, end: End): boolean {
    if (source.kind !== 'initial' || end.kind !== 'kept') return false;
    const [kind, other] = [this.kind(source.place), this.kind(end.place)];
    if (kind !== other) return false;
    if (kind !== 'object') return source.place.parameter === end.place.parameter;
    return listPaths(source.place).at(-1) === listPaths(end.place).at(-1);
  }

  #isInitial(place: Place, origin: Origin): boolean {
    switch (this.kind(place)) {
      case 'clock':
        return origin.kind === 'time';
      case 'random':
        return origin.kind === 'fresh';
      case 'plain':
        return origin.kind === 'argument' && origin.parameter === place.parameter;
      default:
        if (this.#isMoneyParameter(place))
          return origin.kind === 'argument' && origin.parameter === place.parameter;
        if (isOwnId(place)) return origin.kind === 'objectId' && origin.parameter === place.parameter;
        return origin.kind === 'state' && this.isPath(place, origin.path);
    }
  }

  #isKept(place: Place, sink: Sink): boolean {
    switch (this.kind(place)) {
      case 'wallet':
        return sink.kind === 'wallet' && sink.parameter === place.parameter;
      case 'object':
        return sink.kind === 'kept' && this.isPath(place, sink.path);
      default:
        return sink.kind === 'argument' && sink.parameter === place.parameter;
    }
  }

  #isRecipient({ to, address }: Extract<End, { kind: 'sent' }>, sink: Sink): boolean {
    if (sink.kind === 'computedAddress') {
      return [...to].every((atom) => sink.from.some((origin) => this.isOrigin(atom, origin)));
    }
    const [atom, ...others] = to;
    if (atom === undefined || others.length > 0) return false;
    switch (sink.kind) {
      case 'sender':
        return atom.kind === 'sender';
      case 'argumentAddress':
        return this.isOrigin(atom, { kind: 'argument', parameter: sink.parameter });
      case 'constantAddress':
        return atom.kind === 'constant' && sink.address === address;
      case 'storedAddress':
        return this.isOrigin(atom, { kind: 'state', path: sink.path });
      case 'objectAddress':
        return this.isOrigin(atom, { kind: 'objectId', parameter: sink.parameter });
      default:
        return false;
    }
  }

  #isMoneyParameter({ parameter }: Place): boolean {
    const type = this.#parameters[parameter]!;
    return isMoney(type.kind === 'reference' ? type.to : type);
  }

  #pathsTo(place: Place): ReadonlySet<string> {
    let paths = this.#paths.get(place);
    if (paths === undefined) {
      paths = new Set(listPaths(place));
      this.#paths.set(place, paths);
    }
    return paths;
  }
}

/** Claims leave out the end of long constants. */
function isConstant(value: string, claimed: string): boolean {
  return claimed.endsWith('…') ? value.startsWith(claimed.slice(0, -1)) : value === claimed;
}

/** The id of the object that is the parameter itself. */
function isOwnId(place: Place): boolean {
  const names = chainTo(place).map(({ step }) => (step?.kind === 'field' ? step.name : undefined));
  return /^\.id(\.id(\.bytes)?)?$/.test(names.join('.'));
}

/** Types of a place and of all that it is within. */
export const typesAround = (place: Place): Type[] => chainTo(place).map(({ type }) => type);
