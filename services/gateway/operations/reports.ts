import { networks } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { z } from 'zod';
import { readListingStandings } from '../../../db/queries/catalog/listing.ts';
import { addReport, dismissReports, listReports, reportsMax } from '../../../db/queries/catalog/reports.ts';
import { reportCategories } from '../../../db/schema/reports.ts';
import { problem } from '../../../lib/errors/index.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { wholeNumber } from '../../../lib/http/parse.ts';
import { route } from '../../../lib/http/route.ts';
import { forAdmin, getCallerAddress, getCallerSubnet, keyStoreProblems } from '../access/caller.ts';
import {
  addressParameter,
  atMs,
  cursorParameter,
  type NetworkChoice,
  networkField,
  networkParameter,
  publisher,
  serviceType,
  serviceTypeParameter,
} from '../openapi/parts.ts';
import type { SiteDependencies } from '../pages/site.ts';

interface ReportDependencies {
  db: Pool;
  choose: NetworkChoice;
}

const pageDefault = 20;
const listedMax = 100;
const wordsMax = 1_000;

const category = z.enum(reportCategories).meta({
  description:
    '`malicious`: it harms wallets. `misleading`: it does not do what it says, or imitates another. `broken`: it does ' +
    'not work.',
});

const newReport = z
  .strictObject({
    network: networkField,
    serviceType: serviceTypeParameter.meta({ description: 'Service type of the listing.' }),
    publisher: addressParameter
      .optional()
      .meta({ description: 'Publisher of the listing. Default: of the one that the catalog shows.' }),
    category,
    words: z
      .string()
      .trim()
      .min(1)
      .max(wordsMax)
      .regex(/^[^\p{Cs}\0]*$/u, 'expected well-formed Unicode without U+0000')
      .meta({ description: 'What is wrong, in words. Only the operator reads them.' }),
  })
  .meta({ id: 'NewReport' });

const subject = { serviceType, publisher };
const words = 'It asks for an unlimited grant and takes more than its page says.';

/** Details of the problem `too_many_reports`, by the bound that is reached. */
const boundDetails = {
  listing: `The operator has ${reportsMax.listing} reports about this listing to read. They know of it.`,
  subnetOfListing: `The operator has ${reportsMax.subnetOfListing} reports about this listing from your subnet to read. They know of it.`,
  subnet: `The operator has ${reportsMax.subnet} reports from your subnet to read. Wait until they have read some.`,
};

const create = route({
  method: 'post',
  path: '/api/adaptors/reports',
  body: newReport,
  operation: {
    operationId: 'createReport',
    tag: 'catalog',
    summary: 'Report a listing to the operator',
    description:
      'The operator of this host reads it. A second report from one address about one listing replaces the first. The service ' +
      'stores no address, but digests of it and of its subnet that only this host can make.',
    response: { description: 'Stored.' },
    refusals: ['network_not_configured', 'listing_not_found', 'too_many_reports', 'database_unavailable'],
    example: { request: { ...subject, category: 'malicious', words } },
  },
  async handler({ exchange, body }, { db, choose, site }: ReportDependencies & SiteDependencies) {
    const network = choose(body.network);
    const [listing] = await readListingStandings(db, [{ ...body, network }]);
    const { req } = exchange;
    const sender = {
      address: getCallerAddress(req, site.trustProxy),
      subnet: getCallerSubnet(req, site.trustProxy),
    };
    const result = listing
      ? await addReport(db, { ...body, network, publisher: listing.publisher, ...sender })
      : 'unknown';
    if (result === 'unknown')
      throw problem('listing_not_found', `No such listing of ${body.serviceType} on ${network}.`);
    if (result !== 'stored') throw problem('too_many_reports', boundDetails[result]);
  },
});

const report = z
  .object({
    id: z.int(),
    network: z.enum(networks),
    serviceType: z.string(),
    publisher: z.string(),
    category,
    words: z.string().meta({ description: 'Words of a stranger.' }),
    sentAtMs: z.int(),
  })
  .meta({ id: 'Report' });

const reportsBody = z
  .object({
    network: z.enum(networks),
    count: z.int().min(0),
    reports: z.array(report),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'Reports', description: 'Newest first.' });

const list = route({
  method: 'get',
  path: '/api/admin/reports',
  ...forAdmin,
  query: z.object({
    network: networkParameter,
    limit: wholeNumber(listedMax).meta({ description: `Most reports; default: ${pageDefault}.` }),
    cursor: cursorParameter,
  }),
  operation: {
    operationId: 'listReports',
    tag: 'operator',
    summary: 'List the reports of readers about listings',
    response: { description: 'A page of the reports that were not dismissed.', schema: reportsBody },
    refusals: ['network_not_configured', 'database_unavailable', ...keyStoreProblems],
    example: {
      answer: {
        network: 'testnet',
        count: 1,
        reports: [{ id: 7, network: 'testnet', ...subject, category: 'malicious', words, sentAtMs: atMs }],
      },
    },
  },
  async handler({ query }, { db, choose }: ReportDependencies) {
    const { limit = pageDefault, cursor } = query;
    const network = choose(query.network);
    const { items, nextCursor } = cutPage(await listReports(db, { network, limit, cursor }));
    return { network, count: items.length, reports: items, nextCursor };
  },
});

const dismiss = route({
  method: 'post',
  path: '/api/admin/reports/dismiss',
  ...forAdmin,
  body: z
    .strictObject({
      ids: z.array(z.int().positive()).min(1).max(listedMax).meta({
        description:
          'Ids of reports that you have read. A report that was changed since has another id, and stays.',
      }),
    })
    .meta({ id: 'ReportDismissal' }),
  operation: {
    operationId: 'removeReports',
    tag: 'operator',
    summary: 'Delete reports that you have read',
    response: {
      description: 'The number of deleted reports.',
      schema: z.object({ dismissed: z.int().min(0) }).meta({ id: 'DismissedReports' }),
    },
    refusals: ['database_unavailable', ...keyStoreProblems],
    example: { request: { ids: [7] }, answer: { dismissed: 1 } },
  },
  async handler({ body: { ids } }, { db }: ReportDependencies) {
    return { dismissed: await dismissReports(db, ids) };
  },
});

/** Routes with which readers report listings, and the operator reads the reports. */
export const reportRoutes = [create, list, dismiss];
