import type { ListedManifest } from '@adaptor-marketplace/adaptor/manifest';
import { type ListedOp, type OpFault, opSchema } from '@adaptor-marketplace/adaptor/op';
import { type OpMisfit, opFaultsOf, withMisfits } from '@adaptor-marketplace/adaptor/op-faults';
import DataLoader from 'dataloader';
import type { z } from 'zod';
import { type ManifestPart, readManifestParts } from '../db/queries/catalog/manifests.ts';
import type { Queryable } from '../db/queries/queryable.ts';
import { answerTooLarge, JsonText, readBytesMax } from './answer-size.ts';

/** Manifests keep keys that nobody has named; the graph has fields for the others. */
type Named<T> = { [K in keyof T as string extends K ? never : K]: T[K] };

export type ManifestHead = Omit<Named<ListedManifest>, 'ops'>;

/** An op as the graph shows it: a field that is missing or wrong is null. */
export interface Operation {
  kind: string | null;
  module: string | null;
  entry: string | null;
  label: string | null;
  intentMode: string | null;
  /** Null where the op is not executable. */
  call: unknown;
  /** Null where the op is executable. */
  reason: OpFault | null;
}

/** Reads the manifests of one query by their hashes: each part once, however often it is asked for. */
export interface Manifests {
  head(hash: string): Promise<ManifestHead>;
  ops(hash: string): Promise<Operation[]>;
  whole(hash: string): Promise<JsonText>;
}

export function manifestsOf(db: Queryable): Manifests {
  const head = loaderOf(db, 'head', (text) => JSON.parse(text) as ManifestHead);
  const ops = loaderOf(db, 'ops', (text, hash) => operationsOf(hash, JSON.parse(text)));
  const whole = loaderOf(db, 'whole', (text) => new JsonText(text));
  return {
    head: (hash) => head.load(hash),
    ops: (hash) => ops.load(hash),
    whole: (hash) => whole.load(hash),
  };
}

function operationsOf(hash: string, ops: readonly ListedOp[]): Operation[] {
  const reasons = new Map(opFaultsOf(hash, ops).map(({ index, reason }) => [index, reason]));
  const { kind, module, entry, label, intentMode } = opSchema.shape;
  return ops.map((op, index) => {
    const reason = reasons.get(index) ?? null;
    return {
      kind: sound(kind, op.kind),
      module: sound(module, op.module),
      entry: sound(entry, op.entry),
      label: sound(label, op.label),
      intentMode: sound(intentMode, op.intentMode),
      call: reason ? null : op.call,
      reason,
    };
  });
}

/** The ops with what the package adds: one whose call does not fit its function is not executable either. */
export function withReasons(
  ops: readonly Operation[],
  hash: string,
  misfits: readonly OpMisfit[],
): readonly Operation[] {
  if (misfits.length === 0) return ops;
  const reasons = new Map(withMisfits(hash, [], misfits).map(({ index, reason }) => [index, reason]));
  return ops.map((op, index) => {
    const reason = op.reason ?? reasons.get(index);
    return reason ? { ...op, call: null, reason } : op;
  });
}

const sound = (schema: z.ZodType<string | undefined>, value: unknown): string | null =>
  schema.safeParse(value).data ?? null;

function loaderOf<T>(
  db: Queryable,
  part: ManifestPart,
  parse: (text: string, hash: string) => T,
): DataLoader<string, T> {
  return new DataLoader(async (hashes) => {
    const texts = await readManifestParts(db, part, hashes, readBytesMax);
    // All of them were asked for: without one, the rest is of no use to the caller.
    if (texts.includes(undefined)) throw answerTooLarge(`The manifests have more than ${readBytesMax} bytes`);
    return texts.map((text, at) => parse(text!, hashes[at]!));
  });
}
