import { parseServiceType } from '@adaptor-marketplace/adaptor';
import { foldReviews } from '../../../db/queries/catalog/fold-reviews.ts';
import {
  appendAttestations,
  appendVersions,
  hasAttestations,
  type NewAttestation,
  type NewVersion,
  readTouchedListings,
  refreshListings,
} from '../../../db/queries/catalog/listings.ts';
import { refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import { addRatingDays } from '../../../db/queries/catalog/rating-days.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import { announceManifests, lockManifests } from '../../../db/queries/manifests.ts';
import { endOfChain } from '../../../db/queries/sources.ts';
import { type RegistryEvents, registryEvents } from '../../../lib/chain/events/registry.ts';
import { judgeManifests } from '../manifests/fit.ts';
import { type ChainEvent, type DecodedEvent, decodeForStorage, type Source } from './source.ts';

type RegistryEvent = DecodedEvent<RegistryEvents>;

/** Maximum number of listings in one statement: a whole history must not become one message to the database. */
const listingsMax = 10_000;

function splitIntoChunks<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** The adaptor registry: listings, their versions, and attestations (spec section 6.1). */
export const registrySource: Source<RegistryEvent> = {
  name: 'registry',

  packages: ({ registryPackageId: packageId }) => [
    { packageId, setting: 'REGISTRY_PACKAGE_ID', modules: ['registry'] },
  ],

  decode: (path, contents) => decodeForStorage(registryEvents, path.replace(/^registry::/, ''), contents),

  async append(client, network, events) {
    const { versions, attestations } = toRows(events);
    await appendVersions(client, network, versions);
    await appendAttestations(client, network, attestations);
  },

  settledTables: ['listing_versions', 'attestations'],

  async settle(client, network, from, before = endOfChain) {
    const { checkpoint } = from;
    const touched = await readTouchedListings(client, network, checkpoint, before);
    if (touched.length > 0) await lockManifests(client, network);
    const parts = splitIntoChunks(touched, listingsMax);
    for (const part of parts) {
      const named = await refreshListings(client, network, part, checkpoint);
      const former = part.flatMap((listing) => listing.former ?? []);
      await announceManifests(client, network, named, former);
      const keys = part.map(({ serviceType: type, publisher }) => ({ type, publisher }));
      await judgeManifests(client, network, 'listings', keys);
    }
    const isReviewed = await hasAttestations(client, network, checkpoint, before);
    if (touched.length === 0 && !isReviewed) return;
    if (isReviewed) await addRatingDays(client, network, from, before);
    const catalog = await lockCatalog(client, network);
    for (const part of parts) await refreshEntries(client, catalog, part);
    if (isReviewed) await foldReviews(client, catalog, checkpoint, before);
  },
};

/** Returns the rows that events in chain order add to the registry's tables. */
function toRows(events: readonly ChainEvent<RegistryEvent>[]) {
  const versions: NewVersion[] = [];
  const attestations: NewAttestation[] = [];
  const lastVersions = new Map<string, number>();
  const names = new Map<string, ReturnType<typeof parseServiceType>>();
  for (const event of events) {
    const { data } = event;
    if (!data) continue;
    const name = names.get(data.fields.serviceType) ?? parseServiceType(data.fields.serviceType);
    names.set(data.fields.serviceType, name);
    const [serviceType, nameError] =
      'error' in name ? [data.fields.serviceType, name.error] : [name.canonical, undefined];
    if (data.name === 'Attested') {
      const { attester, score, commentUri } = data.fields;
      attestations.push({ at: event, serviceType, attester, score, commentUri });
      continue;
    }
    const { publisher } = data.fields;
    const content = data.name === 'Unlisted' ? undefined : data.fields;
    const key = `${publisher} ${serviceType}`;
    // An unlisting event of another registry package has no version.
    const version = data.fields.version ?? lastVersions.get(key);
    if (version !== undefined) lastVersions.set(key, version);
    versions.push({ at: event, serviceType, nameError, publisher, version, content });
  }
  return { versions, attestations };
}
