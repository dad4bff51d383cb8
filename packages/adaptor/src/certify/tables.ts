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

  /** Position of `0x…::module::function`. */
  findFunction(name: string): number {
    const index = this.#functionIndices.get(name) ?? this.functions.push(name) - 1;
    this.#functionIndices.set(name, index);
    return index;
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
    const text = JSON.stringify(authority);
    const index = this.#authorityIndices.get(text) ?? this.authorities.push(authority) - 1;
    this.#authorityIndices.set(text, index);
    return index;
  }

  /** Position of the writers, which many fields can share. */
  findWriters(found: FoundWriters): number {
    const known = this.#known.get(found);
    if (known !== undefined) return known;
    const list = found.list.map(({ fn, needs, trail }) => ({
      function: this.findFunction(fn),
      needs: needs.map((each) => this.#findAuthority(each)),
      evidence: this.#toCallPath(trail),
    }));
    const writers: Writers = { list, others: found.others };
    const text = JSON.stringify(writers);
    const index = this.#writersIndices.get(text) ?? this.writers.push(writers) - 1;
    this.#writersIndices.set(text, index);
    this.#known.set(found, index);
    return index;
  }
}
