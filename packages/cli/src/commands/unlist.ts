import { unlist } from '@adaptor-marketplace/adaptor/registry-calls';
import { serviceArgument } from '../arguments.ts';
import { type Io, say } from '../io.ts';
import { waitUntilUnlisted } from '../listing/wait-until-listed.ts';
import { answer, withExamples } from '../options.ts';
import { signAndExecute } from '../signing/execute.ts';
import { type SigningOptions, signingCommand, withSession } from '../signing/session.ts';

/** Takes a listing of the signer's out of the registry. */
export function unlistCommand(io: Io) {
  const command = signingCommand(
    'unlist',
    'Takes your listing of a service out of the registry, and waits until the catalog shows it no longer.',
  )
    .argument('<service-type>', '0x...::module::Witness, as the catalog prints it', serviceArgument)
    .option('--no-wait', 'do not wait for the catalog')
    .action(async (serviceType: string, options: SigningOptions & { wait: boolean }) => {
      const digest = await withSession(io, options, async (session) => {
        const what = `registry::unlist of ${serviceType}`;
        const executed = await signAndExecute(session, what, (tx) =>
          unlist(tx, session.registry, serviceType),
        );
        say(io.err, [`unlisted  ${executed.digest}`]);
        if (options.wait) await waitUntilUnlisted(session, serviceType);
        return executed.digest;
      });
      answer(io, options, { serviceType, digest }, () => [
        `${options.wait ? 'no longer in the catalog' : 'unlisted'}  ${serviceType}`,
      ]);
    });
  return withExamples(command, 'unlist 0xbfc9...::nest_egg::NestEgg');
}
