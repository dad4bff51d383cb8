import { networks } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { z } from 'zod';
import { hideText, listHiddenTexts, showText } from '../../../db/queries/hidden-texts.ts';
import { problem } from '../../../lib/errors/index.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { route } from '../../../lib/http/route.ts';
import { forAdmin, keyStoreProblems } from '../access/caller.ts';
import {
  atMs,
  cursorParameter,
  limitParameter,
  manifestUri,
  type NetworkChoice,
  networkParameter,
} from '../openapi/parts.ts';
import { lineOfText, operatorName } from './decision.ts';

interface TextDependencies {
  db: Pool;
  choose: NetworkChoice;
}

/** Hidden texts per page if the query sets no limit. */
const pageDefault = 20;

const shownAgain = z
  .strictObject({
    network: networkParameter,
    uri: lineOfText(512).meta({ description: '`commentUri` of the review.' }),
  })
  .meta({ id: 'HiddenTextUri' });

const decision = shownAgain
  .extend({
    reason: lineOfText(500).meta({ description: 'Why, for other operators.' }),
    operator: operatorName,
  })
  .meta({ id: 'HiddenTextDecision' });

const record = z
  .object({
    id: z.int(),
    network: z.enum(networks),
    uri: z.string().meta({ description: '`commentUri` of the reviews.' }),
    reason: z.string(),
    operator: z.string(),
    sinceMs: z.int(),
  })
  .meta({ id: 'HiddenText' });

const request = { network: 'testnet', uri: manifestUri, reason: 'It insults a person.', operator: 'Ada' };
const example = { id: 3, ...request, sinceMs: atMs };
const refusals = ['network_not_configured', 'database_unavailable', ...keyStoreProblems] as const;

const list = route({
  method: 'get',
  path: '/api/admin/hidden-texts',
  ...forAdmin,
  query: z.object({
    network: networkParameter,
    limit: limitParameter.meta({ description: `Most texts; default: ${pageDefault}.` }),
    cursor: cursorParameter,
  }),
  operation: {
    operationId: 'listHiddenTexts',
    tag: 'operator',
    summary: 'List the texts of reviews that operators hid',
    response: {
      description: 'A page of the hidden texts.',
      schema: z
        .object({
          network: z.enum(networks),
          count: z.int().min(0),
          texts: z.array(record),
          nextCursor: z.string().optional(),
        })
        .meta({ id: 'HiddenTexts', description: 'Newest first.' }),
    },
    refusals,
    example: { answer: { network: 'testnet', count: 1, texts: [example] } },
  },
  async handler({ query }, { db, choose }: TextDependencies) {
    const { limit = pageDefault, cursor } = query;
    const network = choose(query.network);
    const { items, nextCursor } = cutPage(await listHiddenTexts(db, { network, limit, cursor }));
    return { network, count: items.length, texts: items, nextCursor };
  },
});

const hide = route({
  method: 'post',
  path: '/api/admin/hidden-texts',
  ...forAdmin,
  body: decision,
  operation: {
    operationId: 'createHiddenText',
    tag: 'operator',
    summary: 'Hide the text of a review',
    description:
      'Every review that names the text shows none: on the pages, in the graph, in REST and in SQL. The reviews and their ' +
      'scores stay, because they are on chain. A second decision about the same text replaces the first.',
    response: { description: 'The hidden text.', schema: record },
    refusals: ['text_not_found', ...refusals],
    example: { request, answer: example },
  },
  async handler({ body }, { db, choose }: TextDependencies) {
    const network = choose(body.network);
    const hidden = await hideText(db, { ...body, network });
    if (hidden) return hidden;
    throw problem('text_not_found', `No review on ${network} names a text ${body.uri}.`);
  },
});

const show = route({
  method: 'post',
  path: '/api/admin/hidden-texts/show',
  ...forAdmin,
  body: shownAgain,
  operation: {
    operationId: 'removeHiddenText',
    tag: 'operator',
    summary: 'Show a hidden text again',
    response: { description: 'The text as it was hidden.', schema: record },
    refusals: ['text_not_found', ...refusals],
    example: { request: { network: 'testnet', uri: manifestUri }, answer: example },
  },
  async handler({ body }, { db, choose }: TextDependencies) {
    const network = choose(body.network);
    const shown = await showText(db, { network, uri: body.uri });
    if (shown) return shown;
    throw problem('text_not_found', `The text ${body.uri} is not hidden on ${network}.`);
  },
});

/** Routes with which the operator hides texts of reviews, and shows them again. */
export const hiddenTextRoutes = [list, hide, show];
