import { networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { route } from '../../../lib/http/route.ts';
import { reviewTextBytesMax, tidyReviewText } from '../../../lib/manifests/review-text.ts';
import { manifestUri, type NetworkChoice, networkField } from '../openapi/parts.ts';
import { requireUpload, type Uploads } from './upload.ts';

interface ReviewTextDependencies {
  choose: NetworkChoice;
  uploads: Uploads;
}

const exampleText = 'It paid out within a minute.';
const withoutUpload = 'Review without a text, or store the text yourself, and give its uri as commentUri.';

/** Stores the text of a review for a reviewer who signs in a browser or on the command line. */
export const createReviewText = route({
  method: 'post',
  path: '/api/adaptors/review-texts',
  body: z
    .strictObject({
      network: networkField,
      text: z
        .string()
        .overwrite(tidyReviewText)
        .min(1, 'expected some visible characters')
        .refine(
          (text) => Buffer.byteLength(text) <= reviewTextBytesMax,
          `expected at most ${reviewTextBytesMax} bytes`,
        )
        .meta({
          description: `At most ${reviewTextBytesMax} bytes of UTF-8, once control characters, invisible ones and outer spaces are gone.`,
        }),
    })
    .meta({ id: 'NewReviewText' }),
  bodyBytesMax: 4 * reviewTextBytesMax,
  operation: {
    operationId: 'createReviewText',
    tag: 'publish',
    summary: 'Store the text of a review on Walrus',
    description:
      'Give the returned uri to `registry::attest`: the service shows the text beside the review once it has read both. The text ' +
      'is public from now on, and nobody can change it.',
    response: {
      description: 'The text is stored.',
      schema: z
        .object({
          network: z.enum(networks),
          commentUri: z.string().meta({ description: 'walrus://<blobId>' }),
          text: z.string().meta({ description: 'The text as it is stored and shown.' }),
        })
        .meta({ id: 'StoredReviewText' }),
    },
    refusals: [
      'network_not_configured',
      'publisher_not_configured',
      'upload_failed',
      'upload_busy',
      'upload_timeout',
    ],
    example: {
      request: { text: exampleText },
      answer: { network: 'testnet', commentUri: manifestUri, text: exampleText },
    },
  },
  async handler({ body }, { choose, uploads }: ReviewTextDependencies) {
    const network = choose(body.network);
    const upload = requireUpload(uploads, network, withoutUpload);
    const { text } = body;
    return { network, commentUri: await upload.upload(Buffer.from(text)), text };
  },
});
