import { normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import type { Watched } from './watched.ts';

/** An event of the registry or of the service, as the streams send it. */
export interface StreamedEvent {
  network: string;
  event: string;
  data: { serviceType?: unknown; publisher?: unknown } | null;
  id: string;
}

/** Events of which a browser notifies its reader, with what they say of a listing. */
export const notices: Readonly<Record<string, string>> = {
  Registered: 'was listed',
  Updated: 'has a new version',
  Unlisted: 'was unlisted',
  Quarantined: 'is in quarantine: do not grant to it',
  QuarantineLifted: 'is no longer in quarantine',
  PublisherVerified: 'has a verified publisher, and is in the catalog',
  ClaimsWidened: 'has a new version whose code may do more',
  Degraded: 'has operations that fail in simulations',
  Recovered: 'works again in simulations',
};

/** Returns the canonical form of a service type or an address; undefined for anything else. */
function canonical(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const type = parseServiceType(value);
  return 'error' in type ? normalizeAddress(value) : type.canonical;
}

/**
 * Finds what an event is about. A quarantine of a service type has no publisher, and one of a publisher has no service
 * type: each concerns all listings that it covers.
 */
export function findConcerned(
  { network, event, data }: StreamedEvent,
  watched: readonly Watched[],
): Watched | undefined {
  if (!Object.hasOwn(notices, event)) return undefined;
  const [type, publisher] = [canonical(data?.serviceType), canonical(data?.publisher)];
  return watched.find(
    (one) =>
      one.network === network &&
      (publisher === undefined || publisher === one.publisher) &&
      (type === undefined
        ? publisher !== undefined
        : one.serviceType === type || (one.serviceType === undefined && publisher !== undefined)),
  );
}
