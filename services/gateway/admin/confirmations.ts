import type { Pool } from 'pg';
import { z } from 'zod';
import { type Confirmation, readConfirmations } from '../../../db/queries/agent/operator.ts';
import { confirmedAdaptorBody } from '../../../lib/agent/shapes.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { route } from '../../../lib/http/route.ts';
import { changesBetween } from '../../../lib/manifests/changes.ts';
import { forAdmin, keyStoreProblems } from '../access/caller.ts';
import {
  atMs,
  cursorParameter,
  dayMs,
  manifestHash,
  packageId,
  publisher,
  serviceType,
  wholeNumber,
} from '../openapi/parts.ts';

const pageDefault = 20;
/** Changes of one adaptor in an answer. */
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
        changes: z
          .array(z.object({ path: z.string(), before: z.unknown(), after: z.unknown() }))
          .meta({ description: `What differs, field by field: at most ${changesMax}.` }),
      }),
    ),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'HostConfirmations', description: 'By network and service type.' });

function viewOf({ confirmed, shown, manifests }: Confirmation) {
  if (!shown) return { confirmed, shown, state: 'not_shown', changes: [] };
  const changes = [...changesBetween(versionOf(confirmed), versionOf(shown), '')];
  if (manifests) {
    const found = changesBetween(manifests.before, manifests.after, 'manifest');
    changes.push(...found.take(changesMax - changes.length));
  }
  return { confirmed, shown, state: changes.length === 0 ? 'confirmed' : 'changed', changes };
}

/** What a confirmation is for: an update of any of them suspends it. */
const versionOf = (of: Pick<Confirmation['confirmed'], 'publisher' | 'packageId' | 'manifestHash'>) => ({
  ...{ publisher: of.publisher, packageId: of.packageId, manifestHash: of.manifestHash },
});

const example = { network: 'testnet', serviceType, publisher, packageId };

/** Confirmed adaptors with the updates that wait for another confirmation. */
export const listHostConfirmations = route({
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
    refusals: ['bad_cursor', 'database_unavailable', ...keyStoreProblems],
    example: {
      answer: {
        count: 1,
        confirmations: [
          {
            confirmed: { ...example, manifestHash, confirmedMs: atMs },
            shown: {
              ...{ name: 'Tip Jar', publisher, packageId, manifestHash: manifestHash.replaceAll('5', '6') },
              ...{ version: 2, updatedMs: atMs + dayMs },
            },
            state: 'changed',
            changes: [{ path: 'manifest.feeBps', before: 10, after: 30 }],
          },
        ],
      },
    },
  },
  async handler({ query: { limit = pageDefault, cursor } }, { db }: { db: Pool }) {
    const read = await readConfirmations(db, { limit, cursor });
    const page = cutPage({ ...read, items: read.items.map(viewOf) });
    const nextCursor = page.hasMore ? page.cursors.at(-1) : undefined;
    return { count: page.items.length, confirmations: page.items, nextCursor };
  },
});
