import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorMessage, normalizeAddress } from '@adaptor-marketplace/adaptor';
import { manifestSchema, manifestSource, publisherProfile } from '@adaptor-marketplace/adaptor/manifest';
import { replaceFile } from '@adaptor-marketplace/process';
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import type { DraftOptions } from './draft.ts';
import {
  CommandFailedError,
  describeIssue,
  explainFileError,
  formatJson,
  parseJson,
  UsageError,
} from './io.ts';

/** The file of a project with all that a draft needs beside the package. `new` writes it. */
const listingFile = 'listing.json';
/** The file of a project with the ids of its package. `publish` writes it. */
const publishedFile = 'published.json';

const { docsUrl, appUrl, repoUrl, auditUrl, glyph, feeBps } = manifestSchema.shape;

const listingFields = {
  name: z.string(),
  summary: z.string(),
  category: z.string().optional(),
  witness: z.string().optional(),
  integrator: z.string().optional(),
  object: z.array(z.string()).optional(),
  values: z.record(z.string(), z.array(z.unknown())).optional(),
  publisher: publisherProfile.optional(),
  source: manifestSource.optional(),
  docsUrl,
  appUrl,
  repoUrl,
  auditUrl,
  glyph,
  feeBps,
  feeRecipient: z
    .string()
    .transform((text, { addIssue }) => {
      const recipient = normalizeAddress(text);
      if (recipient === undefined) addIssue('Expected 0x and up to 64 hex digits');
      return recipient;
    })
    .optional(),
  deprecated: z.string().optional(),
  successor: z.string().optional(),
};

const listing = z.strictObject(listingFields, {
  error: ({ code, keys }) =>
    code === 'unrecognized_keys'
      ? `Unknown: ${(keys as string[]).join(', ')}. It can have ${Object.keys(listingFields).join(', ')}`
      : undefined,
});

const publication = z.object({
  network: z.string(),
  packageId: z.string(),
  upgradeCapId: z.string().optional(),
});
type Publication = z.infer<typeof publication>;
/** Publications by the id of their chain. */
const published = z.record(z.string(), publication);

const bytesMax = 100_000;

export type PackageChoice = { packageId: string } | { folder: string };

export function packageArgument(text: string): PackageChoice {
  const packageId = normalizeAddress(text);
  if (packageId !== undefined) return { packageId };
  if (!/^0x/.test(text) && text !== '') return { folder: text };
  throw new InvalidArgumentError(
    'Expected 0x and up to 64 hex digits, for example 0x2, or the folder of a published package.',
  );
}

/**
 * Determines the package to list, and what is said of it. Options have priority over the project's listing.json.
 * @throws UsageError for a folder without a project, or one that is not published on the chain
 */
export async function describePackage<Options extends DraftOptions>(
  choice: PackageChoice,
  options: Options,
  { chainId, network }: { chainId: string; network: string },
): Promise<Options & { packageId: string }> {
  if ('packageId' in choice) return { ...options, packageId: choice.packageId };
  const { folder } = choice;
  const about = await readProjectFile(join(folder, listingFile), listing);
  if (about === undefined) {
    throw new UsageError(
      `${join(folder, listingFile)} does not exist. Expected the id of a package, or a folder that "adaptor-marketplace new" made.`,
    );
  }
  const found = (await readProjectFile(join(folder, publishedFile), published))?.[chainId];
  if (found === undefined) {
    throw new UsageError(
      `${folder} is not published on ${network}. Publish it: adaptor-marketplace publish ${folder}`,
    );
  }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...about, ...(given as Options), packageId: found.packageId };
}

/**
 * Returns where a project is published on a chain; undefined without a publication or without a listing.json.
 * @throws UsageError for a file of the project that is not valid
 */
export async function readPublication(folder: string, chainId: string): Promise<Publication | undefined> {
  if ((await readProjectFile(join(folder, listingFile), listing)) === undefined) return undefined;
  return (await readProjectFile(join(folder, publishedFile), published))?.[chainId];
}

/**
 * Records where a project is published. It changes nothing in a folder without a listing.json.
 * @throws CommandFailedError that names the package, which is on chain by now
 */
export async function recordPublication(
  folder: string,
  chainId: string,
  publication: Publication,
): Promise<void> {
  try {
    if ((await readProjectFile(join(folder, listingFile), listing)) === undefined) return;
    const file = join(folder, publishedFile);
    const earlier = await readProjectFile(file, published);
    await replaceFile(file, `${formatJson({ ...earlier, [chainId]: publication })}\n`).catch(
      (error: unknown) => {
        throw new CommandFailedError(explainFileError(file, error));
      },
    );
  } catch (error) {
    const { packageId, upgradeCapId } = publication;
    const cap = upgradeCapId === undefined ? '' : `, with the UpgradeCap ${upgradeCapId}`;
    throw new CommandFailedError(
      `The package is published as ${packageId}${cap}, but its id was not recorded: ${getErrorMessage(error)}`,
    );
  }
}

/** @throws UsageError for a file that is not valid */
async function readProjectFile<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): Promise<z.infer<Schema> | undefined> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new UsageError(explainFileError(file, error));
  });
  if (!handle) return undefined;
  await using _ = handle;
  if ((await handle.stat()).size > bytesMax) throw new UsageError(`${file} exceeds ${bytesMax} bytes.`);
  const read = schema.safeParse(parseJson(await readFile(handle, 'utf8')));
  if (read.success) return read.data;
  throw new UsageError(`${file} is not valid (${describeIssue(read.error)}).`);
}
