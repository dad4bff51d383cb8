import type { ListingState } from '../components/since.ts';

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
