import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';

export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'What is wrong and what to do, for people.' }),
    code: z
      .string()
      .regex(/^[a-z_]+$/)
      .meta({ description: 'Stable word to switch on.' }),
    requestId: z.string().meta({ description: 'Also in the x-request-id header; name it to the host.' }),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'One row per wrong field.' }),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details.' });

const requestId = z.string().meta({ description: 'Names the exchange in logs.' });

/** Headers of every answer. */
export const identified = z.object({ 'x-request-id': requestId });

/** Headers of an answer that can be asked for anew by its tag. */
export const revalidated = identified.extend({
  etag: z.string().meta({ description: 'Send it back as if-none-match to get 304 while nothing changed.' }),
});

/** Headers of an answer that comes out of the index. */
export const indexed = revalidated.extend({
  'x-indexed-checkpoint': z
    .string()
    .optional()
    .meta({ description: 'Highest checkpoint of the chain that the answer covers in full.' }),
});

export function ok(
  description: string,
  schema: z.ZodType,
  headers: z.ZodObject = revalidated,
): ZodOpenApiResponseObject {
  return { description, headers, content: { 'application/json': { schema } } };
}

/** The request header of a conditional read. */
export const ifNoneMatch = z.object({
  'if-none-match': z.string().optional().meta({ description: 'ETags of the copies that the caller has.' }),
});

export const unchanged: ZodOpenApiResponseObject = { description: 'Unchanged since the given ETag.' };
export const notAcceptable = refused(
  '`not_acceptable`: the accept or accept-encoding header refuses every form of the response.',
);

/** What a route that takes a body refuses it with. */
export const badBodyResponses = {
  400: refused('The body is not a JSON object, or a field is missing or invalid; `errors` names each.'),
  413: refused('The body is too large.'),
  415: refused('The body is not sent as application/json in UTF-8.'),
};

export const badQuery = refused(
  '`invalid_query`: a parameter is unknown, repeated or invalid; `errors` names each.',
);

/** Of a route that needs the key-value store. */
export const noStore = refused(
  '`kv_not_configured`: this service has no key-value store. `kv_unavailable`: it cannot be reached.',
);

/** A 204. */
export const done = (description: string): ZodOpenApiResponseObject => ({ description, headers: identified });

export function refused(description: string, headers: z.ZodRawShape = {}): ZodOpenApiResponseObject {
  return {
    description,
    headers: identified.extend(headers),
    content: { 'application/problem+json': { schema: problem } },
  };
}
