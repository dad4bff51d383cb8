import { writeFile } from 'node:fs/promises';
import { parseServiceType } from '@adaptor-marketplace/adaptor';
import { type RegisteredListing, readListing } from '@adaptor-marketplace/adaptor/chain';
import { canonicalJson, categories } from '@adaptor-marketplace/adaptor/manifest';
import { displayText } from '@adaptor-marketplace/adaptor/names';
import { type Listing, register, unlist, update } from '@adaptor-marketplace/adaptor/transactions';
import type { Command } from 'commander';
import { parseResponse } from '../api.ts';
import {
  addDraftOptions,
  type Draft,
  type DraftOptions,
  deriveListing,
  draftAnswer,
  formatDraftLines,
  formatWarningLines,
  readDraft,
  requestDraft,
  requireRequested,
} from '../draft.ts';
import {
  CommandFailedError,
  createNodeError,
  explainFileError,
  formatJson,
  type Io,
  requireReplaceable,
  say,
  UsageError,
} from '../io.ts';
import {
  type CatalogListing,
  checkListing,
  formatCheckLines,
  pickLastingWarnings,
  waitUntilListed,
  waitUntilUnlisted,
} from '../listing.ts';
import { chooseServedNetwork } from '../network.ts';
import {
  type ApiOptions,
  addExamples,
  addressArgument,
  answer,
  createApiCommand,
  createMarketplaceClient,
  serviceArgument,
} from '../options.ts';
import { describePackage, type PackageChoice, packageArgument } from '../project.ts';
import {
  createTransactionCommand,
  type ExecutedTransaction,
  type Session,
  type SigningOptions,
  signAndExecute,
  TransactionRejectedError,
  withSession,
} from '../signing.ts';
import { offerProject } from './offer-source.ts';

interface Options extends ApiOptions, DraftOptions {
  upload?: boolean;
  sender?: string;
  save?: string;
  saveManifest?: string;
}

/** `draft`: drafts a listing of a package for its publisher to sign. */
export function createDraftCommand(io: Io): Command {
  const command = addDraftOptions(
    createApiCommand(
      'draft',
      `Drafts the manifest of a package and its unsigned register() transaction. Categories: ${categories.join(', ')}, or one of your own.`,
    ),
  )
    .argument(
      '<package>',
      'id of the package, or the folder of one that "new" made and "publish" published',
      packageArgument,
    )
    .option('--upload', 'store the manifest on Walrus, paid by the marketplace')
    .option(
      '--sender <address>',
      'address that will sign; adds the unsigned transaction to the draft',
      addressArgument,
    )
    .option('--save <file>', 'write the draft to a file for register --draft')
    .option('--save-manifest <file>', 'write the canonical JSON of the manifest, to store it yourself')
    .action(async (chosen: PackageChoice, options: Options) => {
      const { network, upload, sender, save, saveManifest } = options;
      // Checks the files first, so that no draft is stored on Walrus and then lost.
      for (const file of [save, saveManifest]) if (file) await requireReplaceable(file);
      const market = await createMarketplaceClient(io, options);
      const described =
        'folder' in chosen
          ? await describePackage(chosen, options, await chooseServedNetwork(market, network))
          : { ...options, ...chosen };
      const request = { packageId: described.packageId, network, upload, sender };
      const body = await requestDraft(market, described, request);
      const draft = parseResponse(draftAnswer, body);
      if (save) await writeOutput(save, `${formatJson(body)}\n`);
      if (saveManifest) await writeOutput(saveManifest, canonicalJson(draft.manifest));
      say(io.err, formatWarningLines(draft.warnings));
      answer(io, options, body, () => [
        ...formatDraftLines(draft),
        `manifest uri   ${draft.manifestUri ?? 'none yet: --upload stores it'}`,
      ]);
    });
  return addExamples(
    command,
    "draft 0xbfc9... --name 'Nest Egg' --summary 'Keeps coins in a vault.' --upload --save draft.json",
    "draft 0xbfc9... --name 'Nest Egg' --summary 'Keeps coins.' --object 0x6903... --save-manifest manifest.json",
    'draft my_adaptor',
  );
}

