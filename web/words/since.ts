import type { ListingState } from '../components/since.ts';

/** A listing as a reader saw it. */
export interface Visit extends ListingState {
  atMs: number;
}

const lastMomentMs = 8_640_000_000_000_000;

function isVisit(stored: unknown): stored is Visit {
  if (typeof stored !== 'object' || stored === null) return false;
  const { version, quarantined, deprecated, warned, atMs } = stored as Record<string, unknown>;
  const areFlags = [quarantined, deprecated, warned].every(
    (flag) => flag === undefined || typeof flag === 'boolean',
  );
  const isVersion = version === null || Number.isSafeInteger(version);
  return areFlags && isVersion && typeof atMs === 'number' && Math.abs(atMs) <= lastMomentMs;
}

/** Returns the visits in a stored value, in its order. Another version of the site may have stored them in another form. */
export function parseVisits(stored: unknown): Map<string, Visit> {
  if (typeof stored !== 'object' || stored === null) return new Map();
  return new Map(Object.entries(stored).filter((entry): entry is [string, Visit] => isVisit(entry[1])));
}

/** Describes in sentences what became of a listing since a visit. Empty if nothing did. */
export function describeChanges(before: ListingState, now: ListingState): string[] {
  const { version } = now;
  const isShownAgain = before.version === null && version !== null;
  return [
    now.quarantined && !before.quarantined ? 'The operator put it in quarantine.' : '',
    before.quarantined && !now.quarantined ? 'It is no longer in quarantine.' : '',
    before.version !== null && version === null && !now.quarantined ? 'The catalog no longer shows it.' : '',
    isShownAgain && !before.quarantined ? `The catalog shows it, at version ${version}.` : '',
    before.version !== null && version !== null && version !== before.version
      ? `It went from version ${before.version} to version ${version}.`
      : '',
    now.warned && !before.warned ? 'There is a warning about its code.' : '',
    now.deprecated && !before.deprecated ? 'Its publisher has deprecated it.' : '',
  ].filter((sentence) => sentence !== '');
}
