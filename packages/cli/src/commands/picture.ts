import { z } from 'zod';
import { parseResponse } from '../api.ts';
import type { Io } from '../io.ts';
import { pictureArgument } from '../options.ts';
import { createHidingCommand } from './hiding.ts';

const record = z
  .looseObject({
    subject: z.string(),
    url: z.string(),
    reason: z.string(),
    operator: z.string(),
    sinceMs: z.int(),
  })
  .transform(({ url, ...hidden }) => ({ ...hidden, more: [url] }));
const page = z
  .looseObject({ pictures: z.array(record), nextCursor: z.string().optional() })
  .transform(({ pictures, nextCursor }) => ({ all: pictures, nextCursor }));

/** `picture`: hides logos of coins and icons of publishers, for the operator of a marketplace. */
export const createPictureCommand = (io: Io) =>
  createHidingCommand(io, {
    name: 'picture',
    description:
      'Hides logos of coins and icons of publishers of a marketplace that you operate; their listings stay.',
    examples: [
      "picture hide 0x5d1e...::reef_usd::REEF_USD --reason 'It shows the mark of a bank'",
      'picture show 0x5d1e...::reef_usd::REEF_USD',
      'picture list',
    ],
    noun: 'picture',
    argument: ['<subject>', 'coin type, or address of a publisher', pictureArgument],
    columns: ['URL'],
    readOne: (body) => parseResponse(record, body),
    readPage: (body) => parseResponse(page, body),
    list: (api, query) => api.listHiddenPictures({ query }),
    hide: (api, subject, decision) => api.createHiddenPicture({ body: { subject, ...decision } }),
    show: (api, subject, network) => api.removeHiddenPicture({ body: { subject, ...network } }),
  });
