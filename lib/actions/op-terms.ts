import { canonicalType, normalizeAddress } from '@adaptor-marketplace/adaptor';
import {
  type ExecutableOp,
  encodePure,
  isExecutable,
  type ListedManifest,
  listOpArguments,
  listOpSteps,
  listOpTypeArgs,
  type StepArgument,
} from '@adaptor-marketplace/adaptor/manifest';

/** The terms of an op as a tool: all that a list of tools shows of it. The indexer stores them beside the manifest. */
export interface OpTerms {
  /** `module::entry`. */
  op: string;
  /** Called packages and fixed objects, without duplicates. */
  packages: string[];
  objects: string[];
  /** Values that the listing sets, in the order of the calls. Several can have one name. */
  fixed: FixedValue[];
  /** `true` if another op of the manifest has the same function. */
  shared: boolean;
  /** Arguments that the op takes beside coins and values. */
  takes: OpArgument[];
  /** Values that the caller sets, in the order of the tool's arguments `value1`, `value2` and so on. */
  values: OpenValue[];
  /** The publisher's names of the adaptor and the op. */
  names: { adaptor: string; label: string | null };
}

const opArguments = ['amount', 'minOut', 'coinIn', 'coinOut'] as const;
type OpArgument = (typeof opArguments)[number];

export interface OpenValue {
  /** Name in the manifest, chosen by the publisher. */
  name: string;
  type: string;
}

export interface FixedValue extends OpenValue {
  value: unknown;
}

/** An op of a manifest as a tool. */
export interface OpEntry {
  /** Index in `manifest.ops`. */
  position: number;
  terms: OpTerms;
}

/** Ops of one manifest that become tools. A list of tools has no room for more. */
export const opEntriesMax = 124;
/** Characters of the fixed values of an op, as JSON. A person cannot read more of them before confirming. */
const fixedValuesMax = 1_000;
/** Characters of the terms of an op, as JSON: a list of tools is read whole, by models and by this service. */
const termsMax = 4_000;

/**
 * Describes the first executable ops of a manifest. An op that a person could not read before confirming has no tool, and
 * of several that make the same call only the first has one.
 */
export function describeOps(manifest: Pick<ListedManifest, 'name' | 'packageId' | 'ops'>): OpEntry[] {
  const packageId = normalizeAddress(manifest.packageId);
  if (packageId === undefined) return [];
  const functions = new Map<string, number>();
  for (const { module, entry } of manifest.ops) {
    const op = `${module}::${entry}`;
    functions.set(op, (functions.get(op) ?? 0) + 1);
  }
  /** Entries by what they call. */
  const found = new Map<string, OpEntry>();
  for (const [position, op] of manifest.ops.entries()) {
    if (found.size >= opEntriesMax) break;
    if (!isExecutable(op)) continue;
    const shared = functions.get(`${op.module}::${op.entry}`)! > 1;
    const terms = describeOp(op, packageId, manifest.name, shared);
    if (JSON.stringify(terms.fixed).length > fixedValuesMax || JSON.stringify(terms).length > termsMax)
      continue;
    const calls = identifyCalls(packageId, op);
    if (!found.has(calls)) found.set(calls, { position, terms });
  }
  return [...found.values()];
}

function describeOp(op: ExecutableOp, packageId: string, adaptor: string, shared: boolean): OpTerms {
  const args = listOpArguments(op);
  const taken = new Set<string>([...args.map(({ role }) => role), ...listOpTypeArgs(op)]);
  return {
    op: `${op.module}::${op.entry}`,
    packages: [...new Set(listOpSteps(op).map((step) => step.packageId ?? packageId))],
    objects: [...new Set(args.flatMap((one) => (one.role === 'object' ? [one.objectId] : [])))],
    fixed: collectFixedValues(args),
    shared,
    takes: opArguments.filter((one) => taken.has(one)),
    values: collectOpenValues(args),
    names: { adaptor, label: op.label ?? null },
  };
}

/** Returns a text that ops share if they are one function and make the same calls. */
function identifyCalls(packageId: string, op: ExecutableOp): string {
  const open = collectOpenValues(listOpArguments(op)).map(({ name }) => name);
  const calls = listOpSteps(op).map((step) => [
    normalizeAddress(step.packageId ?? packageId),
    step.module,
    step.entry,
    step.typeArgs.map((type) => canonicalType(type) ?? type),
    step.args.map((one) => identifyArgument(one, open)),
  ]);
  return JSON.stringify([`${op.module}::${op.entry}`, calls]);
}

/** @param open names of the values that the caller sets: equal names receive one value */
function identifyArgument(one: StepArgument, open: readonly string[]): unknown {
  if (one.role === 'object') return [one.role, normalizeAddress(one.objectId)];
  if (one.role === 'result') return [one.role, one.call, one.index ?? 0];
  if (one.role !== 'pure') return [one.role];
  const { name = one.type, type, value } = one;
  if (value === undefined) return [one.role, type, open.indexOf(name)];
  return [one.role, type, -1, encodePure(type, value)];
}

type PureArgument = Extract<StepArgument, { role: 'pure' }>;

const listPures = (args: readonly StepArgument[]) =>
  args.filter((one): one is PureArgument => one.role === 'pure');

/** The values that the caller states beside coins: one for all calls that use the name. */
function collectOpenValues(args: readonly StepArgument[]): OpenValue[] {
  const open = listPures(args).filter(({ value }) => value === undefined);
  return [...new Map(open.map(({ name = '', type }) => [name || type, type]))].map(([name, type]) => ({
    name,
    type,
  }));
}

const collectFixedValues = (args: readonly StepArgument[]): FixedValue[] =>
  listPures(args).flatMap(({ name, type, value }) =>
    value === undefined ? [] : [{ name: name ?? type, type, value }],
  );
