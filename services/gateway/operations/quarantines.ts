import { networks, normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { z } from 'zod';
import {
  listQuarantines,
  quarantine,
  quarantineFilters,
  release,
} from '../../../db/queries/catalog/quarantines.ts';
import { problem } from '../../../lib/errors/index.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { wholeNumber } from '../../../lib/http/parse.ts';
import { route } from '../../../lib/http/route.ts';
import { forAdmin, keyStoreProblems } from '../access/caller.ts';
import {
  atMs,
  cursorParameter,
  dayMs,
  type NetworkChoice,
  networkParameter,
  serviceType,
} from '../openapi/parts.ts';
import { lineOfText, operatorName } from './decision.ts';

interface QuarantineDependencies {
  db: Pool;
  choose: NetworkChoice;
}

/** Quarantines per page if the query sets no limit. */
const pageDefault = 20;

/** Parses a subject into the form of the record. Returns undefined for any other text. */
function parseSubject(text: string): string | undefined {
  if (/^0x[0-9a-fA-F]{1,64}$/.test(text)) return normalizeAddress(text) ?? undefined;
  const parsed = parseServiceType(text);
  return 'canonical' in parsed ? parsed.canonical : undefined;
}

const decision = z
  .strictObject({
    network: networkParameter,
    subject: z
      .string()
      .max(512)
      .transform((given, context) => {
        const subject = parseSubject(given);
        if (subject !== undefined) return subject;
        context.addIssue('expected a service type, or the address of a publisher');
        return z.NEVER;
      })
      .meta({
        description:
          'A service type, which hides its listings, or the address of a publisher, which hides all of theirs.',
      }),
    reason: lineOfText(500).meta({
      description: 'Why, in words. Everyone can read the reason of a quarantine.',
    }),
    operator: operatorName,
  })
  .meta({ id: 'QuarantineDecision' });

const releaseDecision = decision
  .extend({
    id: z.int().positive().optional().meta({
      description:
        'Id of the quarantine that you decided on. If another one is in force, nothing ends. Absent: the one in force ends.',
    }),
  })
  .meta({ id: 'QuarantineRelease' });

const record = z
  .object({
    id: z.int(),
    network: z.enum(networks),
    subject: z.string().meta({ description: 'A service type, or the address of a publisher.' }),
    reason: z.string(),
    operator: z.string(),
    sinceMs: z.int(),
    released: z
      .object({ reason: z.string(), operator: z.string(), atMs: z.int() })
      .nullable()
      .meta({ description: 'The release that ended it. Null: it is in force.' }),
  })
  .meta({ id: 'QuarantineRecord' });

export const quarantinesBody = z
  .object({
    network: z.enum(networks),
    count: z.int().min(0),
    quarantines: z.array(record),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'Quarantines', description: 'Newest first.' });

const request = {
  network: 'testnet',
  subject: serviceType,
  reason: 'The package drains the grants of its users.',
  operator: 'Ada',
};
const example = { id: 7, ...request, sinceMs: atMs, released: null };
const refusals = ['network_not_configured', 'database_unavailable', ...keyStoreProblems] as const;

const list = route({
  method: 'get',
  path: '/api/admin/quarantines',
  ...forAdmin,
  query: z.object({
    network: networkParameter,
    filter: z.enum(quarantineFilters).default('active').meta({
      description: '`active`: in force. `all`: also those that were released.',
    }),
    limit: wholeNumber(100).meta({ description: `Most quarantines; default: ${pageDefault}.` }),
    cursor: cursorParameter,
  }),
  operation: {
    operationId: 'listQuarantines',
    tag: 'operator',
    summary: 'List the quarantines of listings and publishers',
    response: { description: 'A page of the record.', schema: quarantinesBody },
    refusals,
    example: { answer: { network: 'testnet', count: 1, quarantines: [example] } },
  },
  async handler({ query }, { db, choose }: QuarantineDependencies) {
    const { filter, limit = pageDefault, cursor } = query;
    const network = choose(query.network);
    const { items, nextCursor } = cutPage(await listQuarantines(db, { network, filter, limit, cursor }));
    return { network, count: items.length, quarantines: items, nextCursor };
  },
});

const begin = route({
  method: 'post',
  path: '/api/admin/quarantines',
  ...forAdmin,
  body: decision,
  operation: {
    operationId: 'createQuarantine',
    tag: 'operator',
    summary: 'Hide a listing, or all listings of a publisher',
    description:
      'The catalog, the graph and the tools leave its entries out, and the agent signs nothing that calls them, also ' +
      'for runs that are being prepared. A transaction that is signed already is settled. The address of the listing ' +
      'stays readable and says why. The chain does not change: owners can revoke their grants, and others can still ' +
      'call the package.',
    response: { description: 'The quarantine.', schema: record },
    refusals: ['listing_not_found', 'already_quarantined', ...refusals],
    example: { request, answer: example },
  },
  async handler({ body }, { db, choose }: QuarantineDependencies) {
    const { subject } = body;
    const network = choose(body.network);
    const result = await quarantine(db, { ...body, network });
    if (result.kind === 'quarantined') return result.record;
    if (result.kind === 'unknown')
      throw problem('listing_not_found', `No listing is of ${subject} or by it on ${network}.`);
    const since = result.since.toISOString();
    throw problem(
      'already_quarantined',
      `${subject} is in quarantine on ${network} since ${since} (${result.reason}). Release it first to record another reason.`,
    );
  },
});

const end = route({
  method: 'post',
  path: '/api/admin/quarantines/release',
  ...forAdmin,
  body: releaseDecision,
  operation: {
    operationId: 'endQuarantine',
    tag: 'operator',
    summary: 'End the quarantine of a listing or a publisher',
    description: 'Its listings are shown again as their checks allow.',
    response: { description: 'The quarantine with its release.', schema: record },
    refusals: ['quarantine_not_found', 'quarantine_changed', ...refusals],
    example: {
      request: { ...request, reason: 'The publisher fixed it.', id: example.id },
      answer: {
        ...example,
        released: { reason: 'The publisher fixed it.', operator: 'Ada', atMs: atMs + dayMs },
      },
    },
  },
  async handler({ body }, { db, choose }: QuarantineDependencies) {
    const network = choose(body.network);
    const result = await release(db, { ...body, network });
    if (result.kind === 'released') return result.record;
    if (result.kind === 'changed')
      throw problem(
        'quarantine_changed',
        `${body.subject} is in quarantine ${result.id} on ${network} (${result.reason}), and not in quarantine ${body.id}. Nothing ended. Read the list again, and decide on that one.`,
      );
    throw problem(
      'quarantine_not_found',
      `${body.subject} is not in quarantine on ${network}. GET /api/admin/quarantines lists the quarantines.`,
    );
  },
});

/** Routes with which the operator hides listings and publishers, and releases them. */
export const quarantineRoutes = [list, begin, end];
