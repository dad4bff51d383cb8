import {
  type Datatype,
  hasAbility,
  isSystemType,
  listDatatypes,
  referent,
} from '../introspect/code/move-type.ts';
import { isSystemPackage } from '../packages/system.ts';
import type { CallableFunction, Callables } from './callables.ts';
import type { Authority, StatePath } from './claims.ts';
import type { CodeFunction } from './code/program.ts';
import type { Atom } from './flow/atom.ts';
import { datatypeName, typeText } from './flow/path.ts';
import type { Gate, Pack } from './flow/summary.ts';
import { identities, scalar, type Test, type Value } from './flow/value.ts';
import type { Giving } from './giving.ts';
import { listTypeParameters } from './locate.ts';
import type { Sharing } from './sharing.ts';

/**
 * Capabilities of the framework for a type. Those of a type parameter can be for a coin that the caller made. An `UpgradeCap`
 * is none: everyone who publishes a package has one.
 */
const systemCapabilities = [
  '0x2::coin::TreasuryCap',
  '0x2::coin::DenyCap',
  '0x2::coin::DenyCapV2',
  '0x2::transfer_policy::TransferPolicyCap',
];

/** Finds what the caller of a function needs. */
export class Authorities {
  readonly #callables: Callables;
  readonly #sharing: Sharing;
  readonly #giving: Giving;
  /** Datatypes whose values only `init` and those with an authority can make, and others. */
  readonly #guarded = new Set<string>();
  readonly #open = new Set<string>();
  readonly #handedOut = new Map<CallableFunction, readonly HandedOut[]>();

  constructor(callables: Callables, sharing: Sharing, giving: Giving) {
    this.#callables = callables;
    this.#sharing = sharing;
    this.#giving = giving;
  }

