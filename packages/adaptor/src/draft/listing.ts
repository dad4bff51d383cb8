import type { Inference } from '../infer/inference.ts';
import type { Sequence } from '../infer/sequence.ts';
import type { IntrospectedOp, IntrospectedWitness } from '../introspect/types.ts';
import type { CallSpec } from '../manifest/call-spec.ts';
import { manifestHash } from '../manifest/hash.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { canonicalType, typeParamIndex } from '../move-types.ts';
import type { Network } from '../networks.ts';
import { isSystemPackage } from '../packages/system.ts';
import { type DraftedCall, draftCall, type InferredValue } from './call.ts';
import { chooseCategory, classifyOp } from './kind.ts';
import type { NamedObject } from './objects.ts';
import { describeValues, type RequiredValue } from './required-values.ts';
import { draftSequence } from './sequence.ts';
import type { Warning } from './warning.ts';

/** Optional fields of a manifest that the publisher provides. */
type ManifestDetails = Pick<
  Manifest,
  | ('docsUrl' | 'repoUrl' | 'auditUrl' | 'appUrl' | 'glyph' | 'profile' | 'feeBps' | 'feeRecipient')
  | ('source' | 'deprecated' | 'successor')
>;

/** Statements of the publisher, and facts found out about the package. */
export interface ListingFacts {
  /** Canonical id of the package version that is called. */
  packageId: string;
  network: Network;
  name: string;
  summary: string;
  /** Default: a guess from the ops. */
  category?: Manifest['category'] | undefined;
  integrator?: string | undefined;
  details?: ManifestDetails | undefined;
  witness: IntrospectedWitness;
  /** The ops of the service, from `selectOps`. */
  ops: readonly IntrospectedOp[];
  /** The ops that act only as other services, from `selectOps`. */
  foreign: readonly IntrospectedOp[];
  /** Past calls by an op's `fqn`, or the reason why they are not known. */
  past: ReadonlyMap<string, Inference | { unknown: string }>;
  /** Objects that the publisher named. */
  objects: readonly NamedObject[];
  /** Values that callers of the executable ops must provide, by `fqn`. */
  values: ReadonlyMap<string, readonly RequiredValue[]>;
}

/** A drafted manifest, its lower-case hex sha256, and the warnings for its publisher. */
export interface ListingDraft {
  manifest: Manifest;
  manifestHash: string;
  warnings: Warning[];
}

/** The manifest's own bounds. */
const opsMax = 256;
const supportedCoinsMax = 256;

/**
 * Drafts a manifest. It gets an op for each function that is a transaction by itself, or that past transactions always
 * combined with others in one way, if nothing is missing for its calls.
 */
export function draftListing(facts: ListingFacts): ListingDraft {
  const drafted = facts.ops
    .filter((op) => op.executable || findSequence(op, facts))
    .map((op) => draftOp(op, facts));
  const whole = drafted.filter(({ op }) => op.call ?? op.calls);
  const called = new Set(drafted.flatMap(({ ownCalls }) => ownCalls));
  const listed = whole.slice(0, opsMax);
  const coins = [...new Set(listed.flatMap((one) => one.coins))].sort();
  const manifest: Manifest = {
    name: facts.name,
    // An op that lacks an object today still shows what the service is about.
    category: facts.category ?? chooseCategory(drafted.map(({ op }) => op)),
    summary: facts.summary,
    serviceType: facts.witness.serviceType,
    packageId: facts.packageId,
    ops: listed.map(({ op }) => op),
    ...(coins.length > 0 && { supportedCoins: coins.slice(0, supportedCoinsMax) }),
    ...(facts.integrator !== undefined && { integrator: facts.integrator }),
    ...omitUndefined(facts.details ?? {}),
    networks: [facts.network],
  };
  const warnings: Warning[] = [
    ...facts.witness.warnings,
    ...facts.ops.filter((op) => !op.executable && !called.has(formatOpName(op))).map(warnLeftOut),
    ...facts.foreign.map((op) => warnForeign(op, facts.witness)),
    ...drafted.flatMap((one) => one.warnings),
    ...listMinedObjects(listed),
    ...listMinedPackages(listed),
    ...(whole.length > opsMax ? [warnTooMany(whole.length)] : []),
    ...(facts.ops.length === 0 ? [noOps] : []),
  ];
  return { manifest, manifestHash: manifestHash(manifest), warnings };
}

