import {
  findOpCoins,
  findOpFaults,
  type ListedManifest,
  type ListedOp,
  type OpCoins,
  type OpFault,
  type OpMisfit,
  opSchema,
  withMisfits,
} from '@adaptor-marketplace/adaptor/manifest';
import DataLoader from 'dataloader';
import type { z } from 'zod';
import { type ManifestPart, readManifestParts } from '../db/queries/catalog/manifests.ts';
import type { Queryable } from '../db/queries/queryable.ts';
import { mapTexts } from '../lib/concurrency/turns.ts';
import { answerTooLarge, JsonText, readBytesMax } from './execution/answer-size.ts';

/** The keys that the schema of a manifest names. A manifest may hold others. */
type OmitIndexSignature<T> = { [K in keyof T as string extends K ? never : K]: T[K] };

export type ManifestHead = Omit<OmitIndexSignature<ListedManifest>, 'ops'>;

/** An op of a manifest. A missing or invalid field is null. */
export interface Operation {
  kind: string | null;
  module: string | null;
  entry: string | null;
  label: string | null;
  intentMode: string | null;
  /** Null if the op is not executable, or is several calls. */
  call: unknown;
  /** Null if the op is not executable, or is one call. */
  calls: unknown;
  /** Coins that its fixed objects settle. */
  coinIn: string | null;
  coinOut: string | null;
  /** Null if the op is executable. */
  reason: OpFault | null;
}

/** Findings about the ops of a listing that only the chain shows. */
export interface CheckedOps {
  misfits: readonly OpMisfit[];
  settledCoins: readonly OpCoins[];
}

/** Loads manifests by hash, and each part of a manifest once for each query. */
export interface Manifests {
  /** Returns a field of the head. It is not a promise if the field is known, because each promise delays the query. */
  field<Key extends keyof ManifestHead>(
    hash: string,
    key: Key,
  ): ManifestHead[Key] | Promise<ManifestHead[Key]>;
  /** Takes fields that another statement has read, as the JSON text of an object. */
  addFields(hash: string, text: string): void;
  ops(hash: string): Promise<Operation[]>;
  whole(hash: string): Promise<JsonText>;
}

export function createManifests(db: Queryable): Manifests {
  /** Heads by manifest hash. Each is parsed when its first field is read. */
  const heads = new Map<string, string | Partial<ManifestHead>>();
  const head = createLoader(db, 'head', (text) => JSON.parse(text) as ManifestHead);
  const ops = createLoader(db, 'ops', (text, hash) => toOperations(hash, JSON.parse(text)));
  const whole = createLoader(db, 'whole', (text) => new JsonText(text));
  return {
    field<Key extends keyof ManifestHead>(hash: string, key: Key) {
      let known = heads.get(hash);
      if (typeof known === 'string') {
        known = JSON.parse(known) as Partial<ManifestHead>;
        heads.set(hash, known);
      }
      if (known && key in known) return known[key] as ManifestHead[Key];
      return head.load(hash).then((whole) => whole[key]);
    },
    addFields: (hash, text) => void heads.set(hash, text),
    ops: (hash) => ops.load(hash),
    whole: (hash) => whole.load(hash),
  };
}

/** Caches the manifest fields that were read together with an entry. */
export function takeFields<Entry extends { manifestHash: string; head: string | null }>(
  manifests: Manifests,
  entry: Entry,
): Omit<Entry, 'head'> {
  if (entry.head !== null) manifests.addFields(entry.manifestHash, entry.head);
  return entry;
}

function toOperations(hash: string, ops: readonly ListedOp[]): Operation[] {
  const reasons = new Map(findOpFaults(hash, ops).map(({ index, reason }) => [index, reason]));
  const { kind, module, entry, label, intentMode } = opSchema.shape;
  return ops.map((op, index) => {
    const reason = reasons.get(index) ?? null;
    return {
      kind: validOrNull(kind, op.kind),
      module: validOrNull(module, op.module),
      entry: validOrNull(entry, op.entry),
      label: validOrNull(label, op.label),
      intentMode: validOrNull(intentMode, op.intentMode),
      call: (reason ? null : op.call) ?? null,
      calls: (reason ? null : op.calls) ?? null,
      coinIn: null,
      coinOut: null,
      reason,
    };
  });
}

/** Adds what only the chain shows: an op whose call does not fit its function is not executable, others have their coins. */
export function withChecked(
  ops: readonly Operation[],
  hash: string,
  { misfits, settledCoins }: CheckedOps,
): readonly Operation[] {
  if (misfits.length === 0 && settledCoins.length === 0) return ops;
  const faults = withMisfits(hash, [], misfits);
  const reasons = new Map(faults.map(({ index, reason }) => [index, reason]));
  const coins = new Map(findOpCoins(hash, settledCoins, faults).map((one) => [one.index, one]));
  return ops.map((op, index) => {
    const reason = op.reason ?? reasons.get(index);
    if (reason) return { ...op, call: null, calls: null, reason };
    const settled = coins.get(index);
    return settled ? { ...op, coinIn: settled.coinIn, coinOut: settled.coinOut } : op;
  });
}

const validOrNull = (schema: z.ZodType<string | undefined>, value: unknown): string | null =>
  schema.safeParse(value).data ?? null;

function createLoader<T>(
  db: Queryable,
  part: ManifestPart,
  parse: (text: string, hash: string) => T,
): DataLoader<string, T> {
  return new DataLoader(async (hashes) => {
    const texts = await readManifestParts(db, part, hashes, readBytesMax);
    // An answer without one of them would be incomplete.
    if (texts.includes(undefined)) throw answerTooLarge(`The manifests have more than ${readBytesMax} bytes`);
    return await mapTexts(texts as string[], (text, at) => parse(text, hashes[at]!));
  });
}
