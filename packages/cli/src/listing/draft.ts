import { open } from 'node:fs/promises';
import { normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor/chain/names';
import { warningSchema } from '@adaptor-marketplace/adaptor/draft/warning';
import { listedManifestSchema, manifestHash, manifestLimits } from '@adaptor-marketplace/adaptor/manifest';
import type { Listing } from '@adaptor-marketplace/adaptor/registry-calls';
import { z } from 'zod';
import { Refusal } from '../io.ts';
import { fileFailure } from '../output/file-failure.ts';

/** The part of a draft that is gone by here. */
export const draftAnswer = z.object({
  manifest: listedManifestSchema,
  manifestHash: z.string(),
  manifestUri: z.string().nullable(),
  serviceType: z.string(),
  warnings: z.array(warningSchema).default([]),
});
export type Draft = z.infer<typeof draftAnswer>;

/** A draft holds the manifest twice over, and what introspection says. */
const bytesMax = 32 * manifestLimits.bytesMax;

/** What `draft --save` kept in a file. @throws Refusal */
export async function readDraft(path: string): Promise<Draft> {
  const text = await textOf(path);
  const draft = draftAnswer.safeParse(jsonOf(text));
  if (draft.success) return draft.data;
  const [{ path: at, message }] = draft.error.issues as [z.core.$ZodIssue];
  const where = at.length === 0 ? '' : `${at.join('.')}: `;
  throw new Refusal(
    `${path} holds no draft (${where}${message}). Expected a file that "draft --save" or "draft --json" wrote.`,
  );
}

async function textOf(path: string): Promise<string> {
  const unusable = (error: unknown) => {
    throw new Refusal(fileFailure(path, error));
  };
  const file = await open(path).catch(unusable);
  try {
    if ((await file.stat()).size > bytesMax) {
      throw new Refusal(`${path} holds no draft: it is longer than ${bytesMax} bytes.`);
    }
    return await file.readFile('utf8').catch(unusable);
  } finally {
    await file.close();
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * What a draft leaves to be signed, once it is found to be about the manifest that it shows: nothing of it is signed
 * that was not read.
 * @param manifestUri of a manifest that the publisher stored
 * @throws Refusal that says what does not fit
 */
export function listingOf(draft: Draft, manifestUri: string | null = draft.manifestUri): Listing {
  const { manifest, serviceType } = draft;
  const hash = manifestHash(manifest);
  if (hash !== draft.manifestHash) {
    throw new Refusal(`The manifest's hash is ${hash}, the draft says ${draft.manifestHash}: draft again.`);
  }
  const [named, packageId] = [parseServiceType(manifest.serviceType), normalizeAddress(manifest.packageId)];
  if ('error' in named || named.canonical !== serviceType || packageId === undefined) {
    throw new Refusal(`The manifest is about ${manifest.serviceType}, the draft about ${serviceType}.`);
  }
  if (manifestUri === null) {
    throw new Refusal('The manifest has no uri: draft with --upload, or store it and give --manifest-uri.');
  }
  return { serviceType, packageId, manifestUri, manifestHash: hash };
}
