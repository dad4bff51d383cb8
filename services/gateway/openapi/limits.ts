import { z } from 'zod';
import type {
  ZodOpenApiComponentsObject,
  ZodOpenApiOperationObject,
  ZodOpenApiPathItemObject,
  ZodOpenApiPathsObject,
  ZodOpenApiResponseObject,
} from 'zod-openapi';
import { sessionCookieName } from '../../../lib/agent/session-cookie.ts';
import { commonHeaders, headers, refused } from './responses.ts';

type Security = NonNullable<ZodOpenApiOperationObject['security']>;

/** Operations that take a secret of the host alone. */
export const bySecret: Security = [{ bearer: [] }];
/** Without a key, or with one, which has a limit of its own. */
const optionalKey: Security = [{}, { apiKey: [] }, { bearer: [] }];

export const securitySchemes: ZodOpenApiComponentsObject['securitySchemes'] = {
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key, `mk_...`.' },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key (`mk_...`), an executor key of one wallet (`ek_...`), a session of an address (`as_...`), or a secret of ' +
      'the host. Each path says which of them it takes.',
  },
  agentSessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieName,
    description: 'The session of an address, as signing in sets it.',
  },
};

const { 'x-request-id': _, ...rateHeaders } = commonHeaders;

const wrongCredential = refused(
  '`invalid_key`, `invalid_credentials` or `unauthorized`: a wrong API key is never ignored.',
  {
    'www-authenticate': headers['www-authenticate'],
    ...rateHeaders,
  },
);
const tooMany = refused(
  '`rate_limited`: the limit of this minute is used up, or too many credentials were tried from this address.',
  {
    'retry-after': headers['retry-after'],
    ...rateHeaders,
  },
);

const methods = ['get', 'post', 'patch', 'delete'] as const;

/** Adds what limits and keys say on every path that counts: headers, refusals and how a key is sent. */
export function underLimits(paths: ZodOpenApiPathsObject): ZodOpenApiPathsObject {
  const limited = Object.entries(paths).map(([path, item]) => [path, limitItem(item)]);
  return Object.fromEntries(limited);
}

function limitItem(item: ZodOpenApiPathItemObject): ZodOpenApiPathItemObject {
  const limited = { ...item };
  for (const method of methods) {
    const operation = item[method];
    if (operation) limited[method] = limitOperation(operation);
  }
  return limited;
}

function limitOperation(operation: ZodOpenApiOperationObject): ZodOpenApiOperationObject {
  const responses = Object.entries(operation.responses as Record<string, ZodOpenApiResponseObject>).map(
    ([status, response]) => [status, withRateHeaders(response)] as const,
  );
  return {
    security: optionalKey,
    ...operation,
    responses: { 401: wrongCredential, 429: tooMany, ...Object.fromEntries(responses) },
  };
}

function withRateHeaders(response: ZodOpenApiResponseObject): ZodOpenApiResponseObject {
  const own = response.headers instanceof z.ZodObject ? response.headers : z.object({});
  return { ...response, headers: own.extend(rateHeaders) };
}
