/**
 * Bounds the slots that are taken at once, in all and by each holder, so that no holder can take all of them.
 * @param max maximum number of slots in all, and of one holder of each kind. A slot is checked against them in this order
 */
export function createShares<Kind extends string>(max: Readonly<Record<'all' | Kind, number>>) {
  const kinds = Object.keys(max) as ('all' | Kind)[];
  const taken = new Map<string, number>();
  const getCount = (counter: string) => taken.get(counter) ?? 0;

  function add(counter: string, step: 1 | -1): void {
    const count = getCount(counter) + step;
    if (count > 0) taken.set(counter, count);
    else taken.delete(counter);
  }

  return {
    /** Returns the number of slots that are taken in all. */
    count: () => getCount('all'),
    /**
     * Takes a slot.
     * @param holders holder of each kind; undefined if the slot has no holder of this kind
     * @param refuse makes the error for the first kind whose slots are all taken
     * @returns a function that releases the slot. Further calls of it do nothing
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
        if (getCount(counter) >= max[kind]) throw refuse(kind, max[kind]);
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
