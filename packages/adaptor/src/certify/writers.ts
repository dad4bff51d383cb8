import { referent } from '../introspect/code/move-type.ts';
import { isSystemPackage } from '../packages/system.ts';
import type { Authorities } from './authority.ts';
import type { CallableFunction, Callables } from './callables.ts';
import type { Writer, Writers } from './claims.ts';
import { firstEvidence } from './evidence.ts';
import { datatypeName, mayOverlap } from './flow/path.ts';
import type { Write } from './flow/summary.ts';
import { type Location, listParts, locate } from './locate.ts';
import type { LinkedCode } from './program.ts';

/** Finds the functions that may change a stored field of an existing object. */
export class WriterSearch {
  readonly #code: LinkedCode;
  readonly #callables: Callables;
  readonly #authorities: Authorities;
  readonly #known = new Map<string, Writers>();

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
    const writes = [...fn.summary.writes, ...listLent(fn)].filter((write) =>
      this.#changes(fn, write, location),
    );
    if (writes.length === 0) return undefined;
    // The function needs what each of its writes needs.
    const [first, ...others] = writes.map(({ facts, parameter }) =>
      this.#authorities.needs(fn, facts, parameter),
    );
    const texts = others.map((needs) => new Set(needs.map((each) => JSON.stringify(each))));
    const needs = first!.filter((each) => texts.every((set) => set.has(JSON.stringify(each))));
    return { function: fn.key, needs, evidence: firstEvidence(writes.map(({ trail }) => trail)) };
  }

  /** Returns `true` if a write can change the field, or a value that has it. */
  #changes(fn: CallableFunction, write: Change, location: Location): boolean {
    const { owners } = location;
    const type = referent(fn.handle.parameters[write.parameter]!);
    // A value without a key is no stored object, and a transaction cannot borrow a part of one.
    if (type.kind !== 'datatype' || (type.abilities & keyBit) === 0) return false;
    const written = locate(this.#code, type, write.path);
    if (overlaps(written, location)) return true;
    const [root] = owners;
    const inner = owners.at(-1);
    if (!root || !inner) return false;
    if (written.isVague) return isWithin(written, root);
    const parts = listParts(this.#code, written.type ?? write.type);
    // A value of an unknown type may contain the inner datatype, but not the object that it is put into.
    return parts ? parts.has(datatypeName(inner)) : owners.length > 1 && isWithin(written, root);
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
