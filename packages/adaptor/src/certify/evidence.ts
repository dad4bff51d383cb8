import type { CallPath, Site } from './claims.ts';
import type { Trail } from './flow/summary.ts';

/** Bound on the sites of a call path. A longer one leaves out the middle. */
const sitesMax = 48;
/** Bound on the call paths of one claim. */
const evidenceMax = 8;

function toCallPath(trail: Trail): CallPath {
  const sites: Site[] = [];
  for (let at: Trail | undefined = trail; at; at = at.next) sites.push(at.site);
  return sites.length <= sitesMax ? sites : [...sites.slice(0, sitesMax / 2), ...sites.slice(-sitesMax / 2)];
}

const pathKey = (path: CallPath): string =>
  path.map((site) => `${site.module}::${site.function}@${site.offset}`).join(' ');

/** The shortest call paths, without repetition. Those of the same length are sorted, so that the result is always the same. */
export function selectEvidence(trails: readonly Trail[], max: number = evidenceMax): CallPath[] {
  const paths = new Map(trails.map(toCallPath).map((path) => [pathKey(path), path]));
  const sorted = [...paths].sort(([a, left], [b, right]) => left.length - right.length || (a < b ? -1 : 1));
  return sorted.slice(0, max).map(([, path]) => path);
}

export const firstEvidence = (trails: readonly Trail[]): CallPath => selectEvidence(trails, 1)[0] ?? [];
