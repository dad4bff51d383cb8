import { ask } from '../../../lib/chain/answers.ts';
import { callOptions } from '../../../lib/chain/client.ts';
import { normalizeAddress } from '../../../lib/chain/names.ts';
import { FatalError } from '../../../lib/errors/index.ts';
import type { Source } from '../source.ts';
import { applyRegistryFold } from './apply.ts';
import { decodeForStorage, type RegistryEvent } from './decode.ts';
import { foldRegistry } from './fold.ts';
import { announceManifests, namedManifests, settleManifests } from './manifests.ts';

const timeoutMs = 10_000;
const moduleName = 'registry';
/** A node refuses filters with more literals. */
const literalsMax = 10;

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

  settle: settleManifests,

  async fold(client, network, events, mode) {
    const fold = foldRegistry(events);
    const each = mode === 'each' && fold.listings.length > 0;
    const former = each ? await namedManifests(client, network, fold.listings) : [];
    await applyRegistryFold(client, network, fold);
    if (each) await announceManifests(client, network, fold.listings, former);
    return { catalogChanged: fold.listings.length > 0 || fold.attestations.length > 0 };
  },
};
