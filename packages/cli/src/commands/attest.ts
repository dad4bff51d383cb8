import { attest } from '@adaptor-marketplace/adaptor/registry-calls';
import { InvalidArgumentError } from 'commander';
import { serviceArgument } from '../arguments.ts';
import type { Io } from '../io.ts';
import { answer, withExamples } from '../options.ts';
import { signAndExecute } from '../signing/execute.ts';
import { type SigningOptions, signingCommand, withSession } from '../signing/session.ts';

const commentBytesMax = 512;

/** A review of a service, on chain. */
export function attestCommand(io: Io) {
  const command = signingCommand(
    'attest',
    'Signs a review: the latest of each reviewer counts. It is public for good.',
  )
    .argument('<service-type>', '0x...::module::Witness, as the catalog prints it', serviceArgument)
    .argument('<score>', '1 to 5', score)
    .option('--comment <uri>', 'where what you say about it stands', commentUri, '')
    .action(async (service: string, stars: number, options: SigningOptions & { comment: string }) => {
      const review = { serviceType: service, score: stars, commentUri: options.comment };
      const { digest } = await withSession(io, options, (session) =>
        signAndExecute(session, `a review of ${service}`, (tx) => attest(tx, session.registry, review)),
      );
      answer(io, options, { ...review, digest }, () => [`attested  ${digest}`]);
    });
  return withExamples(
    command,
    'attest 0xbfc9...::nest_egg::NestEgg 5',
    'attest 0xbfc9...::nest_egg::NestEgg 4 --comment https://example.org/review',
  );
}

function score(text: string): number {
  if (/^[1-5]$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number from 1 to 5, for example 5.');
}

function commentUri(text: string): string {
  if (Buffer.byteLength(text) <= commentBytesMax && !text.includes('\0')) return text;
  throw new InvalidArgumentError(
    `Expected at most ${commentBytesMax} bytes, for example https://example.org/review.`,
  );
}
