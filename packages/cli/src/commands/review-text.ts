import { z } from 'zod';
import { parseResponse } from '../api.ts';
import type { Io } from '../io.ts';
import { uriArgument } from '../options.ts';
import { createHidingCommand } from './hiding.ts';

const record = z
  .looseObject({ uri: z.string(), reason: z.string(), operator: z.string(), sinceMs: z.int() })
  .transform(({ uri, ...hidden }) => ({ ...hidden, subject: uri, more: [] }));
const page = z
  .looseObject({ texts: z.array(record), nextCursor: z.string().optional() })
  .transform(({ texts, nextCursor }) => ({ all: texts, nextCursor }));

/** `review-text`: hides texts of reviews, for the operator of a marketplace. */
export const createReviewTextCommand = (io: Io) =>
  createHidingCommand(io, {
    name: 'review-text',
    description:
      'Hides the texts of reviews on a marketplace that you operate. The reviews and their scores stay.',
    examples: [
      "review-text hide walrus://M4hsZGQ1oCktdzegB6HnI6Mi28S2nqOPHxK-W7_4BUk --reason 'It insults a person'",
      'review-text show walrus://M4hsZGQ1oCktdzegB6HnI6Mi28S2nqOPHxK-W7_4BUk',
      'review-text list',
    ],
    noun: 'text',
    argument: ['<uri>', 'commentUri of the review', uriArgument],
    columns: [],
    readOne: (body) => parseResponse(record, body),
    readPage: (body) => parseResponse(page, body),
    list: (api, query) => api.listHiddenTexts({ query }),
    hide: (api, uri, decision) => api.createHiddenText({ body: { uri, ...decision } }),
    show: (api, uri, network) => api.removeHiddenText({ body: { uri, ...network } }),
  });
