/** Parts of a world that can be left out while it still differs. */
export interface WorldParts {
  minutes: number;
  faults: readonly string[];
  acts: readonly string[];
}

/** Shortest world that is tried. */
const minutesMin = 0.1;

/**
 * Finds a smaller world that still differs: a shorter one, then one with fewer faults, then one with fewer acts.
 * @param differs plays a world. The order between processes is that of the machine, so it may play one several times
 */
export async function shrinkWorld(
  world: WorldParts,
  differs: (parts: WorldParts) => Promise<boolean>,
): Promise<WorldParts> {
  let { minutes } = world;
  while (minutes / 2 >= minutesMin && (await differs({ ...world, minutes: minutes / 2 }))) minutes /= 2;
  const shorter = { ...world, minutes };
  const faults = await shrinkList(world.faults, (kept) => differs({ ...shorter, faults: kept }));
  const acts = await shrinkList(world.acts, (kept) => differs({ ...shorter, faults, acts: kept }));
  return { minutes, faults, acts };
}

/**
 * Leaves out items of a list that fails for as long as the rest fails: delta debugging (Zeller and Hildebrandt,
 * "Simplifying and Isolating Failure-Inducing Input"). No single item of the result can be left out, if `fails` gives
 * the same answer for the same list.
 */
export async function shrinkList<Item>(
  items: readonly Item[],
  fails: (kept: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  if (items.length === 0 || (await fails([]))) return [];
  let kept = items;
  let parts = 2;
  while (kept.length > 1) {
    const smaller = await findFailing(listCandidates(kept, parts), fails);
    if (smaller) {
      parts = smaller.length <= Math.ceil(kept.length / parts) ? 2 : Math.max(parts - 1, 2);
      kept = smaller;
    } else if (parts < kept.length) {
      parts = Math.min(parts * 2, kept.length);
    } else break;
  }
  return kept;
}

/** Lists each part of a list, then the list without each part. Two parts are each other's rest. */
function listCandidates<Item>(items: readonly Item[], parts: number): readonly (readonly Item[])[] {
  const edge = (part: number) => Math.floor((part * items.length) / parts);
  const numbers = [...Array(parts).keys()];
  return [
    ...numbers.map((part) => items.slice(edge(part), edge(part + 1))),
    ...(parts === 2
      ? []
      : numbers.map((part) => [...items.slice(0, edge(part)), ...items.slice(edge(part + 1))])),
  ];
}

async function findFailing<Item>(
  candidates: readonly (readonly Item[])[],
  fails: (kept: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[] | undefined> {
  for (const candidate of candidates) if (await fails(candidate)) return candidate;
  return undefined;
}