/** The fields that have a value. */
const omitUndefined = (details: ManifestDetails): ManifestDetails =>
  Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined)) as ManifestDetails;

interface DraftedOp {
  op: Manifest['ops'][number];
  /** Types of the coins that it moves, as far as known. */
  coins: string[];
  mined: string[];
  /** Functions of the package itself that the op's calls use, as `module::function`. */
  ownCalls: string[];
  warnings: Warning[];
}

/**
 * Returns the calls that past transactions combined an op with. Undefined for an op that is a transaction by itself.
 */
function findSequence(op: IntrospectedOp, { past }: Pick<ListingFacts, 'past'>): Sequence | undefined {
  const found = past.get(op.fqn);
  return (!op.executable && found && 'samples' in found && found.sequence) || undefined;
}

function draftOp(op: IntrospectedOp, { past, objects, ...facts }: ListingFacts): DraftedOp {
  const { module, entry, intentMode } = op;
  const found = past.get(op.fqn);
  const known = found && 'samples' in found ? found : undefined;
  const values = facts.values.get(op.fqn) ?? [];
  const own = draftCall(op, known, { objects, values });
  const { call, inferred, typeArgs } = own;
  const sequence = findSequence(op, { past });
  const several = call && sequence ? draftSequence(sequence, call) : undefined;
  const isWhole = sequence ? several?.calls !== undefined : call !== undefined;
  const drafted = {
    kind: classifyOp(op),
    module,
    entry,
    label: formatLabel(entry),
    ...(intentMode && { intentMode }),
    ...(sequence ? several?.calls && { calls: several.calls } : call && { call }),
  };
  const missing = [...own.missing, ...(several?.missing ?? [])];
  const warnings =
    call && isWhole
      ? [...warnUnnamed(op, call, values), ...inferred.map((one) => warnFromPastCalls(op, one))]
      : [warnIncomplete(op, missing, found)];
  const mined = isWhole ? [...new Set([...own.mined, ...(several?.mined ?? [])])] : [];
  const ownCalls = (sequence?.calls ?? []).flatMap(({ packageId, module: owner, entry: name }) =>
    packageId === null ? [`${owner}::${name}`] : [],
  );
  return { op: drafted, coins: findCoinTypes(op, typeArgs, known), mined, ownCalls, warnings };
}

/** Finds the types of an op's coins, in its fixed objects or in any past call. */
function findCoinTypes(
  op: IntrospectedOp,
  typeArgs: DraftedCall['typeArgs'],
  past: Inference | undefined,
): string[] {
  // Money that another call of the transaction brings in: this op only has a minimum for it.
  const promised = op.params.flatMap(({ role, coin }) => (role === 'minOut' && coin ? [coin] : []));
  const moved = [...op.coinsIn, ...op.coinsOut, ...(op.executable ? [] : promised)];
  return moved.flatMap((coin) => {
    const index = typeParamIndex(coin);
    if (index === undefined) return canonicalType(coin) ?? [];
    const types = typeArgs[index] ?? past?.typeArgCandidates[index]?.map(({ type }) => type) ?? [];
    return [types].flat().flatMap((type) => canonicalType(type) ?? []);
  });
}

