import { unwrapAnswer } from '@adaptor-marketplace/adaptor/chain';
import {
  draftListing as buildListing,
  chooseWitness,
  collectProvidedValues,
  isDraftable,
  type ListingDraft,
  type NamedObject,
  ProvidedValuesInvalidError,
  readFixedObjects,
  selectOps,
  WitnessUnresolvedError,
} from '@adaptor-marketplace/adaptor/draft';
import type {
  IntrospectedOp,
  IntrospectedWitness,
  Introspection,
} from '@adaptor-marketplace/adaptor/introspect';
import {
  canonicalJson,
  category,
  manifestName,
  manifestSchema,
  manifestSummary,
  parseManifest,
} from '@adaptor-marketplace/adaptor/manifest';
import type { Pool } from 'pg';
import { z } from 'zod';
import { limitConcurrency } from '../../../lib/chain/concurrency-limit.ts';
import { kvUnavailable, problem } from '../../../lib/errors/index.ts';
import { type Caller, findCaller } from '../access/caller.ts';
import {
  addressParameter,
  id,
  manifest,
  manifestHash,
  manifestUri,
  networkField,
  op,
  owner,
  packageId,
  serviceType,
} from '../openapi/parts.ts';
import { type InferDependencies, readPastCalls } from './infer.ts';
import { exampleOp, introspectedOp } from './introspect.ts';
import { createPublishRoute, type PublishChain } from './route.ts';
import {
  buildUnsignedCalls,
  readListingWarnings,
  readPublishers,
  unsignedCallsShape,
} from './unsigned-calls.ts';
import { requireUpload, type Uploads } from './upload.ts';

/** Refuses text that readers of manifests refuse. */
const inManifest = <Schema extends z.ZodType<string>>(schema: Schema) =>
  schema.refine((text) => text.isWellFormed() && !text.includes('\u0000'), 'must be text, without U+0000');

const objectsMax = 32;
const describedOpsMax = 64;

const valueName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'expected a word of up to 64 letters and digits');
const plain = z.union([z.boolean(), z.number(), inManifest(z.string().max(1024)), z.null()]);
const fixedValue = z.object({ name: valueName, value: z.union([plain, z.array(plain).max(256)]) });

/** Values of one op. The bound is the highest number of parameters of a function. */
const values = z
  .array(z.union([valueName, fixedValue]))
  .max(128)
  .refine(
    (list) => new Set(list.map((one) => (typeof one === 'string' ? one : one.name))).size === list.length,
    'must name each value differently',
  );

const { shape } = manifestSchema;
const link = inManifest(shape.docsUrl.unwrap()).optional();

const draftRequest = z.object({
  packageId: addressParameter,
  name: inManifest(manifestName),
  summary: inManifest(manifestSummary),
  category: inManifest(category).optional().meta({ description: 'Default: guessed.' }),
  witness: z.string().min(1).max(256).optional().meta({
    description: 'Name, module::Name or service type; needed where the package has several.',
  }),
  network: networkField,
  upload: z.boolean().default(false).meta({ description: 'Store the manifest on Walrus.' }),
  integrator: inManifest(z.string().min(1).max(128))
    .optional()
    .meta({ description: "The API key's integrator where absent." }),
  sender: addressParameter.optional().meta({ description: 'Who signs; adds the unsigned transaction.' }),
  docsUrl: link,
  repoUrl: link,
  auditUrl: link,
  appUrl: link,
  glyph: inManifest(shape.glyph.unwrap()).optional(),
  profile: shape.profile.unwrap().optional(),
  source: shape.source.unwrap().optional(),
  feeBps: z.int().min(0).max(10_000).optional(),
  feeRecipient: addressParameter.optional(),
  deprecated: inManifest(shape.deprecated.unwrap()).optional(),
  successor: inManifest(shape.successor.unwrap()).optional(),
  objects: z.array(addressParameter).max(objectsMax).default([]).meta({
    description: 'Shared or immutable objects of the ops, where past calls do not settle it.',
  }),
  values: z
    .record(z.string().max(258), values)
    .refine(
      (valuesByOp) => Object.keys(valuesByOp).length <= describedOpsMax,
      `must be about at most ${describedOpsMax} ops`,
    )
    .default({})
    .meta({
      description:
        'By module::function all its values beside the amount and the minimum, in its order: the name for callers, ' +
        'or name and value where they have no choice.',
      example: { 'market::order': ['long', 'size', { name: 'assetId', value: 3 }] },
    }),
});

