import { referent } from '../introspect/code/move-type.ts';
import { isSystemPackage } from '../packages/system.ts';
import type { Authorities } from './authority.ts';
import type { CallableFunction, Callables } from './callables.ts';
import type { Authority, Writers } from './claims.ts';
import type { LinkedCode } from './code/program.ts';
import { datatypeName, mayOverlap } from './flow/path.ts';
import type { Trail, Write } from './flow/summary.ts';
import { type Location, listParts, locate } from './locate.ts';
import { findNearest } from './trails.ts';

interface FoundWriter {
  /** `0x<original id>::module::function`. */
  fn: string;
  needs: readonly Authority[];
  /** The nearest of its writes. */
  trail: Trail;
}

/** The functions that may change a stored field, sorted by name. */
export interface FoundWriters extends Pick<Writers, 'others'> {
  list: readonly FoundWriter[];
}

/** Finds the functions that may change a stored field of an existing object. */
export class WriterSearch {
  readonly #code: LinkedCode;
  readonly #callables: Callables;
  readonly #authorities: Authorities;
  readonly #known = new Map<string, FoundWriters>();
  readonly #changes = new Map<string, PackageChanges>();

  constructor(code: LinkedCode, callables: Callables, authorities: Authorities) {
    this.#code = code;
    this.#callables = callables;
    this.#authorities = authorities;
  }

  /** Searches the packages that define the datatypes around the field: only their code can borrow it. */
  find(location: Location): FoundWriters {
    const owners = [...new Set(location.owners.map(datatypeName))];
    const key = `${location.path} ${owners.join()}`;
    const known = this.#known.get(key);
    if (known) return known;
    const packages = [...new Set(location.owners.map(({ address }) => address))].sort();
    const all = packages.map((address) => this.#readChanges(address));
    const changes = all.flatMap((each) => each.find(location));
    const list = [...Map.groupBy(changes, ({ fn }) => fn)].map(([fn, each]) => this.#describe(fn, each));
    list.sort((a, b) => (a.fn < b.fn ? -1 : 1));
    const isRead = packages.length > 0 && !location.isVague && all.every((each) => each.isRead);
    const writers: FoundWriters = { list, others: isRead ? 'cannot' : 'unread' };
    this.#known.set(key, writers);
    return writers;
  }

  #describe(fn: CallableFunction, changes: readonly LocatedChange[]): FoundWriter {
    // The function needs what each of its writes needs.
    const [first, ...others] = changes.map((change) => this.#listNeeds(change));
    const texts = others.map((needs) => new Set(needs.map((each) => JSON.stringify(each))));
    const needs = first!.filter((each) => texts.every((set) => set.has(JSON.stringify(each))));
    return { fn: fn.key, needs, trail: findNearest(changes.map(({ trail }) => trail))! };
  }

  #listNeeds(change: LocatedChange): readonly Authority[] {
    change.needs ??= this.#authorities.needs(change.fn, change.facts, change.parameter);
    return change.needs;
  }

  #readChanges(address: string): PackageChanges {
    const known = this.#changes.get(address);
    if (known) return known;
    const functions = this.#callables.list(address);
    const isRead = functions !== undefined && !functions.some(mayHideWrite);
    const found = new PackageChanges(
      (functions ?? []).flatMap((fn) => listChanges(this.#code, fn)),
      isRead,
    );
    this.#changes.set(address, found);
    return found;
  }
}

/** The changes of stored objects by the functions of a package. */
class PackageChanges {
  /** False if some function may make changes that are not in the list. */
  readonly isRead: boolean;
  readonly #byAnchor: ReadonlyMap<string, readonly LocatedChange[]>;
  readonly #byPart: ReadonlyMap<string, readonly LocatedChange[]>;
  /** Changes whose place or value is not known exactly. */
  readonly #vague: readonly LocatedChange[];

  constructor(changes: readonly LocatedChange[], isRead: boolean) {
    this.isRead = isRead;
    this.#byAnchor = Map.groupBy(changes, ({ location }) => location.anchor);
    this.#vague = changes.filter(({ location, parts }) => location.isVague || !parts);
    const byPart = new Map<string, LocatedChange[]>();
    for (const change of changes) {
      for (const part of change.parts ?? []) {
        const known = byPart.get(part);
        if (known) known.push(change);
        else byPart.set(part, [change]);
      }
    }
    this.#byPart = byPart;
  }

  /** The changes that can change the field, or a value that has it. */
  find(location: Location): LocatedChange[] {
    const inner = location.owners.at(-1);
    const candidates = new Set([
      ...(this.#byAnchor.get(location.anchor) ?? []),
      ...(inner ? (this.#byPart.get(datatypeName(inner)) ?? []) : []),
      ...this.#vague,
    ]);
    return [...candidates].filter((change) => reaches(change, location));
  }
}

function listChanges(code: LinkedCode, fn: CallableFunction): LocatedChange[] {
  return [...fn.summary.writes, ...listLent(fn)].flatMap((change): LocatedChange[] => {
    const type = referent(fn.handle.parameters[change.parameter]!);
    // A value without a key is not a stored object, and a transaction cannot borrow a part of one.
    if (type.kind !== 'datatype' || (type.abilities & keyBit) === 0) return [];
    const location = locate(code, type, change.path);
    const { parameter, facts, trail } = change;
    return [{ fn, parameter, facts, trail, location, parts: listParts(code, location.type ?? change.type) }];
  });
}

function mayHideWrite({ handle, summary }: CallableFunction): boolean {
  if (!summary.failure) return false;
  return handle.parameters.some((type) => {
    const held = referent(type);
    const isChangeable = type.kind !== 'reference' || type.mutable;
    return isChangeable && held.kind === 'datatype' && !isSystemPackage(held.address);
  });
}

type Change = Pick<Write, 'parameter' | 'path' | 'type' | 'facts' | 'trail'>;

interface LocatedChange extends Pick<Change, 'parameter' | 'facts' | 'trail'> {
  fn: CallableFunction;
  location: Location;
  /** Datatypes in the values that are written. Undefined: any. */
  parts: ReadonlySet<string> | undefined;
  /** The requirements on the caller, once they are known. */
  needs?: readonly Authority[];
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
