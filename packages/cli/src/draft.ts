import { open } from 'node:fs/promises';
import { normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import { warningSchema } from '@adaptor-marketplace/adaptor/draft';
import {
  canonicalJson,
  type ExecutableOp,
  isExecutable,
  type ListedOp,
  listedManifestSchema,
  listOpSteps,
  type ManifestSource,
  manifestHash,
  manifestLimits,
  opFault,
  type PublisherProfile,
  type StepArgument,
} from '@adaptor-marketplace/adaptor/manifest';
import { displayText } from '@adaptor-marketplace/adaptor/names';
import type { Listing } from '@adaptor-marketplace/adaptor/transactions';
import type { DraftListingData, Marketplace } from '@adaptor-marketplace/sdk';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import {
  CommandFailedError,
  describeIssue,
  explainFileError,
  formatTable,
  parseJson,
  UsageError,
} from './io.ts';
import { addressArgument, collectValues, serviceArgument } from './options.ts';
import { addProfileField } from './publisher-profile.ts';
import { sourceArgument } from './source-argument.ts';

/** The part of a draft that commands use. */
export const draftAnswer = z.object({
  manifest: listedManifestSchema,
  manifestHash: z.string(),
  manifestUri: z.string().nullable(),
  serviceType: z.string(),
  warnings: z.array(warningSchema).default([]),
});
export type Draft = z.infer<typeof draftAnswer>;

/** Bound on a draft. It contains the manifest twice, and the introspection. */
const bytesMax = 32 * manifestLimits.bytesMax;

/**
 * Reads a draft that `draft --save` wrote.
 * @throws CommandFailedError if it is not valid
 */
export async function readDraft(path: string): Promise<Draft> {
  const text = await readText(path);
  const draft = draftAnswer.safeParse(parseJson(text));
  if (draft.success) return draft.data;
  throw new CommandFailedError(
    `${path} is not a valid draft (${describeIssue(draft.error)}). Expected a file that "draft --save" or "draft --json" wrote.`,
  );
}

async function readText(path: string): Promise<string> {
  const unusable = (error: unknown) => {
    throw new CommandFailedError(explainFileError(path, error));
  };
  const file = await open(path).catch(unusable);
  try {
    if ((await file.stat()).size > bytesMax) {
      throw new CommandFailedError(`${path} is not a valid draft: it exceeds ${bytesMax} bytes.`);
    }
    return await file.readFile('utf8').catch(unusable);
  } finally {
    await file.close();
  }
}

/**
 * Determines the listing to sign. Checks hash, service type and package id against the manifest of the draft.
 * @param manifestUri uri under which the publisher stored the manifest
 * @throws CommandFailedError that names the mismatch
 */
export function deriveListing(draft: Draft, manifestUri: string | null = draft.manifestUri): Listing {
  const { manifest, serviceType } = draft;
  const hash = manifestHash(manifest);
  if (hash !== draft.manifestHash) {
    throw new CommandFailedError(
      `Manifest hash mismatch: the manifest hashes to ${hash}, the draft says ${draft.manifestHash}. Draft it again.`,
    );
  }
  const [named, packageId] = [parseServiceType(manifest.serviceType), normalizeAddress(manifest.packageId)];
  if ('error' in named || named.canonical !== serviceType || packageId === undefined) {
    throw new CommandFailedError(
      `Service type mismatch: the manifest says ${manifest.serviceType}, the draft says ${serviceType}.`,
    );
  }
  if (manifestUri === null) {
    throw new CommandFailedError(
      'The manifest has no uri. Draft with --upload, or store it and give --manifest-uri.',
    );
  }
  return { serviceType, packageId, manifestUri, manifestHash: hash };
}

/** Fields of a manifest that `formatDraftLines` shows in lines of their own. */
const shownInOwnLines = ['name', 'category', 'summary', 'ops', 'serviceType', 'packageId'];

/** Everything that a draft promises, shown before it is signed. */
export function formatDraftLines({ manifest, serviceType, manifestHash }: Draft): string[] {
  const listed: readonly ListedOp[] = manifest.ops;
  const ops = listed.map((op) => [
    `${op.module}::${op.entry}`,
    [op.kind, ...(op.intentMode === undefined ? [] : [`intent ${op.intentMode}`])].join(', '),
    displayText(String(op.label ?? '')),
    isExecutable(op) ? describeCalls(op) : `none: ${opFault(op)?.detail}`,
  ]);
  const others = Object.entries(manifest).filter(([name]) => !shownInOwnLines.includes(name));
  return [
    `${displayText(manifest.name)}, ${displayText(manifest.category)}: ${displayText(manifest.summary)}`,
    ...formatTable(['OP', 'KIND', 'LABEL', 'CALL'], ops),
    ...others.map(([name, value]) => formatField(displayText(name), describeField(name, value))),
    formatField('package', manifest.packageId),
    formatField('service type', serviceType),
    formatField('manifest hash', manifestHash),
  ];
}

const formatField = (name: string, value: string): string => `${name.padEnd(13)}  ${value}`;

function describeField(name: string, value: unknown): string {
  if (name === 'feeBps') return `${Number(value) / 100} % of the amount`;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return displayText(value.join(', '));
  return displayText(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Warnings, shown before a draft is signed. */
export function formatWarningLines(warnings: Draft['warnings']): string[] {
  return warnings.map(({ code, op, detail }) => `warning  ${op ? `${op}: ` : ''}${detail} (${code})`);
}

/** Describes the calls of an op. A call of another package than the listed one names it. */
function describeCalls(op: ExecutableOp): string {
  const steps = listOpSteps(op);
  const calls = steps.map(({ packageId, module, entry, typeArgs, args }) => {
    const types = typeArgs.length === 0 ? '' : `<${typeArgs.join(', ')}>`;
    const list = args.map(describeArgument).join(', ');
    if (steps.length < 2) return types === '' ? list : `${types} ${list}`;
    const home = packageId === undefined ? '' : `${packageId}::`;
    return `${home}${module}::${entry}${types}(${list})`;
  });
  return calls.join(', then ');
}

function describeArgument(one: StepArgument): string {
  if (one.role === 'result') return `result ${one.index ?? 0} of call ${one.call}`;
  if (one.role === 'object') return `object ${one.objectId}`;
  if (one.role === 'pure') {
    const fixed = one.value === undefined ? '' : ` = ${JSON.stringify(one.value)}`;
    return `${one.name ?? 'pure'}: ${one.type}${fixed}`;
  }
  return one.role;
}

export interface DraftOptions {
  name?: string;
  summary?: string;
  category?: string;
  witness?: string;
  integrator?: string;
  object?: string[];
  values?: unknown;
  /** Profile of the publisher. `profile` is a name of the command line's own settings. */
  publisher?: PublisherProfile;
  source?: ManifestSource;
  docsUrl?: string | undefined;
  appUrl?: string | undefined;
  repoUrl?: string | undefined;
  auditUrl?: string | undefined;
  glyph?: string | undefined;
  feeBps?: number | undefined;
  feeRecipient?: string | undefined;
  deprecated?: string;
  successor?: string;
}

/** Options that describe a package to list. */
export function addDraftOptions(command: Command): Command {
  return command
    .option('--name <name>', 'display name; required to draft')
    .option('--summary <text>', 'what it does, in one or two sentences; required to draft')
    .option('--category <category>', 'category (default: guessed)')
    .option('--witness <witness>', 'Name, module::Name or service type; required if the package has several')
    .option('--integrator <id>', 'integrator that the listing is attributed to')
    .option(
      '--object <id>',
      'a shared object that the ops use, such as a pool; may be repeated',
      collectValues(addressArgument),
    )
    .option(
      '--values <json>',
      'names of the values that ops require, in order: {"module::function": ["deadline"]}',
      valuesArgument,
    )
    .option(
      '--publisher <field=text>',
      "a field of your profile: name, domain, icon or link, such as name='Reef Labs' or link='Chat=https://chat.example'; may be repeated",
      addProfileField,
    )
    .option(
      '--source <url@commit>',
      'commit with the source, and the folder of the package after a colon if it is not the top one, such as https://github.com/reef/contracts@<40 hex digits>:packages/pool',
      sourceArgument,
    )
    .option('--deprecated <reason>', 'why new wallets should not begin to use it')
    .option('--successor <service-type>', 'service type to use instead of a deprecated one', serviceArgument);
}

/**
 * Requests a draft from the marketplace, unvalidated.
 * @throws UsageError without a name and a summary
 */
export async function requestDraft(
  { api }: Marketplace,
  options: DraftOptions,
  request: {
    packageId: string;
    network?: string | undefined;
    upload?: boolean | undefined;
    sender?: string | undefined;
  },
): Promise<unknown> {
  const { name, summary, category, witness, integrator, object: objects, values } = options;
  const { publisher: profile, source, deprecated, successor } = options;
  const { docsUrl, appUrl, repoUrl, auditUrl, glyph, feeBps, feeRecipient } = options;
  if (successor !== undefined && deprecated === undefined) {
    throw new UsageError(
      "--successor requires --deprecated. Give the reason too, for example --deprecated 'Version 2 takes a lower fee.'",
    );
  }
  if (name === undefined || summary === undefined) {
    throw new UsageError(
      "To draft give --name and --summary, for example --name 'Nest Egg' --summary 'Keeps coins in a vault.'",
    );
  }
  const about = { name, summary, category, witness, integrator, objects, values };
  const links = { docsUrl, appUrl, repoUrl, auditUrl };
  const details = { profile, source, ...links, glyph, feeBps, feeRecipient, deprecated, successor };
  return await api.draftListing({ body: { ...request, ...about, ...details } as DraftListingData['body'] });
}

/** Fields of a manifest that only its publisher decides. A draft has them exactly if the request did. */
const publisherFields = [
  'name',
  'summary',
  'docsUrl',
  'repoUrl',
  'auditUrl',
  'appUrl',
  'glyph',
  'feeBps',
  'feeRecipient',
  'deprecated',
  'successor',
] as const;

/**
 * Checks that a draft is the one that was requested, before anything is signed. The marketplace decides only what the
 * request left open: the category, the integrator of the API key, and the ops.
 * @throws CommandFailedError that names the mismatch
 */
export function requireRequested(
  { manifest, serviceType }: Pick<Draft, 'manifest' | 'serviceType'>,
  request: DraftOptions & { packageId: string; network?: string | undefined },
): void {
  const { witness, category, integrator, network, publisher, source } = request;
  const mismatch = [
    ...publisherFields.filter((name) => manifest[name] !== Reflect.get(request, name)),
    ...(canonicalJson(manifest.profile ?? null) === canonicalJson(publisher ?? null) ? [] : ['profile']),
    ...(canonicalJson(manifest.source ?? null) === canonicalJson(source ?? null) ? [] : ['source']),
    ...(normalizeAddress(manifest.packageId) === normalizeAddress(request.packageId) ? [] : ['packageId']),
    ...(category === undefined || manifest.category === category ? [] : ['category']),
    ...(integrator === undefined || manifest.integrator === integrator ? [] : ['integrator']),
    ...(witness === undefined || isNamed(serviceType, witness) ? [] : ['serviceType']),
    ...(network === undefined || manifest.networks?.join() === network ? [] : ['networks']),
  ];
  if (mismatch.length === 0) return;
  throw new CommandFailedError(
    `The marketplace returned a draft that does not match the request (${mismatch.join(', ')}). Nothing was signed.`,
  );
}

/** @param witness Name, module::Name or service type */
function isNamed(serviceType: string, witness: string): boolean {
  const named = parseServiceType(witness);
  return 'error' in named ? serviceType.endsWith(`::${witness}`) : serviceType === named.canonical;
}

const valuesSchema = z.record(z.string(), z.array(z.unknown()));

function valuesArgument(text: string): unknown {
  try {
    return valuesSchema.parse(JSON.parse(text));
  } catch {
    throw new InvalidArgumentError(
      'Expected JSON, an array of names for each function, for example {"module::function": ["deadline"]}.',
    );
  }
}
