import { z } from 'zod';
import { apiKeys, digestToken, randomId } from '../../../lib/credentials/token.ts';
import { problem } from '../../../lib/errors/index.ts';
import { route } from '../../../lib/http/route.ts';
import { type Kv, parseRecord } from '../../../lib/kv/kv.ts';
import { atMs } from '../openapi/parts.ts';
import { forAdmin, keyStoreProblems } from './caller.ts';

/** Record of a key in the store: everything but the key itself. */
export const keyRecord = z.object({
  id: z.string(),
  integrator: z.string(),
  ratePerMin: z.int().min(1),
  label: z.string().optional(),
  createdMs: z.int(),
});
type KeyRecord = z.infer<typeof keyRecord>;

/** Name of the store's hash of key ids to digests. */
const indexKey = 'keys';

/** The braces keep a key's record and its counter on one node of a cluster. */
export const recordKey = (digest: string) => `key:{${digest}}`;
export const counterKey = (digest: string) => `limit:{${digest}}`;

/** Issues a key. Only this result contains it. */
export async function issueKey(
  kv: Kv,
  settings: z.infer<typeof issueRequest>,
): Promise<KeyRecord & { key: string }> {
  const key = apiKeys.make();
  const digest = digestToken(key);
  const id = randomId('key_');
  const record: KeyRecord = { id, ...settings, createdMs: Date.now() };
  // If the process stops between the two writes, an id without a record is left. In the other order, it would be a
  // valid key that no list shows.
  await kv.hashSet(indexKey, id, digest);
  await kv.set(recordKey(digest), JSON.stringify(record));
  return { ...record, key };
}

/** Lists all keys, oldest first. */
async function listKeys(kv: Kv): Promise<KeyRecord[]> {
  const digests = [...(await kv.hashAll(indexKey)).values()];
  const texts = await kv.getMany(digests.map(recordKey));
  const records = texts.flatMap((text) => parseRecord(keyRecord, text) ?? []);
  return records.sort((a, b) => a.createdMs - b.createdMs || (a.id < b.id ? -1 : 1));
}

/** Revokes a key from its next request on. Returns `false` if no key has this id. */
async function revokeKey(kv: Kv, id: string): Promise<boolean> {
  const digest = (await kv.hashAll(indexKey)).get(id);
  if (digest === undefined) return false;
  const existed = await kv.delete(recordKey(digest));
  await kv.hashDelete(indexKey, id);
  return existed;
}

export interface KeyDependencies {
  /** Undefined if the host has no key-value store. Then no caller is the admin. */
  kv: Kv | undefined;
}

const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
    .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not hold control characters');

const issueRequest = z
  .strictObject({
    integrator: text(64).meta({ description: 'The integrator that listings and usage are attributed to.' }),
    ratePerMin: z.int().min(1).max(1_000_000).meta({ description: "The key's limit, in requests a minute." }),
    label: text(200).optional().meta({ description: 'A name for the key, for the operator.' }),
  })
  .meta({ id: 'IssueKeyRequest' });

const apiKey = z
  .object({
    id: z.string().meta({ description: 'Identifies the key, to revoke it. It is not a secret.' }),
    ...issueRequest.shape,
    createdMs: z.int().meta({ description: 'Milliseconds since the epoch.' }),
  })
  .meta({ id: 'ApiKey' });

export const issuedKey = apiKey
  .extend({ key: z.string().meta({ description: 'The key itself. This response alone contains it.' }) })
  .meta({ id: 'IssuedApiKey' });

export const keysBody = z
  .object({ count: z.int().min(0), keys: z.array(apiKey).meta({ description: 'Oldest first.' }) })
  .meta({ id: 'ApiKeys' });

const request = { integrator: 'acme', ratePerMin: 600, label: 'production' };
const example = { id: 'key_6Vw0Zb3f', ...request, createdMs: atMs };

const issue = route({
  method: 'post',
  path: '/api/adaptors/keys',
  ...forAdmin,
  body: issueRequest,
  operation: {
    operationId: 'issueKey',
    tag: 'keys',
    summary: 'Issue an API key',
    response: { description: 'The new key. Only its hash is stored: save the key now.', schema: issuedKey },
    refusals: keyStoreProblems,
    example: { request, answer: { key: 'mk_4fYt…', ...example } },
  },
  async handler({ body }, { kv }: KeyDependencies): Promise<z.infer<typeof issuedKey>> {
    return await issueKey(kv!, body);
  },
});

const list = route({
  method: 'get',
  path: '/api/adaptors/keys',
  ...forAdmin,
  operation: {
    operationId: 'listKeys',
    tag: 'keys',
    summary: 'List the API keys of this host',
    response: { description: 'What is stored of each key: everything but the key.', schema: keysBody },
    refusals: keyStoreProblems,
    example: { answer: { count: 1, keys: [example] } },
  },
  async handler(_request, { kv }: KeyDependencies): Promise<z.infer<typeof keysBody>> {
    const keys = await listKeys(kv!);
    return { count: keys.length, keys };
  },
});

const revoke = route({
  method: 'delete',
  path: '/api/adaptors/keys/:id',
  parameters: { id: { description: 'Id of the key, not the key itself.', example: example.id } },
  ...forAdmin,
  operation: {
    operationId: 'revokeKey',
    tag: 'keys',
    summary: 'Revoke an API key',
    description: 'The next request with the key is refused.',
    response: { description: 'Revoked.' },
    refusals: ['key_not_found', ...keyStoreProblems],
    example: {},
  },
  async handler({ parameters }, { kv }: KeyDependencies) {
    if (!(await revokeKey(kv!, parameters.id)))
      throw problem('key_not_found', 'No key has this id. GET /api/adaptors/keys lists the keys.');
  },
});

export const keyRoutes = [list, issue, revoke];
