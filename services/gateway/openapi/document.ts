import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { catalogRequest } from '../catalog/request.ts';
import { catalogBody } from '../catalog/response.ts';
import { schemaBody } from '../catalog/schema-route.ts';
import { statusBody } from '../operations/status.ts';

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

/** Bodies of the small answers, for tests and the document alike. */
export const healthBody = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });
export const readyBody = z.object({ status: z.literal('ready') }).meta({ id: 'Ready' });

const requestId = z.string().meta({ description: 'Names the exchange in logs.' });
const revalidated = z.object({
  'x-request-id': requestId,
  etag: z.string().meta({ description: 'Send it back as if-none-match to get 304 while nothing changed.' }),
});
const ifNoneMatch = z.object({ 'if-none-match': z.string().optional() });

function ok(
  description: string,
  schema: z.ZodType,
  headers: z.ZodObject = revalidated,
): ZodOpenApiResponseObject {
  return { description, headers, content: { 'application/json': { schema } } };
}

function refused(description: string): ZodOpenApiResponseObject {
  return {
    description,
    headers: z.object({ 'x-request-id': requestId }),
    content: { 'application/problem+json': { schema: problem } },
  };
}

const unchanged: ZodOpenApiResponseObject = { description: 'Unchanged since the given etag.' };
const notAcceptable = refused('The accept or accept-encoding header refuses every form of the answer.');

const paths: ZodOpenApiPathsObject = {
  '/api/adaptors': {
    get: {
      operationId: 'listAdaptors',
      tags: ['catalog'],
      summary: 'List adaptors',
      description:
        'The verified catalog of one network: all of it, or what the filters leave, in pages if wanted.',
      requestParams: { query: catalogRequest, header: ifNoneMatch },
      responses: {
        200: ok(
          'The catalog.',
          catalogBody,
          revalidated.extend({
            'x-indexed-checkpoint': z
              .string()
              .optional()
              .meta({ description: 'Highest checkpoint of the chain that the answer covers in full.' }),
          }),
        ),
        304: unchanged,
        400: refused('A parameter is unknown, repeated or invalid; errors names each.'),
        406: notAcceptable,
        503: refused('This host does not serve the network, or cannot reach its database.'),
      },
    },
  },
  '/api/adaptors/schema': {
    get: {
      operationId: 'adaptorSchemas',
      tags: ['catalog'],
      summary: 'Manifest shape, call spec shape and registry ids',
      requestParams: { header: ifNoneMatch },
      responses: { 200: ok('Schemas and ids.', schemaBody), 304: unchanged, 406: notAcceptable },
    },
  },
  '/api/adaptors/openapi.json': {
    get: {
      operationId: 'openapi',
      tags: ['catalog'],
      summary: 'This description',
      requestParams: { header: ifNoneMatch },
      responses: { 200: ok('OpenAPI 3.1.0.', z.looseObject({})), 304: unchanged, 406: notAcceptable },
    },
  },
  '/healthz': {
    get: {
      operationId: 'healthz',
      tags: ['operations'],
      summary: 'Whether the process answers',
      responses: { 200: ok('It does.', healthBody) },
    },
  },
  '/readyz': {
    get: {
      operationId: 'readyz',
      tags: ['operations'],
      summary: 'Whether every source is within its lag bound',
      responses: {
        200: ok('All are.', readyBody),
        503: refused('errors names each source that is missing or behind.'),
      },
    },
  },
  '/status': {
    get: {
      operationId: 'status',
      tags: ['operations'],
      summary: 'How far each source has read',
      responses: { 200: ok('Per network and source.', statusBody), 503: refused('No database.') },
    },
  },
  '/metrics': {
    get: {
      operationId: 'metrics',
      tags: ['operations'],
      summary: 'Metrics in Prometheus text form',
      responses: { 200: { description: 'Metrics.', content: { 'text/plain': { schema: z.string() } } } },
    },
  },
};

/** The machine-readable description, made from the schemas that check the requests. */
export function createOpenApiDocument() {
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Adaptor marketplace',
      version: '0.1.0',
      description:
        'The open catalog of wallet adaptors, read from the on-chain registry. Keyless. Errors are RFC 9457 ' +
        'problem details. The same catalog is served as a graph at /graphql.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'catalog', description: 'Adaptors and what is needed to publish one.' },
      { name: 'operations', description: 'For whoever runs or watches the service.' },
    ],
    paths,
  };
  return createDocument(document, {
    // Answers may gain fields; a client that refuses those it does not know would break.
    override: ({ jsonSchema, io }) => {
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
}
