import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import { address, callSpec, moveIdentifier, moveType } from './call-spec.ts';
import { JsonRefusal, parseStrictJson } from './json.ts';
import { link, manifestName, manifestSummary, witnessType } from './manifest-fields.ts';
import { networks } from './networks.ts';
import { isRuleManifest, type RuleManifest, ruleManifestSchema } from './rule-manifest.ts';

/** Categories a listing may name; the catalog filters by them. */
export const categories = ['Swap', 'Lend', 'Trading', 'Stake', 'Recurring', 'Guardian', 'Other'] as const;

/** Bounds on a manifest's bytes; the fetch uses the first before anything is parsed. */
export const manifestLimits = { bytesMax: 256 * 1024, depthMax: 32, keysMax: 10_000 };

const op = z.looseObject({
  kind: z.enum(['swap', 'lend', 'stake', 'pay', 'custom']),
  module: moveIdentifier,
  entry: moveIdentifier.describe('Function name.'),
  label: z.string().min(1).max(128).optional(),
  intentMode: z.enum(['A', 'B', 'C', 'D']).optional().describe('Payment intent flow of the wallet.'),
  call: callSpec.optional().describe('Present exactly where the op can be executed.'),
});

/**
 * What a publisher says about an adaptor. Bounds are in characters or items; keys it does not name are kept,
 * because the hash covers them. Nothing is rewritten: what was hashed is what is served.
 */
export const manifestSchema = z
  .looseObject({
    name: manifestName,
    category: z.enum(categories),
    summary: manifestSummary,
    serviceType: witnessType,
    packageId: address.describe('Deployed package.'),
    ops: z.array(op).max(256),
    supportedCoins: z
      .array(z.union([z.literal('*'), moveType]))
      .max(256)
      .optional()
      .describe('Coin types, or * for any.'),
    feeBps: z.int().min(0).max(10_000).optional().describe('Integrator fee in basis points.'),
    feeRecipient: address.optional(),
    integrator: z.string().min(1).max(128).optional(),
    networks: z.array(z.enum(networks)).max(networks.length).optional(),
    docsUrl: link,
    repoUrl: link,
    auditUrl: link,
    appUrl: link,
    glyph: z.string().min(1).max(64).optional().describe('A short symbol shown beside the name.'),
  })
  .meta({ title: 'Manifest', description: 'What a publisher says about an adaptor.' });

export type Manifest = z.infer<typeof manifestSchema>;
export type ManifestOp = Manifest['ops'][number];
/** An op that can be executed. */
export type CallableOp = ManifestOp & { call: NonNullable<ManifestOp['call']> };

/** JSON Schemas (2020-12) for the schema endpoint. */
export const manifestJsonSchema = z.toJSONSchema(manifestSchema, { io: 'input' });
export const callSpecJsonSchema = z.toJSONSchema(callSpec, { io: 'input' });

/**
 * The canonical JSON (RFC 8785) of a JSON value.
 * @throws when it has none: not JSON, cyclic, a lone surrogate, an infinite number.
 */
export function canonicalJson(value: unknown): string {
  const canonical = canonicalize(value);
  if (canonical === undefined) throw new TypeError('Only JSON values have a canonical form.');
  return canonical;
}

/** Lower-case hex sha256 over the canonical JSON of a JSON value. @throws as `canonicalJson` */
export function manifestHash(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));
}

/** `mismatch`: sound JSON, but not what the registry committed to. `invalid`: no manifest at all. */
export type ParsedManifest =
  | { status: 'verified'; body: Manifest | RuleManifest; hash: string }
  | { status: 'mismatch'; hash: string; reason: string }
  | { status: 'invalid'; hash?: string; reason: string };

/**
 * Judges a stranger's bytes against the hash (64 hex digits) that a registry holds, as an adaptor's or a rule's
 * manifest. Never throws.
 */
export function parseManifest(bytes: Uint8Array, expectedHash: string): ParsedManifest {
  const value = readJson(bytes);
  if (value instanceof JsonRefusal) {
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
  const shape = (isRuleManifest(value) ? ruleManifestSchema : manifestSchema).safeParse(value);
  if (shape.success) return { status: 'verified', body: shape.data, hash };
  return {
    status: 'invalid',
    hash,
    reason: `The manifest has the wrong shape: ${describeIssues(shape.error)}.`,
  };
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes, manifestLimits);
  } catch (error) {
    if (error instanceof JsonRefusal) return error;
    throw error;
  }
}

/** The first few issues; a hostile document may hold thousands. */
function describeIssues({ issues }: z.ZodError): string {
  const shown = issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
  const more = issues.length > shown.length ? [`and ${issues.length - shown.length} more`] : [];
  return [...shown, ...more].join('; ');
}
