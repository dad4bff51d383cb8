import { z } from 'zod';
import { networks } from '../networks.ts';
import { type AdjustedManifest, adjustManifest } from './adjust.ts';
import { address, callSpec, moveType } from './call-spec.ts';
import { link, manifestName, manifestSummary, witnessType } from './fields.ts';
import { manifestHash } from './hash.ts';
import { JsonInvalidError, parseStrictJson } from './json.ts';
import { opSchema } from './op.ts';
import { publisherProfile } from './profile.ts';
import { isRuleManifest, type RuleManifest, ruleManifestSchema } from './rule-manifest.ts';
import { manifestSource } from './source.ts';
import { textBounds } from './text-bounds.ts';

/** Categories that drafts guess and sites offer. A listing may use another one. */
export const categories = ['Swap', 'Lend', 'Trading', 'Stake', 'Recurring', 'Guardian', 'Other'] as const;

const categoryLengthMax = textBounds.category;

/** The category of a listing: 1 to 40 characters. Like JSON Schema, it counts code points. */
export const category = z
  .string()
  .min(1)
  .refine(
    (text) => text.length <= 2 * categoryLengthMax && [...text].length <= categoryLengthMax,
    `expected at most ${categoryLengthMax} characters`,
  )
  .meta({
    maxLength: categoryLengthMax,
    description: `1 to ${categoryLengthMax} characters, such as ${categories.join(', ')}.`,
  });

/**
 * Bounds on the JSON of a manifest: bytes, nesting and object keys. A fetch applies `bytesMax` before it parses
 * anything.
 */
export const manifestLimits = { bytesMax: 256 * 1024, depthMax: 32, keysMax: 10_000 };

const supportedCoin = z.union([z.literal('*'), moveType]);
const supportedCoinsMax = 256;
const networkName = z.enum(networks);

const buildManifestSchema = <Ops extends z.ZodType>(op: Ops) =>
  z.looseObject({
    name: manifestName,
    category,
    summary: manifestSummary,
    serviceType: witnessType,
    packageId: address.describe('Deployed package.'),
    ops: z.array(op).max(256),
    supportedCoins: z
      .array(supportedCoin)
      .max(supportedCoinsMax)
      .optional()
      .describe('Coin types, or * for any.'),
    feeBps: z.int().min(0).max(10_000).optional().describe('Integrator fee in basis points.'),
    feeRecipient: address.optional(),
    integrator: z.string().min(1).max(128).optional(),
    networks: z.array(networkName).max(networks.length).optional(),
    docsUrl: link,
    repoUrl: link,
    auditUrl: link,
    appUrl: link,
    glyph: z.string().min(1).max(64).optional().describe('A short symbol shown beside the name.'),
    profile: publisherProfile.optional(),
    source: manifestSource.optional(),
    deprecated: z
      .string()
      .min(1)
      .max(textBounds.deprecated)
      .optional()
      .describe('Why new wallets should not begin to use it. Its operations still work.'),
    successor: witnessType
      .describe('Service type of the adaptor to use instead. It counts only beside `deprecated`.')
      .optional(),
  });

/** Schema of an adaptor's manifest in which every op must be valid. Bounds are in characters or items. */
export const manifestSchema = buildManifestSchema(opSchema).meta({
  title: 'Manifest',
  description: 'What a publisher says about an adaptor.',
});

export type Manifest = z.infer<typeof manifestSchema>;

/** Accepts every object, and comes first in the union: `opFault` judges each op, so no op hides its listing. */
const anyOp = z.looseObject({}).meta({
  title: 'Other op',
  description: 'An op that is not executable: `notExecutable` of the entry has the reason.',
});

/** Schema of a stranger's manifest as the catalog shows it. It keeps unknown keys, because the hash covers them. */
export const listedManifestSchema = buildManifestSchema(z.union([anyOp, opSchema])).meta({
  title: 'Manifest',
  description:
    'What a publisher says about an adaptor. It has the hash in the registry, except where `manifestWarnings` of the ' +
    'entry names a field that is shown otherwise.',
});

export type ListedManifest = z.infer<typeof listedManifestSchema>;

/** JSON Schemas (2020-12) for the schema endpoint. */
export const manifestJsonSchema = z.toJSONSchema(manifestSchema, { io: 'input' });
export const callSpecJsonSchema = z.toJSONSchema(callSpec, { io: 'input' });

/** A JSON object as its publisher wrote it. The hash covers all of it. */
export type PublishedManifest = Readonly<Record<string, unknown>>;

/**
 * A manifest that has its hash and can be shown. `adjusted` is present if it is shown otherwise than it was published.
 */
export interface VerifiedManifest {
  body: PublishedManifest;
  adjusted?: AdjustedManifest | undefined;
}

/**
 * The result of a check. `verified`: the hash matches and the manifest can be shown. `mismatch`: valid JSON with another
 * hash than the registry's. `invalid`: not JSON, or not a manifest.
 */
export type ParsedManifest =
  | ({ status: 'verified'; hash: string } & VerifiedManifest)
  | { status: 'mismatch'; hash: string; reason: string }
  | { status: 'invalid'; hash?: string; reason: string };

/**
 * Checks a stranger's bytes as an adaptor's or a rule's manifest. Never throws.
 * @param expectedHash the hash that a registry holds, 64 hex digits
 */
export function parseManifest(bytes: Uint8Array, expectedHash: string): ParsedManifest {
  const value = readJson(bytes);
  if (value instanceof JsonInvalidError) {
    return { status: 'invalid', reason: `The manifest is refused: ${value.message}.` };
  }
  const hash = manifestHash(value);
  if (hash !== expectedHash.toLowerCase()) {
    return {
      status: 'mismatch',
      hash,
      reason: `The manifest's hash is ${hash}, the registry names ${expectedHash}.`,
    };
  }
  const { adjusted, error } = toShownManifest(value);
  if (error === undefined) return { status: 'verified', body: value as PublishedManifest, adjusted, hash };
  return { status: 'invalid', hash, reason: `The manifest has the wrong shape: ${describeIssues(error)}.` };
}

const lists = {
  supportedCoins: { item: supportedCoin, max: supportedCoinsMax },
  networks: { item: networkName, max: networks.length },
};

/**
 * Derives the manifest that is shown from the published one, of an adaptor or a rule. `adjusted` is undefined if they
 * are the same. `error`: the manifest cannot be shown, because a field that it needs is missing, unusable or unsafe.
 */
export function toShownManifest(published: unknown): {
  shown: ListedManifest | RuleManifest | undefined;
  adjusted: AdjustedManifest | undefined;
  error: z.ZodError | undefined;
} {
  const schema = isRuleManifest(published) ? ruleManifestSchema : listedManifestSchema;
  const adjusted = adjustManifest(published, { fields: schema.shape, texts: textBounds, lists });
  const { data: shown, error } = schema.safeParse(adjusted?.shown ?? published);
  return { shown, adjusted, error };
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes, manifestLimits);
  } catch (error) {
    if (error instanceof JsonInvalidError) return error;
    throw error;
  }
}

/** Describes the first few issues, since a hostile document may cause thousands. */
function describeIssues({ issues }: z.ZodError): string {
  const shown = issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
  const more = issues.length > shown.length ? [`and ${issues.length - shown.length} more`] : [];
  return [...shown, ...more].join('; ');
}