type DraftRequest = z.infer<typeof draftRequest>;

export const draftBody = z
  .object({
    manifest: manifestSchema,
    manifestHash: z.string().meta({ description: "Lower-case hex sha256 of the manifest's canonical JSON." }),
    manifestUri: z.string().nullable().meta({ description: 'walrus://<blobId>; null without upload.' }),
    serviceType: z.string(),
    ops: z.array(introspectedOp).meta({ description: 'All functions of the package.' }),
    executableOps: shape.ops.meta({ description: 'The ops of the manifest.' }),
    ...unsignedCallsShape,
  })
  .meta({ id: 'Draft' });

export interface DraftDependencies extends InferDependencies {
  db: Pool;
  uploads: Uploads;
  draftSlots: DraftSlots;
}

type DraftSlots = ReturnType<typeof limitConcurrency>;

/** Limits the node reads of drafts, beside introspections and past calls, which have limits of their own. */
export const createDraftSlots = (): DraftSlots =>
  limitConcurrency({ running: 16, waiting: 128, waitMs: 10_000 });

const text = '0x1::string::String';
const withoutUpload =
  'Draft without upload, store the canonical JSON of the manifest yourself, and put its uri into the arguments.';

export const draftListing = createPublishRoute({
  path: '/api/adaptors/draft',
  body: draftRequest,
  response: draftBody,
  operation: {
    operationId: 'draftListing',
    summary: 'Draft a listing: its manifest, and the unsigned call that lists it',
    description:
      'Introspects the package, reads past calls of its ops, and builds and hashes the manifest. With `upload` it also ' +
      'stores the manifest.',
    refusals: [
      'no_witness',
      'several_witnesses',
      'witness_not_found',
      'witness_not_usable',
      'object_not_found',
      'values_mismatch',
      'manifest_invalid',
      'publisher_not_configured',
      'upload_failed',
      'upload_busy',
      'upload_timeout',
      'kv_unavailable',
    ],
    example: {
      request: {
        packageId,
        name: 'Tip Jar',
        summary: 'A jar that anyone tips.',
        upload: true,
        sender: owner,
      },
      answer: {
        manifest,
        manifestHash,
        manifestUri,
        serviceType,
        ops: [exampleOp],
        executableOps: [op],
        register: {
          deployed: true,
          target: `${id('9')}::registry::register`,
          arguments: [
            { name: 'registry', kind: 'object', type: `${id('9')}::registry::Registry`, value: id('8') },
            { name: 'package_id', kind: 'pure', type: 'address', value: packageId },
            { name: 'service_type', kind: 'pure', type: text, value: serviceType },
            { name: 'manifest_uri', kind: 'pure', type: text, value: manifestUri },
            { name: 'manifest_hash', kind: 'pure', type: 'vector<u8>', value: `0x${manifestHash}` },
            { name: 'clock', kind: 'object', type: '0x2::clock::Clock', value: '0x6' },
          ],
          transaction: { sender: owner, base64: 'AAAGAQEICAgI…', json: '{"version":2,…}' },
        },
        warnings: [
          {
            code: 'object_from_past_calls',
            op: 'tip_jar::tip',
            detail: 'All past calls of tip used one object: check it.',
          },
        ],
      },
    },
  },
  async answer({ body, network, chain, exchange, signal }, dependencies: DraftDependencies) {
    const { db, uploads, inferences, draftSlots } = dependencies;
    const upload = body.upload ? requireUpload(uploads, network, withoutUpload) : undefined;
    const integrator = body.integrator ?? resolveIntegrator(findCaller(exchange));
    // Neither waits for the introspection, which takes several calls to the node.
    const readingObjects = draftSlots(() => readObjects(chain, new Set(body.objects), signal));
    const readingPublishers =
      body.sender === undefined ? undefined : draftSlots(() => readPublishers(chain, body.packageId, signal));
    for (const reading of [readingObjects, readingPublishers]) reading?.catch(() => undefined);
    const introspection = await chain.introspect(body.packageId, signal);
    const witness = selectWitness(introspection, body.witness);
    const { deployed, objects, calledRegistryId } = await readingObjects;
    const { listed: ops, foreign } = selectOps(introspection, witness);
    const draftable = ops.filter(isDraftable);
    const allVersions = !witness.serviceType.startsWith(`${body.packageId}::`);
    const values = resolveValues(draftable, body.values);
    const question = { packageId: body.packageId, ops: draftable, allVersions };
    const past = await readPastCalls(inferences, chain, question, signal);
    const { packageId, name, summary, category, sender } = body;
    const { docsUrl, repoUrl, auditUrl, appUrl, glyph, profile, feeBps, feeRecipient } = body;
    const { source, deprecated, successor } = body;
    const links = { docsUrl, repoUrl, auditUrl, appUrl };
    const details = { ...links, glyph, profile, feeBps, feeRecipient, source, deprecated, successor };
    const { manifest, manifestHash, warnings } = requireReadable(
      buildListing({
        packageId,
        network,
        name,
        summary,
        category,
        integrator,
        details,
        witness,
        ops,
        foreign,
        past,
        objects,
        values,
      }),
    );
    const manifestUri = (await upload?.upload(Buffer.from(canonicalJson(manifest)))) ?? null;
    const { serviceType } = witness;
    const entry = { packageId, serviceType, manifestUri, manifestHash };
    const callInput = { chain, db, entry, deployed, calledRegistryId, sender };
    const listing = { packageId, serviceType, name };
    const signing = sender === undefined ? undefined : { sender, publishers: readingPublishers! };
    const [calls, listed] = await Promise.all([
      draftSlots(() => buildUnsignedCalls(callInput, signal)),
      readListingWarnings(db, network, listing, signing),
    ]);
    return {
      manifest,
      manifestHash,
      manifestUri,
      serviceType,
      ops: introspection.ops,
      executableOps: manifest.ops,
      ...calls,
      warnings: [...warnings, ...listed, ...calls.warnings],
    } satisfies z.infer<typeof draftBody>;
  },
});

