/** Finds the known name that an unknown one was probably meant to be, in any case; undefined if none is close. */
export function nearestName(unknown: string, known: readonly string[]): string | undefined {
  const given = unknown.slice(0, 64).toLowerCase();
  const [best] = known
    .map((name) => ({ name, distance: editDistance(given, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  if (!best || best.distance >= best.name.length) return undefined;
  return best.distance <= Math.max(2, best.name.length / 3) ? best.name : undefined;
}

/** Counts the letters to insert, remove or replace (Levenshtein distance). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, position) => position);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const exchanged = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(exchanged, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
