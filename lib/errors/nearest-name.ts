import { distance } from 'fastest-levenshtein';

/** Finds the known name that an unknown one was probably meant to be, in any case; undefined if none is close. */
export function findNearestName(unknown: string, known: readonly string[]): string | undefined {
  const given = unknown.slice(0, 64).toLowerCase();
  const [best] = known
    .map((name) => ({ name, edits: distance(given, name.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  if (!best || best.edits >= best.name.length) return undefined;
  return best.edits <= Math.max(2, best.name.length / 3) ? best.name : undefined;
}
