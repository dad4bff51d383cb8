import { z } from 'zod';
import { problem } from '../../../lib/errors/index.ts';
import { sendJson, sendNothing } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import type { Kv } from '../../../lib/kv/kv.ts';
import { forAdmin, keyStoreProblems } from '../access/caller.ts';
import { atMs } from '../openapi/parts.ts';
import { issueKey, listKeys, revokeKey } from './store.ts';

export interface KeyDependencies {
  /** Absent where the host has no key-value store; then no caller is the admin. */
  kv: Kv | undefined;
}

const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
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

export const apiKeys = z
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
  async handler({ exchange, body }, { kv }: KeyDependencies) {
    const issued: z.infer<typeof issuedKey> = await issueKey(kv!, body);
    await sendJson(exchange, issued);
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
    response: { description: 'What is stored of each key: everything but the key.', schema: apiKeys },
    conditional: true,
    refusals: keyStoreProblems,
    example: { answer: { count: 1, keys: [example] } },
  },
  async handler({ exchange }, { kv }: KeyDependencies) {
    const keys = await listKeys(kv!);
    await sendJson(exchange, { count: keys.length, keys } satisfies z.infer<typeof apiKeys>);
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
  async handler({ exchange, parameters }, { kv }: KeyDependencies) {
    if (!(await revokeKey(kv!, parameters.id)))
      throw problem('key_not_found', 'No key has this id. GET /api/adaptors/keys lists the keys.');
    sendNothing(exchange);
  },
});

/** How the operator issues, lists and revokes API keys. */
export const keyRoutes = [list, issue, revoke];