async function writeOutput(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((error: unknown) => {
    throw new CommandFailedError(explainFileError(path, error));
  });
}

interface RegisterOptions extends SigningOptions, DraftOptions {
  draft?: string;
  manifestUri?: string;
  force?: boolean;
  wait: boolean;
  offerSource: boolean;
}

/** `register`: drafts and signs a listing, and waits until the catalog has it. */
export const createRegisterCommand = (io: Io): Command =>
  createListingCommand(
    io,
    'register',
    'Lists a package or updates its listing, and waits until the catalog has it. Shows whether the catalog lists it by default.',
  );

/** `update`: replaces a listing of the signer. The chain refuses a service that the signer has not listed. */
export const createUpdateCommand = (io: Io): Command =>
  createListingCommand(
    io,
    'update',
    'Updates your listing of a package, and waits until the catalog has the new version.',
  );

function createListingCommand(io: Io, name: 'register' | 'update', description: string): Command {
  const command = addDraftOptions(createTransactionCommand(name, description))
    .argument(
      '[package]',
      'id of the package to draft and list, or the folder of one that "new" made and "publish" published',
      packageArgument,
    )
    .option('--draft <file>', 'list the draft in this file, written by draft --save')
    .option('--manifest-uri <uri>', 'uri under which you stored the manifest of that draft')
    .option('--force', 'sign an update even if the same manifest is already listed')
    .option('--no-wait', 'do not wait for the catalog')
    .option('--no-offer-source', "do not offer the folder's source to the marketplace once it is listed")
    .action(async (chosen: PackageChoice | undefined, options: RegisterOptions) => {
      if ((chosen === undefined) === (options.draft === undefined)) {
        throw new UsageError('Give either a package to draft, or --draft with a file.');
      }
      await withSession(io, options, async (session) => {
        const described = chosen && (await describePackage(chosen, options, session));
        const draft = described
          ? await requestUploadedDraft(session, described)
          : await readDraft(options.draft!);
        const listing = deriveListing(draft, options.manifestUri);
        if (described) requireRequested(draft, { ...described, network: session.network });
        const check = await checkListing(session, draft.manifest, listing);
        say(io.err, [
          ...formatDraftLines(draft),
          `manifest uri   ${listing.manifestUri}`,
          ...formatWarningLines(pickLastingWarnings(draft)),
          ...formatCheckLines(check),
        ]);
        // The catalog may not have read the last update yet, or shows the version before one that it cannot verify.
        const registered = await readRegistered(session, listing.serviceType);
        const isListed = registered !== undefined && !options.force && equals(registered, listing);
        const { done, digest } = isListed
          ? { done: 'already listed', digest: null }
          : await signListing(session, listing, { onlyUpdate: name === 'update' });
        const signed = isListed
          ? `already listed as ${displayText(draft.manifest.name)}, version ${registered.version}. Nothing was signed; --force signs an update`
          : `${done}  ${digest}`;
        if (options.wait && !isListed) say(io.err, [signed]);
        const before = isListed ? registered.version - 1 : registered?.version;
        const shown = options.wait ? await waitUntilListed(session, listing, check, before) : undefined;
        // The marketplace compares source of packages that it lists. It fetches a commit that the manifest names by itself.
        const folder = chosen && 'folder' in chosen && options.offerSource ? chosen.folder : undefined;
        if (shown && folder !== undefined && draft.manifest.source === undefined) {
          const { market, network } = session;
          await offerProject(io, market, { folder, packageId: listing.packageId, network });
        }
        const shownByDefault = shown ? shown.shownByDefault : check.shownByDefault;
        const result = { ...listing, done, digest, shownByDefault, ...(shown && { entry: shown.entry }) };
        answer(io, options, result, () => [shown && !isListed ? describeCatalogEntry(shown) : signed]);
      });
    });
  return addExamples(
    command,
    `${name} --draft draft.json`,
    `${name} --draft draft.json --ptb`,
    `${name} 0xbfc9... --name 'Nest Egg' --summary 'Keeps coins in a vault.'`,
    `${name} my_adaptor`,
  );
}

