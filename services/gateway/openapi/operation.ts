import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import {
  problem as createProblem,
  listStatuses,
  type ProblemCode,
  problems,
} from '../../../lib/errors/index.ts';
import { buildProblemBody } from '../../../lib/http/exchange.ts';
import type { FileBody, Operation, RouteDescription, Security } from '../../../lib/http/route.ts';
import { toPascalCase } from './components.ts';
import { commonHeaders, headers, ifNoneMatchHeader, problem } from './parts.ts';

/** Security of operations for everyone: no key is required, and a key has its own rate limit. */
const optionalKey: Security = [{}, { apiKey: [] }, { bearer: [] }];

export function buildOperation(route: RouteDescription, operation: Operation): ZodOpenApiOperationObject {
  const { unlimited, security = unlimited ? undefined : optionalKey, query, body, file } = route;
  const { operationId, tag, summary, description, conditional } = operation;
  const parameters = Object.entries(route.parameters ?? {}).map(
    ([name, { description, values }]) =>
      [name, (values ? z.enum(values) : z.string()).meta({ description })] as const,
  );
  const requestHeaders = { ...operation.requestHeaders?.shape, ...(conditional && ifNoneMatchHeader) };
  const requestParams = {
    ...(parameters.length > 0 && { path: z.object(Object.fromEntries(parameters)) }),
    ...(query && { query }),
    ...(Object.keys(requestHeaders).length > 0 && { header: z.object(requestHeaders) }),
  };
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(security && { security }),
    ...(Object.keys(requestParams).length > 0 && { requestParams }),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: body }, ...(file && describeFile(file)) },
      },
    }),
    responses: buildResponses(route, operation),
  };
}

const describeFile = ({ mediaType, description }: FileBody) => ({
  [mediaType]: { schema: { type: 'string' as const, contentMediaType: mediaType, description } },
});

function buildResponses(route: RouteDescription, { response, conditional, refusals = [] }: Operation) {
  const { schema, itemSchema, description, accepted, headers: ownHeaders } = response;
  const own = { ...commonHeaders, ...(conditional && { etag: headers.etag }), ...ownHeaders };
  const success: ZodOpenApiResponseObject = {
    description,
    headers: z.object(own),
    ...(schema && {
      content: {
        [route.mediaType]: { schema, ...(itemSchema && { 'x-itemSchema': buildRef(itemSchema) }) },
        ...(route.alternative && { [route.alternative]: { schema: z.string() } }),
      },
    }),
  };
  const responses: Record<string, ZodOpenApiResponseObject> = { [schema ? 200 : 204]: success };
  if (accepted !== undefined) {
    const location = z.string().meta({ description: 'Path of the result.' });
    responses[202] = { ...success, description: accepted, headers: z.object({ ...own, location }) };
  }
  if (conditional) responses[304] = notModified;
  const codes = [...new Set([...listImpliedCodes(route), ...refusals])];
  const statuses = new Set(codes.flatMap((code) => listStatuses(code)));
  for (const status of [...statuses].sort((a, b) => a - b)) {
    responses[status] = findRefusal(
      status,
      codes.filter((code) => listStatuses(code).includes(status)),
    );
  }
  return responses;
}

const notModified: ZodOpenApiResponseObject = {
  description: 'Not modified since the ETag in if-none-match.',
  headers: z.object({ ...commonHeaders, etag: headers.etag }),
};

/** Builds a reference for `x-itemSchema`, since OpenAPI 3.1 has no field for the items of a stream. */
function buildRef(schema: z.ZodType) {
  const id = schema.meta()?.id;
  if (id === undefined) throw new Error('The items of a stream need a schema with an id.');
  return { $ref: `#/components/schemas/${id}` };
}

/** Lists the error codes of failures before the handler runs. */
function listImpliedCodes({ unlimited, security, query, body }: RouteDescription): ProblemCode[] {
  return [
    ...(query ? (['invalid_query'] as const) : []),
    ...(query && 'cursor' in query.shape ? (['bad_cursor'] as const) : []),
    ...(body ? ([...bodyCodes, 'body_too_large', 'unsupported_media_type'] as const) : []),
    ...(security ? (['unauthorized'] as const) : []),
    ...(unlimited ? [] : ([...credentialCodes, 'rate_limited'] as const)),
    'not_acceptable',
  ];
}

const bodyCodes = ['bad_body', 'not_json', 'not_an_object', 'invalid_body'] as const;
const credentialCodes = ['invalid_key', 'invalid_credentials'] as const;

/** Codes that always occur together, with the name of the group. */
const groups: readonly [string, readonly ProblemCode[]][] = [
  ['InvalidBody', bodyCodes],
  ['Unauthorized', ['unauthorized', ...credentialCodes]],
  ['InvalidCredential', credentialCodes],
  ['KeyValueStoreMissing', ['kv_not_configured', 'kv_unavailable']],
];

/** Derives the name of an error response in the components from its codes. */
function deriveComponentName(codes: readonly ProblemCode[]): string {
  const left = new Set(codes);
  const names: string[] = [];
  for (const [name, group] of groups) {
    if (!group.every((code) => left.has(code))) continue;
    names.push(name);
    for (const code of group) left.delete(code);
  }
  return [...names, ...[...left].map(toPascalCase)].join('Or');
}

const refusals = new Map<string, ZodOpenApiResponseObject>();

/** Returns the error response of a status with these codes, which is made once. */
function findRefusal(status: number, codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
  const name = deriveComponentName(codes);
  const key = `${status} ${name}`;
  const known = refusals.get(key);
  if (known) return known;
  const hasRetryAfter =
    status === 429 || codes.some((code) => problems[code].retryAfterSeconds !== undefined);
  const response: ZodOpenApiResponseObject = {
    description: codes.map((code) => `\`${code}\`: ${problems[code].meaning}`).join('\n\n'),
    headers: z.object({
      ...commonHeaders,
      ...(status === 401 && { 'www-authenticate': headers['www-authenticate'] }),
      ...(hasRetryAfter && { 'retry-after': headers['retry-after'] }),
    }),
    content: {
      'application/problem+json': {
        schema: problem,
        examples: Object.fromEntries(codes.map((code) => [code, addExample(status, code)])),
      },
    },
    'x-name': name,
  };
  refusals.set(key, response);
  return response;
}

/** Fields that the examples of these codes report as missing. */
const missingFields: Partial<Record<ProblemCode, string>> = {
  invalid_query: 'query.limit',
  invalid_body: 'body.name',
};

/** Examples of the error responses, by their names in the components. `addExample` collects them. */
export const refusalExamples: Record<string, { value: z.infer<typeof problem> }> = {};

function addExample(status: number, code: ProblemCode) {
  const name = status === listStatuses(code)[0] ? code : `${code}_${status}`;
  refusalExamples[name] ??= { value: buildExample(status, code) };
  return { $ref: `#/components/examples/${name}` };
}

function buildExample(status: number, code: ProblemCode): z.infer<typeof problem> {
  const path = missingFields[code];
  const errors = path === undefined ? undefined : [{ path, message: 'is missing' }];
  const detail = errors ? `${path}: is missing` : problems[code].meaning;
  const { headers: _, ...shown } = createProblem(code, detail, { errors });
  return buildProblemBody({ ...shown, detail, title: problems[code].title, status, code }, 'b5a3f8e2');
}