/** @throws ProblemError 503 if a key was sent and cannot be checked: the listing would never have its attribution */
function resolveIntegrator(caller: Caller | undefined): string | undefined {
  if (caller?.kind === 'unchecked') throw kvUnavailable;
  return caller?.kind === 'key' ? caller.integrator : undefined;
}

const witnessesShownMax = 50;

function selectWitness({ witnesses }: Introspection, name: string | undefined): IntrospectedWitness {
  try {
    return chooseWitness(witnesses, name);
  } catch (error) {
    if (!(error instanceof WitnessUnresolvedError)) throw error;
    const shown = error.serviceTypes.slice(0, witnessesShownMax);
    const errors = shown.map((serviceType) => ({ path: 'body.witness', message: serviceType }));
    throw problem(error.code, error.message, { errors: errors.length > 0 ? errors : undefined });
  }
}

function resolveValues(ops: readonly IntrospectedOp[], provided: DraftRequest['values']) {
  try {
    return collectProvidedValues(ops, provided);
  } catch (error) {
    if (!(error instanceof ProvidedValuesInvalidError)) throw error;
    throw problem('values_mismatch', error.message);
  }
}

/** Reads the objects that the publisher named, whether the registry exists, and the version of it to call. */
async function readObjects(
  { client, settings, versions }: PublishChain,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
) {
  const { registryPackageId, registryObjectId } = settings;
  const named = [...ids];
  const [answer, newest] = await Promise.all([
    readFixedObjects(client, [registryObjectId, ...named], signal),
    versions.newest(registryPackageId),
  ]);
  const found = unwrapAnswer(answer) ?? new Map<string, NamedObject>();
  const missing = named.filter((id) => !found.has(id));
  if (missing.length > 0) {
    const detail = `Not shared or immutable objects of this network: ${missing.join(', ')}.`;
    throw problem('object_not_found', detail);
  }
  return {
    deployed: found.get(registryObjectId)?.type === `${registryPackageId}::registry::Registry`,
    objects: named.map((id) => found.get(id)!),
    calledRegistryId: unwrapAnswer(newest) ?? registryPackageId,
  };
}

/** Returns the draft if every reader of the catalog accepts its manifest. @throws ProblemError `manifest_invalid` */
function requireReadable(drafted: ListingDraft): ListingDraft {
  const judged = parseManifest(Buffer.from(canonicalJson(drafted.manifest)), drafted.manifestHash);
  if (judged.status === 'verified') return drafted;
  throw problem('manifest_invalid', `${judged.reason} The package has too much for one listing.`);
}
