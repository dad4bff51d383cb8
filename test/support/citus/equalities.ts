/** Terms that conditions make equal: columns as `<item>.<column>`, parameters as `$1`, constants. */
export class Equalities {
  readonly #parents = new Map<string, string>();

  find(term: string): string {
    const parent = this.#parents.get(term);
    if (parent === undefined || parent === term) return term;
    const root = this.find(parent);
    this.#parents.set(term, root);
    return root;
  }

  join(one: string, other: string): void {
    const [from, to] = [this.find(one), this.find(other)];
    // A constant stays the root, so that `find` gives it.
    if (isConstantTerm(from)) this.#parents.set(to, from);
    else this.#parents.set(from, to);
  }

  areEqual(one: string, other: string): boolean {
    return this.find(one) === this.find(other);
  }

  /** Terms that equal a term. */
  listEqual(term: string): string[] {
    const root = this.find(term);
    return [...new Set([root, ...this.#parents.keys()])].filter((one) => this.find(one) === root);
  }

  /** The parameter or constant that a term equals. */
  findConstant(term: string): string | undefined {
    const root = this.find(term);
    return isConstantTerm(root) ? root : undefined;
  }
}

/** True for the term of a parameter or a constant. */
export const isConstantTerm = (term: string): boolean => /^[$']/.test(term);
