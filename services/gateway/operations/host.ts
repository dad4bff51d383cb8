import { networks } from '@adaptor-marketplace/adaptor';
import { manifestLimits } from '@adaptor-marketplace/adaptor/manifest';
import type { Pool } from 'pg';
import { z } from 'zod';
import { type Confirmation, readConfirmations } from '../../../db/queries/agent/operator.ts';
import { readHostRuns, runFilters } from '../../../db/queries/agent/runs.ts';
import { listingFilters, readHostListings } from '../../../db/queries/catalog/listing.ts';
import { readManifestParts } from '../../../db/queries/catalog/manifests.ts';
import { deriveStanding, statuses } from '../../../db/queries/catalog/standing.ts';
import { readDispatchState } from '../../../db/queries/webhooks/dispatch-state.ts';
import { confirmedAdaptorBody, runsBody } from '../../../lib/agent/shapes.ts';
import type { DescribedSetting } from '../../../lib/config/describe.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { wholeNumber } from '../../../lib/http/parse.ts';
import { route } from '../../../lib/http/route.ts';
import { findChanges } from '../../../lib/manifests/changes.ts';
import { forAdmin, keyStoreProblems } from '../access/caller.ts';
import { exampleRun } from '../agent/runs.ts';
import {
  atMs,
  cursorParameter,
  dayMs,
  manifestHash,
  manifestUri,
  type NetworkChoice,
  networkParameter,
  packageId,
  publisher,
  serviceType,
} from '../openapi/parts.ts';

/** Dependencies of the operator's routes. */
export interface HostDependencies {
  db: Pool;
  choose: NetworkChoice;
  /** Settings of this process, with secrets masked. */
  settings: readonly DescribedSetting[];
}

/** Items per page if the query sets no limit. */
const pageDefault = 20;

const hostRunsQuery = z.object({
  filter: z.enum(runFilters).default('all').meta({
    description:
      '`unknown`: those that wait for the operator to settle them. `open`: those that have not ended.',
  }),
  limit: wholeNumber(100).meta({ description: `Most runs; default: ${pageDefault}.` }),
  cursor: cursorParameter,
});

const listHostRuns = route({
  method: 'get',
  path: '/api/admin/runs',
  ...forAdmin,
  query: hostRunsQuery,
  operation: {
    operationId: 'listHostRuns',
    tag: 'operator',
    summary: "List the runs of the host's agent, for all wallets",
    description: 'POST /api/agent/runs/{id}/settle ends a run in the state `unknown`.',
    response: { description: 'Newest first.', schema: runsBody },
    refusals: ['database_unavailable', ...keyStoreProblems],
    example: { query: { filter: 'all' }, answer: { count: 1, runs: [exampleRun] } },
  },
  async handler({ query: { filter, limit = pageDefault, cursor } }, { db }: HostDependencies) {
    const { items, nextCursor } = cutPage(await readHostRuns(db, { filter, limit, cursor }));
    return { count: items.length, runs: items, nextCursor };
  },
});

const hostListingsQuery = z.object({
  network: networkParameter,
  filter: z
    .enum(listingFilters)
    .default('hidden')
    .meta({
      description:
        '`hidden`: listed, and the catalog does not show them by default. `manifest`: their manifest is wrong or cannot ' +
        'be fetched.',
    }),
  limit: wholeNumber(200).meta({ description: `Most listings; default: ${pageDefault}.` }),
  cursor: cursorParameter,
});

const hostListing = z.object({
  serviceType: z.string(),
  publisher: z.string(),
  status: z.enum(statuses),
  reason: z.string().nullable().meta({ description: 'Why the catalog does not show it; null if it does.' }),
  packageId: z.string(),
  manifestUri: z.string(),
  manifestHash: z.string(),
  version: z.int().min(0),
  updatedAtMs: z.int(),
  fetchAttempts: z.int().min(0).meta({ description: 'Attempts to fetch the manifest since it was named.' }),
  nextFetchMs: z
    .int()
    .nullable()
    .meta({ description: 'When the manifest is fetched next; null: it is not.' }),
});

export const hostListingsBody = z
  .object({
    network: z.enum(networks),
    count: z.int().min(0),
    listings: z.array(hostListing),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'HostListings', description: 'In the order of service types.' });