  /**
   * The requirements on the caller of a function for an effect.
   * @param facts equalities that hold in each execution with the effect
   * @param written parameter that the effect changes
   */
  needs(fn: CallableFunction, facts: readonly Test[], written: number | undefined): Authority[] {
    const isGuarded = (type: Datatype) => this.isGuarded(type);
    const needed = [
      ...listCapabilities(fn, written, (type) => this.#isHeld(fn, type, isGuarded)),
      ...listSenders(fn, facts, written, isGuarded),
    ];
    const found = new Map(needed.map((each) => [JSON.stringify(each), each]));
    if (found.size === 0) {
      const paths = listComparedWithSender(fn);
      if (paths.length > 0) return [{ kind: 'checksSender', paths }];
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  }

  /** Returns `true` for a capability: not everyone can make one, and no code that is known shares one. */
  #isHeld({ handle }: CallableFunction, type: Datatype, isGuarded: (type: Datatype) => boolean): boolean {
    if (!isSystemPackage(type.address)) return !this.#isShared(type) && isGuarded(type);
    return isSystemCapability(type) && !this.#sharing.types(handle.address).has(datatypeName(type));
  }

  /** Returns `true` if only `init` and those with an authority can make values of the type. */
  isGuarded(type: Datatype): boolean {
    const name = datatypeName(type);
    if (!this.#guarded.has(name) && !this.#open.has(name)) this.#decide(type);
    return this.#guarded.has(name);
  }

  /**
   * Finds out if a datatype is guarded, with those of its package that this depends on. It takes them all for guarded and
   * removes those that someone without an authority can make, until none is left to remove: two capabilities that only
   * make each other are never made.
   */
  #decide(start: Datatype): void {
    const { address } = start;
    const defined = this.#callables.datatypes(address);
    const functions = this.#callables.functions(address);
    const candidates = new Map([[datatypeName(start), start]]);
    const isTrusted = (type: Datatype) => {
      const name = datatypeName(type);
      if (type.address !== address || this.#open.has(name)) return false;
      candidates.set(name, type);
      return true;
    };
    for (let changed = true; changed; ) {
      changed = false;
      for (const [name, type] of candidates) {
        if (this.#open.has(name) || this.#guarded.has(name)) continue;
        const isDefined = functions !== undefined && defined.includes(name);
        if (isDefined && !functions.some((fn) => this.#opens(fn, type, isTrusted))) continue;
        this.#open.add(name);
        changed = true;
      }
    }
    for (const name of candidates.keys()) if (!this.#open.has(name)) this.#guarded.add(name);
  }

  /** Returns `true` if anyone can get a value of the type from the function, or if that is not known. */
  #opens(code: CodeFunction, type: Datatype, isTrusted: (type: Datatype) => boolean): boolean {
    if (!this.#giving.mayGive(code, type)) return false;
    const fn = this.#callables.summarize(code);
    if (fn.summary.failure) return true;
    const name = datatypeName(type);
    const given = this.#handedOut.get(fn) ?? listHandedOut(fn, this.#callables);
    this.#handedOut.set(fn, given);
    return given.some(({ datatype, facts }) => datatype === name && this.#isOpen(fn, facts, isTrusted));
  }

  /** Returns `true` if anyone can call the function such that these equalities hold. */
  #isOpen(fn: CallableFunction, facts: readonly Test[], isTrusted: (type: Datatype) => boolean): boolean {
    const isHeld = (type: Datatype) => this.#isHeld(fn, type, isTrusted);
    return (
      listCapabilities(fn, undefined, isHeld).length === 0 &&
      listSenders(fn, facts, undefined, isTrusted).length === 0
    );
  }

  #isShared(type: Datatype): boolean {
    return this.#sharing.types(type.address).has(datatypeName(type));
  }
}

type HandedOut = Pick<Pack, 'datatype' | 'facts'>;

/** The datatypes whose values a function makes, returns, sends, or puts where its caller can take them out. */
function listHandedOut(fn: CallableFunction, callables: Callables): HandedOut[] {
  const { handle, signature, summary } = fn;
  const returned = handle.returns.map(referent);
  const sent = summary.flows.filter(({ kind }) => kind === 'transfer').map(({ type }) => type);
  const put = summary.writes.filter((write) => isCallers(fn, write.parameter));
  const given = [...returned, ...sent].flatMap((type) => (type ? listDatatypes(type) : [])).map(datatypeName);
  const [address] = fn.key.split('::') as [string];
  const named = listNamedByCaller(fn).flatMap((parameter) =>
    callables.datatypes(address, handle.constraints[parameter]),
  );
  return [
    ...summary.packs,
    ...[...given, ...named].map((datatype) => ({ datatype, facts: summary.facts })),
    ...put.flatMap((write) => {
      const type = write.type ?? signature.locate(write).type;
      return (type ? listDatatypes(type) : []).map((each) => ({
        datatype: datatypeName(each),
        facts: write.facts,
      }));
    }),
  ];
}

/** Returns `true` if the caller can take out what a function puts into the parameter: no object of its own package. */
function isCallers({ key, handle }: CallableFunction, parameter: number): boolean {
  const type = handle.parameters[parameter]!;
  if (type.kind !== 'reference') return false;
  const held = type.to;
  const isOwn = held.kind === 'datatype' && key.startsWith(`${held.address}::`);
  return !isOwn || !hasAbility(held, 'key', handle.constraints);
}

/**
 * The type parameters of which a function gives out a value that no argument of the type was: the caller chooses what it
 * gets.
 */
function listNamedByCaller({ handle, summary }: CallableFunction): number[] {
  const given = [
    ...handle.returns.map((type, i) => ({ type: referent(type), value: summary.returns[i] })),
    ...summary.flows
      .filter(({ kind }) => kind === 'transfer')
      .map(({ type, sources }) => ({ type, value: scalar(sources) })),
  ];
  const isArgument = (index: number, parameter: number) => {
    const type = handle.parameters[parameter]!;
    const isStored = type.kind === 'reference' || hasAbility(type, 'key', handle.constraints);
    return (type.kind === 'parameter' || !isStored) && listTypeParameters(type).includes(index);
  };
  return given.flatMap(({ type, value }) => {
    if (!type || !value) return [];
    const from = identities(value).atoms.map((atom) => (atom.kind === 'initial' ? atom.parameter : -1));
    const behind = [...(value.places?.values() ?? [])].map(({ root }) => -1 - root);
    return listTypeParameters(type).filter(
      (index) => ![...from, ...behind].every((each) => each >= 0 && isArgument(index, each)),
    );
  });
}

function listCapabilities(
  { handle }: CallableFunction,
  written: number | undefined,
  isHeld: (type: Datatype) => boolean,
): Authority[] {
  return handle.parameters.flatMap((parameter, i): Authority[] => {
    const type = referent(parameter);
    if (i === written || type.kind !== 'datatype') return [];
    return isHeld(type) ? [{ kind: 'capability', type: typeText(type) }] : [];
  });
}

function isSystemCapability(type: Datatype): boolean {
  const isConcrete = type.args.every(({ kind }) => kind === 'datatype');
  return isConcrete && systemCapabilities.some((path) => isSystemType(type, path));
}

function listSenders(
  fn: CallableFunction,
  facts: readonly Test[],
  written: number | undefined,
  isTrusted: (type: Datatype) => boolean,
): Authority[] {
  return facts.flatMap(({ left, right }): Authority[] => {
    const other = isSender(fn, left)
      ? getOnlyAtom(right)
      : isSender(fn, right)
        ? getOnlyAtom(left)
        : undefined;
    const origin = other && fn.signature.origin(other);
    if (origin?.kind === 'constant') return [{ kind: 'constantSender', address: origin.value }];
    if (origin?.kind !== 'state' || other?.kind !== 'initial') return [];
    const type = referent(fn.handle.parameters[other.parameter]!);
    // The caller could pass an own object of a type that anyone can make.
    const counts = other.parameter === written || (type.kind === 'datatype' && isTrusted(type));
    return counts ? [{ kind: 'sender', path: origin.path }] : [];
  });
}

const getOnlyAtom = ({ is }: Value): Atom | undefined => (is.size === 1 ? is.atoms[0] : undefined);

function isSender(fn: CallableFunction, value: Value): boolean {
  const only = getOnlyAtom(value);
  return only !== undefined && fn.signature.origin(only)?.kind === 'sender';
}

const comparedWithSender = new WeakMap<CallableFunction, StatePath[]>();

function listComparedWithSender(fn: CallableFunction): StatePath[] {
  const known = comparedWithSender.get(fn) ?? findComparedWithSender(fn);
  comparedWithSender.set(fn, known);
  return known;
}

function findComparedWithSender({ signature, summary }: CallableFunction): StatePath[] {
  const paths = summary.gates
    .filter((gate) => namesSender(signature, gate))
    .flatMap(({ on }) => [...signature.states(on).keys()]);
  return [...new Set(paths)].sort();
}

const namesSender = (signature: CallableFunction['signature'], { on }: Gate): boolean =>
  signature.origins(on).some(({ kind }) => kind === 'sender');
