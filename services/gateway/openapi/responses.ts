import { z } from 'zod';

export const problem = z
  .object({
    type: z.string().meta({ description: 'Url of a page about `code`.' }),
    title: z.string().meta({ description: 'What `code` means, in a few words.' }),
    status: z.int().meta({ description: 'The HTTP status.' }),
    detail: z.string().meta({ description: 'What is wrong with this request and what to do.' }),
    code: z
      .string()
      .regex(/^[a-z_]+$/)
      .meta({ description: 'Stable word to switch on. docs/errors.md lists all of them.' }),
    requestId: z
      .string()
      .meta({ description: 'Also in the x-request-id header. Name it when you report a problem.' }),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'One row per wrong field.' }),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details.' });

/** Response headers, each defined once. */
export const headers = {
  'x-request-id': z.string().meta({ description: "Identifies the request in the service's log." }),
  etag: z
    .string()
    .meta({ description: 'Send it as if-none-match to get 304 until the response would be another.' }),
  'x-indexed-checkpoint': z
    .string()
    .optional()
    .meta({ description: 'Highest checkpoint of the chain that the response covers in full.' }),
  link: z
    .string()
    .optional()
    .meta({ description: 'The next page with rel="next", where there is one (RFC 8288).' }),
  'retry-after': z.string().optional().meta({ description: 'Seconds to wait before the next request.' }),
  'www-authenticate': z.string().meta({ description: 'The scheme of the credential: Bearer.' }),
  'set-cookie': z.string().meta({ description: 'The session as an http-only cookie, or its removal.' }),
  'x-run-id': z.string().meta({ description: 'Id of the run.' }),
  'x-run-attempt': z
    .string()
    .meta({ description: 'Which attempt of its requestId the run is, counted from 1.' }),
};

/** Headers of a response that comes from the index. */
export const indexedHeader = { 'x-indexed-checkpoint': headers['x-indexed-checkpoint'] };

const limited = 'Present where this host has limits.';
/** Headers of every response. */
export const commonHeaders = {
  'x-request-id': headers['x-request-id'],
  'x-ratelimit-limit': z
    .string()
    .optional()
    .meta({ description: `Requests a minute that the caller may make. ${limited}` }),
  'x-ratelimit-remaining': z
    .string()
    .optional()
    .meta({ description: `Requests left in the window. ${limited}` }),
  'x-ratelimit-reset': z
    .string()
    .optional()
    .meta({ description: `Unix seconds when the window ends. ${limited}` }),
  ratelimit: z
    .string()
    .optional()
    .meta({ description: `The same, as draft-ietf-httpapi-ratelimit-headers-10 has it. ${limited}` }),
  'ratelimit-policy': z
    .string()
    .optional()
    .meta({ description: `The policy that the request is counted under. ${limited}` }),
};

export const ifNoneMatchHeader = {
  'if-none-match': z.string().optional().meta({ description: 'ETags of the copies that the caller has.' }),
};