/** Every listing with the reason why the catalog does not show it. */
const listHostListings = route({
  method: 'get',
  path: '/api/admin/listings',
  ...forAdmin,
  query: hostListingsQuery,
  operation: {
    operationId: 'listHostListings',
    tag: 'operator',
    summary: 'List the listings that the catalog does not show, with the reasons',
    response: { description: 'A page of listings.', schema: hostListingsBody },
    refusals: ['network_not_configured', 'database_unavailable', ...keyStoreProblems],
    example: {
      query: { filter: 'manifest' },
      answer: {
        network: 'testnet',
        count: 1,
        listings: [
          {
            serviceType,
            publisher,
            status: 'manifest_unreachable',
            reason: 'The manifest cannot be fetched: HTTP 404. The indexer tries again.',
            packageId,
            manifestUri,
            manifestHash,
            version: 1,
            updatedAtMs: atMs,
            fetchAttempts: 3,
            nextFetchMs: atMs + 60_000,
          },
        ],
      },
    },
  },
  async handler({ query }, { db, choose }: HostDependencies) {
    const network = choose(query.network);
    const { filter, limit = pageDefault, cursor } = query;
    const { items, nextCursor } = cutPage(await readHostListings(db, { network, filter, limit, cursor }));
    const listings = items.map((listing) => {
      const { serviceType, publisher, packageId, manifestUri, manifestHash, version, updatedAtMs } = listing;
      const { fetchAttempts, nextFetchMs } = listing;
      return {
        serviceType,
        publisher,
        ...deriveStanding(listing),
        packageId,
        manifestUri,
        manifestHash,
        version,
        updatedAtMs,
        fetchAttempts,
        nextFetchMs,
      };
    });
    return { network, count: listings.length, listings, nextCursor };
  },
});

/**
 * Most bytes of two manifests that are compared. PostgreSQL writes JSON with spaces and numbers without exponents, so it
 * is longer than what was published.
 */
const comparedBytesMax = 4 * manifestLimits.bytesMax;

/** Highest number of changes of one adaptor in a response. */
const changesMax = 60;

const shownVersion = z.object({
  name: z.string(),
  publisher: z.string(),
  packageId: z.string(),
  manifestHash: z.string(),
  version: z.int().min(0),
  updatedMs: z.int(),
});

export const confirmationsBody = z
  .object({
    count: z.int().min(0),
    confirmations: z.array(
      z.object({
        confirmed: confirmedAdaptorBody,
        shown: shownVersion
          .nullable()
          .meta({ description: 'What the catalog shows for the service type now. Null: nothing.' }),
        state: z.enum(['confirmed', 'changed', 'not_shown']).meta({
          description:
            '`changed`: the listing was updated since, so the confirmation is suspended until you confirm what is shown.',
        }),
        changes: z.array(z.object({ path: z.string(), before: z.unknown(), after: z.unknown() })).meta({
          description: `What differs, field by field: at most ${changesMax}. Manifests whose JSON exceeds ${comparedBytesMax / 1024 / 1024} MiB together are compared by their hash alone.`,
        }),
      }),
    ),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'HostConfirmations', description: 'By network and service type.' });

/** Reads the manifests of one confirmation at a time: a page of the largest has 50 MB of them. */
async function compareConfirmation(db: Pool, { confirmed, shown }: Confirmation) {
  if (!shown) return { confirmed, shown, state: 'not_shown', changes: [] };
  const changes = [...findChanges(pickVersion(confirmed), pickVersion(shown), '')];
  if (confirmed.manifestHash !== shown.manifestHash) {
    const hashes = [confirmed.manifestHash, shown.manifestHash];
    const [before, after] = await readManifestParts(db, 'whole', hashes, comparedBytesMax);
    if (before !== undefined && after !== undefined) {
      const manifestChanges = findChanges(JSON.parse(before), JSON.parse(after), 'manifest');
      changes.push(...manifestChanges.take(changesMax - changes.length));
    }
  }
  return { confirmed, shown, state: changes.length === 0 ? 'confirmed' : 'changed', changes };
}

/** Picks the fields that a confirmation covers. An update of any of them suspends it. */
const pickVersion = ({
  publisher,
  packageId,
  manifestHash,
}: Pick<Confirmation['confirmed'], 'publisher' | 'packageId' | 'manifestHash'>) => ({
  publisher,
  packageId,
  manifestHash,
});

const exampleAdaptor = { network: 'testnet', serviceType, publisher, packageId };

