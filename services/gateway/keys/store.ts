import { z } from 'zod';
import { apiKeys, randomId, tokenDigest } from '../../../lib/credentials/token.ts';
import { type Kv, parseRecord } from '../../../lib/kv/kv.ts';

/** What the store keeps of a key: everything but the key. */
const keyRecord = z.object({
  id: z.string(),
  integrator: z.string(),
  ratePerMin: z.int().min(1),
  label: z.string().optional(),
  createdMs: z.int(),
});
type KeyRecord = z.infer<typeof keyRecord>;

type NewKey = Pick<KeyRecord, 'integrator' | 'ratePerMin' | 'label'>;

/** Hash of key id to digest, by which keys are listed and found again by their id. */
const indexKey = 'keys';

/** The braces keep a key's record and its counter on one node of a cluster. */
export const recordKey = (digest: string) => `key:{${digest}}`;
export const counterKey = (digest: string) => `limit:{${digest}}`;

/** Undefined for what `issueKey` did not write. */
export function parseKeyRecord(text: string | undefined): KeyRecord | undefined {
  return parseRecord(keyRecord, text);
}

/** Makes a key. It is answered here and never again. */
export async function issueKey(kv: Kv, wanted: NewKey): Promise<KeyRecord & { key: string }> {
  const key = apiKeys.make();
  const digest = tokenDigest(key);
  const id = randomId('key_');
  const record: KeyRecord = { id, ...wanted, createdMs: Date.now() };
  // Aborted between the two, an id is left that leads to nothing; the other way it would be a key nobody sees.
  await kv.hashSet(indexKey, id, digest);
  await kv.set(recordKey(digest), JSON.stringify(record));
  return { ...record, key };
}

/** All keys, oldest first. */
export async function listKeys(kv: Kv): Promise<KeyRecord[]> {
  const digests = [...(await kv.hashAll(indexKey)).values()];
  const texts = await kv.getMany(digests.map(recordKey));
  const records = texts.flatMap((text) => parseKeyRecord(text) ?? []);
  return records.sort((a, b) => a.createdMs - b.createdMs || (a.id < b.id ? -1 : 1));
}

/** Ends a key, from its next request on. False where there is none of this id. */
export async function revokeKey(kv: Kv, id: string): Promise<boolean> {
  const digest = (await kv.hashAll(indexKey)).get(id);
  if (digest === undefined) return false;
  const existed = await kv.delete(recordKey(digest));
  await kv.hashDelete(indexKey, id);
  return existed;
}
