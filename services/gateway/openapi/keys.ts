import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { issuedKeyBody, issueKeyRequest, keysBody } from '../keys/requests.ts';
import { bySecret } from './limits.ts';
import { ok, refused } from './responses.ts';

const badBody = refused('The body is no JSON object, or a field is missing or wrong; errors names each.');
const noStore = refused(
  '`kv_not_configured`: this host has no key-value store. `kv_unavailable`: it is out.',
);

/** The admin's paths. */
export const keyPaths: ZodOpenApiPathsObject = {
  '/api/adaptors/keys': {
    get: {
      operationId: 'listKeys',
      tags: ['keys'],
      summary: 'API keys of this host',
      security: bySecret,
      responses: { 200: ok('Without the keys themselves.', keysBody), 503: noStore },
    },
    post: {
      operationId: 'issueKey',
      tags: ['keys'],
      summary: 'Issue an API key',
      security: bySecret,
      requestBody: { required: true, content: { 'application/json': { schema: issueKeyRequest } } },
      responses: {
        200: ok('The key, which is shown here and never again.', issuedKeyBody),
        400: badBody,
        413: refused('The body is too large.'),
        415: refused('The body is not sent as application/json in UTF-8.'),
        503: noStore,
      },
    },
  },
  '/api/adaptors/keys/{id}': {
    delete: {
      operationId: 'revokeKey',
      tags: ['keys'],
      summary: 'Revoke an API key',
      description: 'Effective with its next request.',
      security: bySecret,
      requestParams: { path: z.object({ id: z.string() }) },
      responses: {
        204: { description: 'Revoked.' },
        404: refused('`key_not_found`: there is no key of this id.'),
        503: noStore,
      },
    },
  },
};
