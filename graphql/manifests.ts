import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';
import DataLoader from 'dataloader';
import { type ManifestPart, readManifestParts } from '../db/queries/catalog/manifests.ts';
import type { Queryable } from '../db/queries/queryable.ts';
import { answerTooLarge, readBytesMax } from './limits/too-large.ts';
import { JsonText } from './limits/write.ts';

/** Manifests keep keys that nobody has named; the graph has fields for the others. */
type Named<T> = { [K in keyof T as string extends K ? never : K]: T[K] };

export type Operation = Named<Manifest['ops'][number]>;
export type ManifestHead = Omit<Named<Manifest>, 'ops'>;

/** Reads the manifests of one query by their hashes: each part once, however often it is asked for. */
export interface Manifests {
  head(hash: string): Promise<ManifestHead>;
  ops(hash: string): Promise<Operation[]>;
  whole(hash: string): Promise<JsonText>;
}

export function manifestsOf(db: Queryable): Manifests {
  const head = loaderOf(db, 'head', (text) => JSON.parse(text) as ManifestHead);
  const ops = loaderOf(db, 'ops', (text) => JSON.parse(text) as Operation[]);
  const whole = loaderOf(db, 'whole', (text) => new JsonText(text));
  return {
    head: (hash) => head.load(hash),
    ops: (hash) => ops.load(hash),
    whole: (hash) => whole.load(hash),
  };
}

function loaderOf<T>(db: Queryable, part: ManifestPart, parse: (text: string) => T): DataLoader<string, T> {
  return new DataLoader(async (hashes) => {
    const texts = await readManifestParts(db, part, hashes, readBytesMax);
    // All of them were asked for: without one, the rest is of no use to the caller.
    if (texts.includes(undefined)) throw answerTooLarge(`The manifests have more than ${readBytesMax} bytes`);
    return texts.map((text) => parse(text!));
  });
}