function describeCatalogEntry({ entry, shownByDefault }: CatalogListing): string {
  const listed = `in the catalog as ${displayText(entry.manifest.name)}, version ${entry.version}`;
  return shownByDefault ? listed : `${listed}, but not shown by default: only with include=unverified`;
}

async function requestUploadedDraft(
  { market, network, address }: Session,
  described: DraftOptions & { packageId: string },
): Promise<Draft> {
  const request = { packageId: described.packageId, network, upload: true, sender: address };
  return parseResponse(draftAnswer, await requestDraft(market, described, request));
}

/** Reads the signer's listing of a service type as the registry holds it now. */
async function readRegistered(
  { client, registry, address }: Session,
  serviceType: string,
): Promise<RegisteredListing | undefined> {
  const found = await readListing(client, registry, { serviceType, publisher: address });
  if (found.status === 'unavailable') throw createNodeError(found.reason);
  return found.status === 'found' ? found.value : undefined;
}

const equals = (registered: RegisteredListing, { packageId, manifestHash, manifestUri }: Listing) =>
  registered.packageId === packageId &&
  registered.manifestHash === manifestHash &&
  registered.manifestUri === manifestUri;

/** Abort codes of the registry's contract: EAlreadyListed, ENotListed, ENotPublisher. */
const alreadyListed = 0;
const notListed = [1, 2];

/**
 * Registers the listing, or updates it if the chain says that the signer has listed the service already. If the signer does
 * not list an upgraded package, one transaction registers its first version and updates the listing, because register()
 * takes only the package that defined the service type.
 */
async function signListing(
  session: Session,
  listing: Listing,
  { onlyUpdate }: { onlyUpdate: boolean },
): Promise<ExecutedTransaction & { done: string }> {
  const { registry, registryPackageId } = session;
  const { serviceType } = listing;
  const signUpdate = async () => {
    const what = `registry::update of ${serviceType}`;
    const executed = await signAndExecute(session, what, (tx) => update(tx, registry, listing));
    return { ...executed, done: 'updated' };
  };
  const isAbort = (error: unknown, codes: readonly number[]) => {
    const abort = error instanceof TransactionRejectedError ? error.abort : undefined;
    const registries = [registry.packageId, registryPackageId].map((id) => `${id}::registry`);
    return abort !== undefined && registries.includes(abort.module) && codes.includes(abort.code);
  };
  const parsed = parseServiceType(serviceType);
  const isUpgrade = !('error' in parsed) && parsed.packageId !== listing.packageId;
  if (onlyUpdate || isUpgrade) {
    try {
      return await signUpdate();
    } catch (error) {
      if (!isAbort(error, notListed)) throw error;
      if (onlyUpdate) {
        throw new CommandFailedError(
          `${session.address} does not list ${serviceType}. List it with: adaptor-marketplace register`,
        );
      }
    }
  }
  const first = 'error' in parsed ? listing : { ...listing, packageId: parsed.packageId };
  const upgraded = isUpgrade ? `, and its update to ${listing.packageId}` : '';
  try {
    const what = `registry::register of ${serviceType}${upgraded}`;
    const executed = await signAndExecute(session, what, (tx) => {
      register(tx, registry, first);
      if (isUpgrade) update(tx, registry, listing);
    });
    return { ...executed, done: 'registered' };
  } catch (error) {
    if (isUpgrade || !isAbort(error, [alreadyListed])) throw error;
    return await signUpdate();
  }
}

/** `unlist`: removes a listing of the signer from the registry. */
export function createUnlistCommand(io: Io) {
  const command = createTransactionCommand(
    'unlist',
    'Removes your listing of a service from the registry, and waits until the catalog has removed it.',
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
  return addExamples(command, 'unlist 0xbfc9...::nest_egg::NestEgg');
}
