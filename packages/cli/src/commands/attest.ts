import { attest } from '@adaptor-marketplace/adaptor/transactions';
import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { parseResponse } from '../api.ts';
import type { Io } from '../io.ts';
import { addExamples, answer, serviceArgument } from '../options.ts';
import { createTransactionCommand, type SigningOptions, signAndExecute, withSession } from '../signing.ts';

const commentBytesMax = 512;
const storedText = z.looseObject({ commentUri: z.string() });

/** `attest`: signs a review of a service on chain. */
export function createAttestCommand(io: Io) {
  const command = createTransactionCommand(
    'attest',
    'Signs a public, permanent review of a service. Only the latest review of each reviewer counts.',
  )
    .argument('<service-type>', '0x...::module::Witness, as the catalog prints it', serviceArgument)
    .argument('<score>', '1 to 5', parseScore)
    .addOption(
      new Option(
        '--text <words>',
        'text of the review, up to 4 kB, which the marketplace stores on Walrus',
      ).conflicts('comment'),
    )
    .option('--comment <uri>', 'uri of a text that you have stored yourself', parseCommentUri)
    .action(
      async (
        service: string,
        score: number,
        options: SigningOptions & { text?: string; comment?: string },
      ) => {
        const review = await withSession(io, options, async (session) => {
          const { market, network, registry } = session;
          const { text, comment = '' } = options;
          const stored =
            text === undefined
              ? undefined
              : parseResponse(storedText, await market.api.createReviewText({ body: { network, text } }));
          const written = { serviceType: service, score, commentUri: stored?.commentUri ?? comment };
          const { digest } = await signAndExecute(session, `a review of ${service}`, (tx) =>
            attest(tx, registry, written),
          );
          return { ...written, digest };
        });
        answer(io, options, review, () => [`attested  ${review.digest}`]);
      },
    );
  return addExamples(
    command,
    'attest 0xbfc9...::nest_egg::NestEgg 5',
    "attest 0xbfc9...::nest_egg::NestEgg 4 --text 'It paid out within a minute.'",
  );
}

function parseScore(text: string): number {
  if (/^[1-5]$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number from 1 to 5, for example 5.');
}

function parseCommentUri(text: string): string {
  if (Buffer.byteLength(text) <= commentBytesMax && !text.includes('\0')) return text;
  throw new InvalidArgumentError(
    `Expected at most ${commentBytesMax} bytes, for example https://example.org/review.`,
  );
}
