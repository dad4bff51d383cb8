import { announceManifests, lockManifests } from '../manifests/announce.ts';
import { judgeManifests } from '../manifests/fit.ts';
import { appendAttestations, appendVersions } from './registry/append.ts';
import { decodeRegistryEvent, type RegistryEvent } from './registry/decode.ts';
import { hasAttestations, refreshListings, touchedListings } from './registry/listings.ts';
import { rowsOf } from './registry/rows.ts';
import type { Source } from './source.ts';

/** Listings in one statement: a whole history's must not become one message to the database. */
const listingsMax = 10_000;

/** The adaptor registry: listings, their versions, and attestations (spec section 6.1). */
export const registrySource: Source<RegistryEvent> = {
  name: 'registry',

  packages: ({ registryPackageId: packageId }) => [
    { packageId, setting: 'REGISTRY_PACKAGE_ID', modules: ['registry'] },
  ],

  decode: decodeRegistryEvent,

  async append(client, network, events) {
    const { versions, attestations } = rowsOf(events);
    await appendVersions(client, network, versions);
    await appendAttestations(client, network, attestations);
  },

  async settle(client, network, { checkpoint }) {
    const touched = await touchedListings(client, network, checkpoint);
    if (touched.length > 0) await lockManifests(client, network);
    for (let i = 0; i < touched.length; i += listingsMax) {
      const part = touched.slice(i, i + listingsMax);
      const named = await refreshListings(client, network, part, checkpoint);
      const former = part.flatMap((listing) => listing.former ?? []);
      await announceManifests(client, network, named, former);
      await judgeManifests(
        client,
        network,
        'listings',
        named.map(({ hash }) => hash),
      );
    }
    return touched.length > 0 || (await hasAttestations(client, network, checkpoint));
  },
};
