/**
 * Counts the slots that are taken, in all and by each holder, so that no holder has all of them.
 * @param max most slots of all, and of one holder of each kind. They are compared in this order
 */
export function createShares<Kind extends string>(max: Readonly<Record<'all' | Kind, number>>) {
  const kinds = Object.keys(max) as ('all' | Kind)[];
  const taken = new Map<string, number>();
  const read = (counter: string) => taken.get(counter) ?? 0;

  function add(counter: string, step: 1 | -1): void {
    const count = read(counter) + step;
    if (count > 0) taken.set(counter, count);
    else taken.delete(counter);
  }

  return {
    /** Returns the number of slots that are taken in all. */
    count: () => read('all'),
    /**
     * Takes a slot, and returns its release, which counts once.
     * @param holders holder of each kind. Undefined: none, so the slot counts for all alone
     * @param refuse returns the error for the first kind whose slots are all taken
     * @throws the error of `refuse`
     */
    take(
      holders: Readonly<Record<Exclude<Kind, 'all'>, string | undefined>>,
      refuse: (kind: 'all' | Kind, max: number) => Error,
    ): () => void {
      const counters: string[] = [];
      for (const kind of kinds) {
        const holder = kind === 'all' ? '' : holders[kind as Exclude<Kind, 'all'>];
        if (holder === undefined) continue;
        const counter = kind === 'all' ? kind : `${kind} ${holder}`;
        if (read(counter) >= max[kind]) throw refuse(kind, max[kind]);
        counters.push(counter);
      }
      for (const counter of counters) add(counter, 1);
      let isHeld = true;
      return () => {
        if (isHeld) for (const counter of counters) add(counter, -1);
        isHeld = false;
      };
    },
  };
}
