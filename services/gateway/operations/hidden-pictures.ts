import { canonicalType, networks, normalizeAddress } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { z } from 'zod';
import { hidePicture, listHiddenPictures, showPicture } from '../../../db/queries/hidden-pictures.ts';
import { problem } from '../../../lib/errors/index.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { wholeNumber } from '../../../lib/http/parse.ts';
import { route } from '../../../lib/http/route.ts';
import { forAdmin, keyStoreProblems } from '../access/caller.ts';
import { atMs, cursorParameter, type NetworkChoice, networkParameter, publisher } from '../openapi/parts.ts';
import { lineOfText, operatorName } from './decision.ts';

interface PictureDependencies {
  db: Pool;
  choose: NetworkChoice;
}

/** Hidden pictures per page if the query sets no limit. */
const pageDefault = 20;

const subject = z
  .string()
  .max(1_000)
  .transform((given, context) => {
    const canonical = given.includes('::') ? canonicalType(given) : normalizeAddress(given);
    if (canonical) return canonical;
    context.addIssue('expected a coin type, or the address of a publisher');
    return z.NEVER;
  })
  .meta({ description: 'A coin type, for its logo, or the address of a publisher, for its icon.' });

const shownAgain = z
  .strictObject({ network: networkParameter, subject })
  .meta({ id: 'HiddenPictureSubject' });

const decision = shownAgain
  .extend({
    reason: lineOfText(500).meta({ description: 'Why, for other operators.' }),
    operator: operatorName,
  })
  .meta({ id: 'HiddenPictureDecision' });

const record = z
  .object({
    id: z.int(),
    network: z.enum(networks),
    subject: z.string().meta({ description: 'A coin type, or the address of a publisher.' }),
    url: z.string().meta({ description: 'Url of the picture when it was hidden.' }),
    reason: z.string(),
    operator: z.string(),
    sinceMs: z.int(),
  })
  .meta({ id: 'HiddenPicture' });

const request = {
  network: 'testnet',
  subject: publisher,
  reason: 'It shows the mark of a bank.',
  operator: 'Ada',
};
const example = { id: 3, ...request, url: 'https://reef.example/icon.png', sinceMs: atMs };
const refusals = ['network_not_configured', 'database_unavailable', ...keyStoreProblems] as const;

const list = route({
  method: 'get',
  path: '/api/admin/hidden-pictures',
  ...forAdmin,
  query: z.object({
    network: networkParameter,
    limit: wholeNumber(100).meta({ description: `Most pictures; default: ${pageDefault}.` }),
    cursor: cursorParameter,
  }),
  operation: {
    operationId: 'listHiddenPictures',
    tag: 'operator',
    summary: 'List the pictures that operators hid',
    response: {
      description: 'A page of the hidden pictures.',
      schema: z
        .object({
          network: z.enum(networks),
          count: z.int().min(0),
          pictures: z.array(record),
          nextCursor: z.string().optional(),
        })
        .meta({ id: 'HiddenPictures', description: 'Newest first.' }),
    },
    refusals,
    example: { answer: { network: 'testnet', count: 1, pictures: [example] } },
  },
  async handler({ query }, { db, choose }: PictureDependencies) {
    const { limit = pageDefault, cursor } = query;
    const network = choose(query.network);
    const { items, nextCursor } = cutPage(await listHiddenPictures(db, { network, limit, cursor }));
    return { network, count: items.length, pictures: items, nextCursor };
  },
});

const hide = route({
  method: 'post',
  path: '/api/admin/hidden-pictures',
  ...forAdmin,
  body: decision,
  operation: {
    operationId: 'createHiddenPicture',
    tag: 'operator',
    summary: 'Hide the logo of a coin, or the icon of a publisher',
    description:
      'The pages, the graph and the picture itself leave it out, and the listings stay. A file that takes its place stays ' +
      'hidden too. A second decision about the same picture replaces the first. Browsers keep a picture for up to five ' +
      'minutes.',
    response: { description: 'The hidden picture.', schema: record },
    refusals: ['picture_not_found', ...refusals],
    example: { request, answer: example },
  },
  async handler({ body }, { db, choose }: PictureDependencies) {
    const network = choose(body.network);
    const hidden = await hidePicture(db, { ...body, network });
    if (hidden) return hidden;
    throw problem('picture_not_found', `${body.subject} names no picture on ${network}.`);
  },
});

const show = route({
  method: 'post',
  path: '/api/admin/hidden-pictures/show',
  ...forAdmin,
  body: shownAgain,
  operation: {
    operationId: 'removeHiddenPicture',
    tag: 'operator',
    summary: 'Show a hidden picture again',
    response: { description: 'The picture as it was hidden.', schema: record },
    refusals: ['picture_not_found', ...refusals],
    example: { request: { network: 'testnet', subject: publisher }, answer: example },
  },
  async handler({ body }, { db, choose }: PictureDependencies) {
    const network = choose(body.network);
    const shown = await showPicture(db, { network, subject: body.subject });
    if (shown) return shown;
    throw problem('picture_not_found', `The picture of ${body.subject} is not hidden on ${network}.`);
  },
});

/** Routes with which the operator hides single pictures, and shows them again. */
export const hiddenPictureRoutes = [list, hide, show];
