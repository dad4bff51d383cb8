/**
 * Labels that lead from one place to another, each ended by a slash: `l0/f3/` is field 3 of local 0. The empty
 * path is the place itself.
 */
export type Path = string;

/**
 * That one reference was made from another: an `exact` edge leads to just that place, another one to any place at
 * or below it.
 */
interface Edge {
  readonly path: Path;
  readonly exact: boolean;
}

interface Node {
  readonly mutable: boolean;
  /** By the reference that borrows from this one. */
  readonly borrowedBy: Map<number, Edge[]>;
  readonly borrowsFrom: Set<number>;
}

/** The chain's bound: with more edges from one reference to another, anything below may be borrowed. */
const MAX_EDGES = 10;
const ANYTHING: Edge = { path: '', exact: false };

/**
 * Which references were made from which, and along which fields. References are numbers, chosen by the caller.
 * `charge` receives the work.
 */
export class BorrowGraph {
  readonly #nodes = new Map<number, Node>();
  readonly #charge: (units: number) => void;

  constructor(charge: (units: number) => void) {
    this.#charge = charge;
  }

  add(id: number, mutable: boolean): void {
    this.#nodes.set(id, { mutable, borrowedBy: new Map(), borrowsFrom: new Set() });
  }

  isMutable(id: number): boolean {
    return this.#node(id).mutable;
  }

  /** Whether a reference that `counts` borrows from `id` itself or, with a label, from below that label. */
  isBorrowed(id: number, label: Path | undefined, counts: (borrower: number) => boolean): boolean {
    for (const [borrower, edges] of this.#node(id).borrowedBy) {
      this.#charge(edges.length);
      const meets = edges.some(({ path }) => path === '' || label === undefined || path.startsWith(label));
      if (meets && counts(borrower)) return true;
    }
    return false;
  }

  /** Whether anything borrows from the place `id` itself or from anywhere below. */
  hasFullBorrow(id: number): boolean {
    for (const edges of this.#node(id).borrowedBy.values()) {
      this.#charge(edges.length);
      if (edges.some(({ path }) => path === '')) return true;
    }
    return false;
  }

  /** `child` points somewhere at or below `parent`. */
  borrowSomewhere(parent: number, child: number): void {
    this.#connect(parent, ANYTHING, child);
  }

  /**
   * `child` points at what `path` leads to from `parent`. References that were made along that path before are
   * from now on made from `child`.
   */
  borrowExactly(parent: number, path: Path, child: number): void {
    const { borrowedBy } = this.#node(parent);
    for (const [other, edges] of [...borrowedBy]) {
      const kept = edges.filter((edge) => !edge.path.startsWith(path));
      this.#charge(1 + edges.length);
      if (kept.length === edges.length) continue;
      for (const edge of edges) {
        if (edge.path.startsWith(path))
          this.#connect(child, { ...edge, path: edge.path.slice(path.length) }, other);
      }
      if (kept.length > 0) borrowedBy.set(other, kept);
      else this.#disconnect(parent, other);
    }
    this.#connect(parent, { path, exact: true }, child);
  }

  /** Forgets `id`; what was made from it counts as made from what it was made from. */
  release(id: number): void {
    const { borrowedBy, borrowsFrom } = this.#node(id);
    for (const parent of borrowsFrom) {
      const incoming = this.#node(parent).borrowedBy.get(id)!;
      for (const [child, outgoing] of borrowedBy) {
        if (child === parent) continue;
        this.#charge(incoming.length * outgoing.length);
        for (const to of incoming) {
          for (const from of outgoing) {
            const path = to.exact ? to.path + from.path : to.path;
            this.#connect(parent, { path, exact: to.exact && from.exact }, child);
          }
        }
      }
    }
    for (const parent of borrowsFrom) this.#node(parent).borrowedBy.delete(id);
    for (const child of borrowedBy.keys()) this.#node(child).borrowsFrom.delete(id);
    this.#nodes.delete(id);
  }

  copy(): BorrowGraph {
    return this.renamed((id) => id);
  }

  /** A copy in which reference `id` is called `name(id)`. */
  renamed(name: (id: number) => number): BorrowGraph {
    const graph = new BorrowGraph(this.#charge);
    for (const [id, { mutable, borrowedBy, borrowsFrom }] of this.#nodes) {
      this.#charge(1 + borrowedBy.size + borrowsFrom.size);
      graph.#nodes.set(name(id), {
        mutable,
        // Lists of edges are never changed in place, so copies may share them.
        borrowedBy: new Map([...borrowedBy].map(([child, edges]) => [name(child), edges])),
        borrowsFrom: new Set([...borrowsFrom].map(name)),
      });
    }
    return graph;
  }

  /** Takes in the edges of another graph over the same references; whether any of them was news. */
  join(other: BorrowGraph): boolean {
    let changed = false;
    for (const [parent, { borrowedBy }] of other.#nodes) {
      for (const [child, edges] of borrowedBy) {
        const known = this.#node(parent).borrowedBy.get(child) ?? [];
        this.#charge(1 + known.length * edges.length);
        for (const edge of edges) {
          if (known.some((each) => covers(each, edge))) continue;
          this.#connect(parent, edge, child);
          changed = true;
        }
      }
    }
    return changed;
  }

  #node(id: number): Node {
    return this.#nodes.get(id)!;
  }

  #connect(parent: number, edge: Edge, child: number): void {
    const { borrowedBy } = this.#node(parent);
    const edges = borrowedBy.get(child) ?? [];
    this.#charge(1 + edges.length);
    if (edges.some((each) => same(each, edge))) return;
    borrowedBy.set(child, edges.length < MAX_EDGES ? [...edges, edge] : [ANYTHING]);
    this.#node(child).borrowsFrom.add(parent);
  }

  #disconnect(parent: number, child: number): void {
    this.#node(parent).borrowedBy.delete(child);
    this.#node(child).borrowsFrom.delete(parent);
  }
}

function same(left: Edge, right: Edge): boolean {
  return left.path === right.path && left.exact === right.exact;
}

/** Whether an edge says all that another one says. */
function covers(edge: Edge, other: Edge): boolean {
  return same(edge, other) || (!edge.exact && other.path.startsWith(edge.path));
}
