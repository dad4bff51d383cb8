import type { Bound, UpgradeClaim, UpgradeFacts, Writers } from './claims.ts';

/** The writers of a field: names of functions with all that a caller needs, as JSON in order. */
export interface WriterNeeds extends Pick<Writers, 'others'> {
  list: [name: string, needs: string[]][];
}

/** Writes a value with its fields in the order of their names, as a database may return them in another one. */
export const toText = (value: object | null): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });

/** Bound on comparisons of the amounts of one claim. A claim of more counts as wider. */
const pairsMax = 10_000;

/**
 * Returns true if amounts may exceed earlier ones. They are taken in addition to each other, so each needs an earlier one
 * of its own that is as large: the same, or all that is there.
 */
export function hasLargerBounds(before: readonly Bound[], after: readonly Bound[]): boolean {
  const earlier = [...before];
  if (earlier.length * after.length > pairsMax) return true;
  const others = after.filter((bound) => {
    const at = earlier.findIndex((one) => isSameBound(one, bound));
    if (at !== -1) earlier.splice(at, 1);
    return at === -1;
  });
  return others.length > earlier.filter(({ kind }) => kind === 'all').length;
}

/** A computed amount is the same if it is computed from the same values: the analysis does no arithmetic. */
function isSameBound(a: Bound, b: Bound): boolean {
  if (a.kind === 'equal' && b.kind === 'equal') return toText(a.to) === toText(b.to);
  if (a.kind === 'unbounded' && b.kind === 'unbounded')
    return a.from.map(toText).sort().join() === b.from.map(toText).sort().join();
  return a.kind === b.kind;
}

/** Returns true if a function may write that could not, or that needs less than before. */
export function hasMoreWriters(before: WriterNeeds | undefined, after: WriterNeeds | undefined): boolean {
  if (!before || !after) return true;
  if (after.others === 'unread' && before.others !== 'unread') return true;
  const earlier = Map.groupBy(before.list, ([name]) => name);
  return after.list.some(([name, needs]) => {
    const given = new Set(needs);
    return !earlier.get(name)?.some(([, required]) => required.every((each) => given.has(each)));
  });
}

/** Policies of upgrades, each allowing less than the next one. */
const policies: readonly UpgradeFacts['policy'][] = [
  'immutable',
  'dependency_only',
  'additive',
  'compatible',
  'unknown',
];
const verdicts: readonly UpgradeClaim['verdict'][] = ['cannot', 'may', 'unread'];

/** Returns true if more may be changed, someone else may, or a stored version no longer disables this one. */
export function hasMoreUpgrades(before: UpgradeClaim, after: UpgradeClaim): boolean {
  if (verdicts.indexOf(after.verdict) > verdicts.indexOf(before.verdict)) return true;
  if (before.versionGates.some((gate) => !after.versionGates.includes(gate))) return true;
  const [earlier, later] = [before.facts, after.facts];
  // Without facts the verdict is `unread`, which the verdicts compare.
  if (!earlier || !later) return false;
  if (policies.indexOf(later.policy) > policies.indexOf(earlier.policy)) return true;
  return later.policy !== 'immutable' && !isSameHolder(earlier.holder, later.holder);
}

const isSameHolder = (a: UpgradeFacts['holder'], b: UpgradeFacts['holder']): boolean =>
  a?.kind === b?.kind && a?.id === b?.id;
