import { ask } from '../../../lib/chain/answers.ts';
import { callOptions } from '../../../lib/chain/client.ts';
import { normalizeAddress } from '../../../lib/chain/names.ts';
import { FatalError } from '../../../lib/errors/index.ts';
import { judgeManifests } from '../checks/manifest-fit.ts';
import type { Source } from '../source.ts';
import { appendAttestations, appendVersions } from './append.ts';
import { decodeForStorage, type RegistryEvent } from './decode.ts';
import { refreshListings, touchedListings } from './listings.ts';
import { announceManifests } from './manifests.ts';
import { rowsOf } from './rows.ts';

const timeoutMs = 10_000;
const moduleName = 'registry';
/** A node refuses filters with more literals. */
const literalsMax = 10;
/** Listings in one statement: a whole history's must not become one message to the database. */
const listingsMax = 10_000;

/** The adaptor registry: listings, their versions, and attestations (spec section 6.1). */
export const registrySource: Source<RegistryEvent> = {
  name: 'registry',

  async eventTypes({ movePackageService }, { registryPackageId: packageId, network }) {
    const { response } = await movePackageService.getPackage({ packageId }, callOptions(timeoutMs));
    const origins = (response.package?.typeOrigins ?? []).filter(
      (origin) => origin.moduleName === moduleName,
    );
    const definingIds = new Set(origins.map((origin) => normalizeAddress(origin.packageId ?? '') ?? ''));
    if (definingIds.size === 0 || definingIds.has('')) {
      const setting = `${network.toUpperCase()}_REGISTRY_PACKAGE_ID`;
      throw new FatalError('bad_settings', `${setting}: package ${packageId} has no module ${moduleName}.`);
    }
    if (definingIds.size > literalsMax) {
      throw new FatalError(
        'filter_too_large',
        `The types of ${packageId} come from ${definingIds.size} packages, and a node filters by ${literalsMax}.`,
      );
    }
    return [...definingIds].sort().map((id) => `${id}::${moduleName}`);
  },

  async firstCheckpoint({ ledgerService }, { registryPackageId: objectId }) {
    const pkg = await ask(
      ledgerService.getObject(
        { objectId, readMask: { paths: ['previous_transaction'] } },
        callOptions(timeoutMs),
      ),
    );
    const digest = pkg.status === 'found' ? pkg.value.object?.previousTransaction : undefined;
    if (!digest) return 0;
    const readMask = { paths: ['checkpoint'] };
    const published = await ask(ledgerService.getTransaction({ digest, readMask }, callOptions(timeoutMs)));
    return published.status === 'found' ? Number(published.value.transaction?.checkpoint ?? 0n) : 0;
  },

  decode: decodeForStorage,

  async append(client, network, events) {
    const { versions, attestations } = rowsOf(events);
    await appendVersions(client, network, versions);
    await appendAttestations(client, network, attestations);
    return versions.length + attestations.length > 0;
  },

  async settle(client, network, from) {
    const touched = await touchedListings(client, network, from);
    for (let i = 0; i < touched.length; i += listingsMax) {
      const part = touched.slice(i, i + listingsMax);
      const hashes = await refreshListings(client, network, part, from);
      await announceManifests(client, network, part);
      await judgeManifests(client, network, hashes);
    }
  },
};