/** Confirmed adaptors with the updates that wait for another confirmation. */
const listHostConfirmations = route({
  method: 'get',
  path: '/api/admin/confirmations',
  ...forAdmin,
  query: z.object({
    limit: wholeNumber(100).meta({ description: `Most adaptors; default: ${pageDefault}.` }),
    cursor: cursorParameter,
  }),
  operation: {
    operationId: 'listHostConfirmations',
    tag: 'operator',
    summary: 'List the confirmed adaptors with what changed since',
    description: 'POST /api/agent/adaptors confirms the version that is shown.',
    response: { description: 'A page of adaptors.', schema: confirmationsBody },
    refusals: ['database_unavailable', ...keyStoreProblems],
    example: {
      answer: {
        count: 1,
        confirmations: [
          {
            confirmed: { ...exampleAdaptor, version: 1, manifestHash, confirmedMs: atMs },
            shown: {
              name: 'Tip Jar',
              publisher,
              packageId,
              manifestHash: manifestHash.replaceAll('5', '6'),
              version: 2,
              updatedMs: atMs + dayMs,
            },
            state: 'changed',
            changes: [{ path: 'manifest.feeBps', before: 10, after: 30 }],
          },
        ],
      },
    },
  },
  async handler({ query: { limit = pageDefault, cursor } }, { db }: HostDependencies) {
    const read = await readConfirmations(db, { limit, cursor });
    const bodies = [];
    for (const confirmation of read.items) bodies.push(await compareConfirmation(db, confirmation));
    const { items, nextCursor } = cutPage({ ...read, items: bodies });
    return { count: items.length, confirmations: items, nextCursor };
  },
});

const count = z.int().min(0);
const instant = z.int().nullable();

export const dispatcherBody = z
  .object({
    heads: z.record(z.string(), count.nullable()).meta({
      description: 'By network: checkpoint of the last registry event that is indexed.',
    }),
    subscriptions: z.object({
      known: count,
      leased: count.meta({ description: 'A dispatcher works for them now.' }),
      held: count.meta({ description: 'Their receivers are overloaded: first attempts wait.' }),
      failing: count.meta({ description: 'Every attempt since the last success failed.' }),
      missing: count.meta({ description: 'The key-value store has lost them.' }),
    }),
    lastTakenMs: instant.meta({ description: 'When a dispatcher last began to send. Null: never.' }),
    retries: z.object({
      waiting: count.meta({ description: 'Deliveries that are sent again.' }),
      overdue: count.meta({ description: 'Of these, due for more than a minute: no dispatcher keeps up.' }),
      oldestDueMs: instant,
    }),
  })
  .meta({ id: 'DispatcherState' });

/** State of the webhook dispatchers of this service, over all processes. */
const getDispatcher = route({
  method: 'get',
  path: '/api/admin/dispatcher',
  ...forAdmin,
  operation: {
    operationId: 'getDispatcher',
    tag: 'operator',
    summary: 'Get how the webhook dispatchers fare',
    description: 'With the admin secret, GET /api/adaptors/webhooks lists each webhook with its backlog.',
    response: { description: 'Counts of all dispatchers together.', schema: dispatcherBody },
    refusals: ['database_unavailable', ...keyStoreProblems],
    example: {
      answer: {
        heads: { testnet: 2041 },
        subscriptions: { known: 3, leased: 1, held: 0, failing: 0, missing: 0 },
        lastTakenMs: atMs,
        retries: { waiting: 0, overdue: 0, oldestDueMs: null },
      },
    },
  },
  async handler(_request, { db }: HostDependencies) {
    return await readDispatchState(db);
  },
});

export const settingsBody = z
  .object({
    count: z.int().min(0),
    settings: z.array(
      z.object({
        name: z.string(),
        isSet: z.boolean().meta({ description: 'False: the default is in force.' }),
        value: z.string().meta({
          description:
            '`[masked]` for what may be a secret; of urls of providers, scheme and host. Empty: none.',
        }),
        meaning: z.string(),
      }),
    ),
  })
  .meta({ id: 'HostSettings' });

/** Settings that the gateway was started with. */
const listSettings = route({
  method: 'get',
  path: '/api/admin/settings',
  ...forAdmin,
  operation: {
    operationId: 'listSettings',
    tag: 'operator',
    summary: 'List the settings in force, without secrets',
    description: 'Those of the process that answers. Roles in other processes may have others.',
    response: { description: 'All settings.', schema: settingsBody },
    refusals: keyStoreProblems,
    example: {
      answer: {
        count: 1,
        settings: [{ name: 'TRUST_PROXY', isSet: true, value: '1', meaning: 'Number of proxies.' }],
      },
    },
  },
  async handler(_request, { settings }: HostDependencies) {
    return { count: settings.length, settings };
  },
});

/** Routes for the operator. */
export const hostRoutes = [
  listHostRuns,
  listHostListings,
  listHostConfirmations,
  getDispatcher,
  listSettings,
];
