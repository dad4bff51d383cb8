import { referent } from '../introspect/code/move-type.ts';
import { isSystemPackage } from '../packages/system.ts';
import type { Authorities } from './authority.ts';
import type { CallableFunction, Callables } from './callables.ts';
import type { Writer, Writers } from './claims.ts';
import type { LinkedCode } from './code/program.ts';
import { firstEvidence } from './evidence.ts';
import { datatypeName, mayOverlap } from './flow/path.ts';
import type { Write } from './flow/summary.ts';
import { type Location, listParts, locate } from './locate.ts';

/** Finds the functions that may change a stored field of an existing object. */
export class WriterSearch {
  readonly #code: LinkedCode;
  readonly #callables: Callables;
  readonly #authorities: Authorities;
  readonly #known = new Map<string, Writers>();
  readonly #changes = new Map<CallableFunction, readonly LocatedChange[]>();

  constructor(code: LinkedCode, callables: Callables, authorities: Authorities) {
    this.#code = code;
    this.#callables = callables;
    this.#authorities = authorities;
  }

  /** Searches the packages that define the datatypes around the field: only their code can borrow it. */
  find(location: Location): Writers {
    const owners = [...new Set(location.owners.map(datatypeName))];
    const key = `${location.path} ${owners.join()}`;
    const known = this.#known.get(key);
    if (known) return known;
    const packages = [...new Set(location.owners.map(({ address }) => address))].sort();
    const lists = packages.map((address) => this.#callables.list(address));
    const functions = lists.flatMap((list) => list ?? []);
    const list = functions.map((fn) => this.#describe(fn, location)).filter((writer) => writer !== undefined);
    list.sort((a, b) => (a.function < b.function ? -1 : 1));
    const isRead =
      packages.length > 0 &&
      !location.isVague &&
      lists.every((each) => each !== undefined) &&
      !functions.some((fn) => this.#mayHideWrite(fn));
    const writers: Writers = { list, others: isRead ? 'cannot' : 'unread' };
    this.#known.set(key, writers);
    return writers;
  }

  #describe(fn: CallableFunction, location: Location): Writer | undefined {
    const changes = this.#listChanges(fn).filter((change) => reaches(change, location));
    if (changes.length === 0) return undefined;
    // The function needs what each of its writes needs.
    const [first, ...others] = changes.map(({ facts, parameter }) =>
      this.#authorities.needs(fn, facts, parameter),
    );
    const texts = others.map((needs) => new Set(needs.map((each) => JSON.stringify(each))));
    const needs = first!.filter((each) => texts.every((set) => set.has(JSON.stringify(each))));
    return { function: fn.key, needs, evidence: firstEvidence(changes.map(({ trail }) => trail)) };
  }

  /** The changes of stored objects by a function. */
  #listChanges(fn: CallableFunction): readonly LocatedChange[] {
    const known = this.#changes.get(fn);
    if (known) return known;
    const found = [...fn.summary.writes, ...listLent(fn)].flatMap((change): LocatedChange[] => {
      const type = referent(fn.handle.parameters[change.parameter]!);
      // A value without a key is not a stored object, and a transaction cannot borrow a part of one.
      if (type.kind !== 'datatype' || (type.abilities & keyBit) === 0) return [];
      const location = locate(this.#code, type, change.path);
      return [{ ...change, location, parts: listParts(this.#code, location.type ?? change.type) }];
    });
    this.#changes.set(fn, found);
    return found;
  }

  #mayHideWrite({ handle, summary }: CallableFunction): boolean {
    if (!summary.failure) return false;
    return handle.parameters.some((type) => {
      const held = referent(type);
      const isChangeable = type.kind !== 'reference' || type.mutable;
      return isChangeable && held.kind === 'datatype' && !isSystemPackage(held.address);
    });
  }
}

type Change = Pick<Write, 'parameter' | 'path' | 'type' | 'facts' | 'trail'>;

interface LocatedChange extends Change {
  location: Location;
  /** Datatypes in the values that are written. Undefined: any. */
  parts: ReadonlySet<string> | undefined;
}

/** Returns `true` if a change can change the field, or a value that has it. */
function reaches({ location: written, parts }: LocatedChange, location: Location): boolean {
  if (overlaps(written, location)) return true;
  const [root] = location.owners;
  const inner = location.owners.at(-1);
  if (!root || !inner) return false;
  if (written.isVague) return isWithin(written, root);
  // A value of an unknown type may contain the inner datatype, but not the object that it is put into.
  return parts ? parts.has(datatypeName(inner)) : location.owners.length > 1 && isWithin(written, root);
}

/** The places to which a function returns mutable references. Code that calls it can write there. */
function listLent({ handle, summary: { returns, returnTrails, facts } }: CallableFunction): Change[] {
  const [trail] = returnTrails;
  if (!trail) return [];
  return handle.returns.flatMap((type, i): Change[] => {
    if (type.kind !== 'reference' || !type.mutable) return [];
    const places = [...(returns[i]?.places?.values() ?? [])];
    return places.map(({ root, path }) => ({ parameter: -1 - root, path, type: type.to, facts, trail }));
  });
}

const keyBit = 8;

const isWithin = ({ owners }: Location, root: Location['owners'][number]): boolean =>
  owners.some((owner) => datatypeName(owner) === datatypeName(root));

/** Returns `true` if one of the places may contain the other. */
function overlaps(a: Location, b: Location): boolean {
  if (a.anchor !== b.anchor) return false;
  const length = Math.min(a.tail.length, b.tail.length);
  return a.tail.slice(0, length).every((step, i) => mayOverlap(step, b.tail[i]!));
}
