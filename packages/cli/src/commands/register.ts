import { parseServiceType } from '@adaptor-marketplace/adaptor/chain/names';
import { type Listing, register, update } from '@adaptor-marketplace/adaptor/registry-calls';
import type { Command } from 'commander';
import { read } from '../api/read.ts';
import { addressArgument } from '../arguments.ts';
import { type Io, Refusal, say, UsageError } from '../io.ts';
import { checkLines, checkListing, lastingWarnings } from '../listing/check-listing.ts';
import { type Draft, draftAnswer, listingOf, readDraft } from '../listing/draft.ts';
import { draftLines, warningLines } from '../listing/lines.ts';
import { type DraftOptions, draftOptions, requestDraft } from '../listing/request-draft.ts';
import { type InCatalog, ownListing, waitUntilListed } from '../listing/wait-until-listed.ts';
import { answer, withExamples } from '../options.ts';
import { ChainRefusal, type Executed, signAndExecute } from '../signing/execute.ts';
import { type Session, type SigningOptions, signingCommand, withSession } from '../signing/session.ts';

interface Options extends SigningOptions, DraftOptions {
  draft?: string;
  manifestUri?: string;
  force?: boolean;
  wait: boolean;
}

/** A listing of the signer's: drafted, signed, and seen in the catalog. */
export function registerCommand(io: Io): Command {
  const command = draftOptions(
    signingCommand(
      'register',
      'Lists a package, or updates its listing, says whether the catalog shows it by default, and waits until it is there.',
    ),
  )
    .argument('[package]', 'id of the package to draft and list', addressArgument)
    .option('--draft <file>', 'list what draft --save kept in this file instead')
    .option('--manifest-uri <uri>', 'where you stored the manifest of that draft')
    .option('--force', 'sign an update even if the same manifest is listed already')
    .option('--no-wait', 'do not wait for the catalog')
    .action(async (packageId: string | undefined, options: Options) => {
      if ((packageId === undefined) === (options.draft === undefined)) {
        throw new UsageError('Give a package to draft, or --draft with a file.');
      }
      await withSession(io, options, async (session) => {
        const draft = packageId
          ? await draftNow(session, packageId, options)
          : await readDraft(options.draft!);
        const listing = listingOf(draft, options.manifestUri);
        if (packageId) requireAsked(draft, listing, { ...options, packageId });
        const check = await checkListing(session, draft.manifest, listing);
        say(io.err, [...draftLines(draft), ...warningLines(lastingWarnings(draft)), ...checkLines(check)]);
        const standing = await sameListing(session, listing);
        if (standing && !options.force) {
          const done = 'already listed';
          const { shownByDefault } = check;
          answer(io, options, { ...listing, done, digest: null, shownByDefault, entry: standing }, () => [
            `already listed as ${standing.manifest.name}, version ${standing.version}: nothing was signed (--force)`,
          ]);
          return;
        }
        const { done, digest } = await list(session, listing);
        say(io.err, [`${done}  ${digest}`]);
        const listed = options.wait
          ? await waitUntilListed(session, listing, check, standing?.version)
          : undefined;
        const shownByDefault = listed ? listed.shownByDefault : check.shownByDefault;
        const result = { ...listing, done, digest, shownByDefault, ...(listed && { entry: listed.entry }) };
        answer(io, options, result, () => [
          `manifest uri   ${listing.manifestUri}`,
          ...(listed ? [placeOf(listed)] : []),
        ]);
      });
    });
  return withExamples(
    command,
    'register --draft draft.json',
    "register 0xbfc9... --name 'Nest Egg' --summary 'Keeps coins in a vault.'",
  );
}

function placeOf({ entry, shownByDefault }: InCatalog): string {
  const place = `in the catalog as ${entry.manifest.name}, version ${entry.version}`;
  return shownByDefault ? place : `${place}, with include=unverified alone: it is not shown by default`;
}

async function draftNow(
  { api, network, address }: Session,
  packageId: string,
  options: Options,
): Promise<Draft> {
  const request = { packageId, network, upload: true, sender: address };
  return read(draftAnswer, await requestDraft(api, options, request));
}

/** A marketplace drafts what it was asked for, or nothing is signed. */
function requireAsked(
  { manifest }: Draft,
  { packageId }: Listing,
  asked: { packageId: string; name?: string; summary?: string },
): void {
  if (packageId === asked.packageId && manifest.name === asked.name && manifest.summary === asked.summary)
    return;
  throw new Refusal('The marketplace drafted something else than it was asked for: nothing was signed.');
}

/** The signer's listing, where it says what this one would. */
async function sameListing(session: Session, { serviceType, packageId, manifestHash, manifestUri }: Listing) {
  const { entry } = await ownListing(session, serviceType);
  const isSame =
    entry?.manifestHash === manifestHash &&
    entry.packageId === packageId &&
    entry.manifestUri === manifestUri;
  return isSame ? entry : undefined;
}

/** EAlreadyListed of the registry's contract. */
const alreadyListed = 0;

/** Registers, or updates what the signer has listed already: the chain knows which. */
async function list(session: Session, listing: Listing): Promise<Executed & { done: string }> {
  const { registry, registryPackageId } = session;
  const { serviceType } = listing;
  const updated = async () => ({
    ...(await signAndExecute(session, `registry::update of ${serviceType}`, (tx) =>
      update(tx, registry, listing),
    )),
    done: 'updated',
  });
  const named = parseServiceType(serviceType);
  // An upgrade is only ever an update: register() takes a service type with the package that defined it.
  if (!('error' in named) && named.packageId !== listing.packageId) return await updated();
  try {
    const what = `registry::register of ${serviceType}`;
    const executed = await signAndExecute(session, what, (tx) => register(tx, registry, listing));
    return { ...executed, done: 'registered' };
  } catch (error) {
    const abort = error instanceof ChainRefusal ? error.abort : undefined;
    const registries = [registry.packageId, registryPackageId].map((id) => `${id}::registry`);
    if (!abort || !registries.includes(abort.module) || abort.code !== alreadyListed) throw error;
    return await updated();
  }
}
