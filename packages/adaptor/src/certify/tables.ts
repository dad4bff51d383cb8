import type { Authority, CallPath, Writers } from './claims.ts';
import type { Trail } from './flow/summary.ts';
import { findNearest, listSites, writeTrail } from './trails.ts';
import type { FoundWriters } from './writers.ts';

/** Bound on the call paths of one claim. */
const evidenceMax = 8;

/** The lists of one certificate that its claims refer to by position. */
export class Tables {
  readonly functions: string[] = [];
  readonly writers: Writers[] = [];
  readonly authorities: Authority[] = [];
  readonly #authorityIndices = new Map<string, number>();
  readonly #functionIndices = new Map<string, number>();
  readonly #writersIndices = new Map<string, number>();
  readonly #known = new Map<FoundWriters, number>();

  /** Returns the position of `0x…::module::function`. */
  findFunction(name: string): number {
    return findOrAdd(this.functions, this.#functionIndices, name, name);
  }

  /** The shortest call paths, without repetition. Those of the same length are sorted, so that the result is always the same. */
  selectEvidence(trails: readonly Trail[]): CallPath[] {
    const paths = new Map(trails.map((trail) => [writeTrail(trail), trail]));
    const sorted = [...paths].sort(([a, left], [b, right]) => left.depth - right.depth || (a < b ? -1 : 1));
    return sorted.slice(0, evidenceMax).map(([, trail]) => this.#toCallPath(trail));
  }

  firstEvidence(trails: readonly Trail[]): CallPath {
    const trail = findNearest(trails);
    return trail ? this.#toCallPath(trail) : [];
  }

  #toCallPath(trail: Trail): CallPath {
    return listSites(trail).map((site) => [this.findFunction(site.function), site.offset]);
  }

  #findAuthority(authority: Authority): number {
    return findOrAdd(this.authorities, this.#authorityIndices, JSON.stringify(authority), authority);
  }

  /** Returns the position of the writers, which many fields can share. */
  findWriters(found: FoundWriters): number {
    const known = this.#known.get(found);
    if (known !== undefined) return known;
    const list = found.list.map(({ fn, needs, trail }) => ({
      function: this.findFunction(fn),
      needs: needs.map((each) => this.#findAuthority(each)),
      evidence: this.#toCallPath(trail),
    }));
    const writers: Writers = { list, others: found.others };
    const index = findOrAdd(this.writers, this.#writersIndices, JSON.stringify(writers), writers);
    this.#known.set(found, index);
    return index;
  }
}

/** Returns the position of an item in a list, to which it is added if it is new. */
function findOrAdd<Item>(list: Item[], indices: Map<string, number>, key: string, item: Item): number {
  const index = indices.get(key) ?? list.push(item) - 1;
  indices.set(key, index);
  return index;
}
