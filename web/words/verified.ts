import type { State } from '../components/marks.ts';

/** Hashes of a manifest. */
interface Hashes {
  /** Hash that the page shows. */
  shown: string;
  /** Hash that the browser computed from the manifest of the listing. */
  computed: string;
  /** Hash of the listing now. It may have been updated since the page was made. */
  current: string;
}

export function describeVerification({ shown, computed, current }: Hashes): [words: string, state: State] {
  if (computed === shown) return ['This browser computed the same hash from the manifest.', 'good'];
  if (computed === current)
    return ['The listing was updated since this page was made. Reload it, and verify again.', 'caution'];
  return [`This browser computed another hash: ${computed}. Do not trust this page.`, 'danger'];
}
