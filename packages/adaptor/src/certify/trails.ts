import type { Site } from './flow/site.ts';
import type { Trail } from './flow/summary.ts';

/** Bound on the sites of a call path. A longer one leaves out the middle. */
const sitesMax = 48;

export function listSites(trail: Trail): Site[] {
  const sites: Site[] = [];
  for (let at: Trail | undefined = trail; at; at = at.next) sites.push(at.site);
  return sites.length <= sitesMax ? sites : [...sites.slice(0, sitesMax / 2), ...sites.slice(-sitesMax / 2)];
}

export const writeTrail = (trail: Trail): string =>
  listSites(trail)
    .map((site) => `${site.function}@${site.offset}`)
    .join(' ');

/** The shortest way; among those of the same length the first by name, so that the result is always the same. */
export function findNearest(trails: readonly Trail[]): Trail | undefined {
  let nearest: Trail | undefined;
  for (const trail of trails) {
    const isNearer =
      !nearest ||
      trail.depth < nearest.depth ||
      (trail.depth === nearest.depth && writeTrail(trail) < writeTrail(nearest));
    if (isNearer) nearest = trail;
  }
  return nearest;
}