/** `swap_a_to_b` is "Swap a to b". */
function formatLabel(entry: string): string {
  const words = entry.split('_').filter(Boolean).join(' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

const formatOpName = ({ module, entry }: IntrospectedOp) => `${module}::${entry}`;

function warnLeftOut(op: IntrospectedOp): Warning {
  const why = op.reason?.detail ?? 'It is not a complete transaction.';
  const code = op.reason?.code === 'needs_public' ? op.reason.code : 'not_executable';
  return { code, op: formatOpName(op), detail: `Not in the manifest: ${why}` };
}

function warnForeign(op: IntrospectedOp, { serviceType }: IntrospectedWitness): Warning {
  const services = (op.services ?? []).join(', ');
  return {
    code: 'other_service',
    op: formatOpName(op),
    detail: `Not in the manifest: It acts in the wallet with the witness of ${services}, not of ${serviceType}.`,
  };
}

function warnIncomplete(
  op: IntrospectedOp,
  missing: string[],
  past: Inference | { unknown: string } | undefined,
): Warning {
  const unknown = past && 'unknown' in past ? ` Its past calls are not known: ${past.unknown}` : '';
  return {
    code: 'no_call',
    op: formatOpName(op),
    detail: `Not in the manifest: ${missing.join('; ')}.${unknown}`,
  };
}

function warnUnnamed(op: IntrospectedOp, { args }: CallSpec, values: readonly RequiredValue[]): Warning[] {
  const open = values.filter(({ index }) => {
    const argument = args[index];
    return argument?.role === 'pure' && argument.value === undefined;
  });
  if (open.every(({ telling }) => telling)) return [];
  const detail = `Callers are asked for ${describeValues(open)}: say in values what these are.`;
  return [{ code: 'unnamed_values', op: formatOpName(op), detail }];
}

/** Warns of a value that past calls agree on. Anyone can make calls, so the publisher has to confirm it. */
function warnFromPastCalls(op: IntrospectedOp, { name, value, from }: InferredValue): Warning {
  const { calls, senders, latest } = from;
  const named = latest.map(({ sender, digest }) => `${sender} (transaction ${digest})`).join(', ');
  const others = senders > latest.length ? ` and ${senders - latest.length} more` : '';
  const detail =
    `${name} is fixed to ${JSON.stringify(value)}, inferred from past calls: all ${calls} used it, of ${senders} ` +
    `senders: ${named}${others}. Check it. To ask callers for it, name it in values.`;
  return { code: 'value_from_past_calls', op: formatOpName(op), detail, from };
}

/**
 * Warns of objects that come from past calls. Anyone can call a function with objects of their own, so the publisher
 * has to confirm them.
 */
function listMinedObjects(drafted: readonly DraftedOp[]): Warning[] {
  const objects = new Set(drafted.flatMap(({ mined }) => mined));
  return [...objects].map((objectId) => {
    const ops = drafted.filter(({ mined }) => mined.includes(objectId)).map(({ op }) => op.entry);
    const detail = `All past calls of ${ops.join(', ')} used ${objectId}: check that it is yours, or name it in objects.`;
    return { code: 'object_from_past_calls', detail };
  });
}

/**
 * Warns of other packages that an op calls. Past calls alone chose them, and anyone can make calls, so the publisher
 * has to confirm them.
 */
function listMinedPackages(drafted: readonly DraftedOp[]): Warning[] {
  return drafted.flatMap(({ op }) => {
    const called = (op.calls ?? []).flatMap(({ packageId }) => packageId ?? []);
    return [...new Set(called)]
      .filter((id) => !isSystemPackage(id))
      .map((id) => ({
        code: 'package_from_past_calls',
        op: `${op.module}::${op.entry}`,
        detail: `All past calls of ${op.entry} also called the package ${id} in the same transaction, and so does the op: check that it is the one that you mean.`,
      }));
  });
}

const warnTooMany = (count: number): Warning => ({
  code: 'too_many_ops',
  detail: `Only ${opsMax} of ${count} ops are in the manifest.`,
});

const noOps: Warning = {
  code: 'no_ops',
  detail: 'No function of the package that belongs to this witness does anything with a wallet.',
};
