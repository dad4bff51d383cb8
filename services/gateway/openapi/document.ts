import { z } from 'zod';
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiComponentsObject,
  type ZodOpenApiObject,
  type ZodOpenApiPathItemObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { sessionCookieName } from '../../../lib/credentials/token.ts';
import { cached, computeDigest } from '../../../lib/http/exchange.ts';
import { type RouteDescription, route } from '../../../lib/http/route.ts';
import { referToSteps } from './action-request.ts';
import { nameShapes, type OpenApiDocument, shareRepeated } from './components.ts';
import { addExamples } from './examples.ts';
import { buildOperation, refusalExamples } from './operation.ts';

const securitySchemes: ZodOpenApiComponentsObject['securitySchemes'] = {
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key, `mk_...`.' },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key (`mk_...`), an executor key of one wallet (`ek_...`), a session of an address (`as_...`), or a secret of ' +
      'the host. Each operation says which of them it takes.',
  },
  agentSessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieName,
    description: 'The session of an address, as signing in sets it.',
  },
};

/** Builds the paths of the document from the routes, before shared parts become components. */
export function buildPaths(routes: readonly RouteDescription[]): ZodOpenApiPathsObject {
  const paths: Record<string, ZodOpenApiPathItemObject> = {};
  for (const route of routes) {
    if (!route.operation) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: buildOperation(route, route.operation) };
  }
  return paths;
}

/** The items of streams, by their ids: no response has their schema. */
function listItemSchemas(routes: readonly RouteDescription[]): Record<string, z.ZodType> {
  const schemas = routes.flatMap(({ operation }) => operation?.response.itemSchema ?? []);
  return Object.fromEntries(schemas.map((schema) => [String(schema.meta()?.id), schema]));
}

/** The machine-readable description, made from the schemas that check the requests. */
export function createOpenApiDocument(routes: readonly RouteDescription[]) {
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Adaptor marketplace',
      version: '0.1.0',
      description:
        'The open catalog of wallet adaptors, read from the on-chain registry. Reads need no key. Errors are RFC 9457 ' +
        'problem details. The same catalog is served as a graph at /graphql.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'catalog', description: 'The adaptors, and what you need to publish one.' },
      { name: 'publish', description: 'From a deployed package to a listing. Nothing is signed here.' },
      {
        name: 'agents',
        description: 'Wallets, their delegates and caps, policy rules, agents and their jobs.',
      },
      { name: 'agent', description: "Actions of wallets, run with the host's managed key." },
      { name: 'keys', description: 'API keys. For the operator, with the admin secret.' },
      {
        name: 'events',
        description:
          'The events of the registry, in the order of the chain, and those of the service, in the order of its log.',
      },
      {
        name: 'webhooks',
        description:
          'Events of the registry and of the service, sent to a url of yours. Needs an API key or the admin secret.',
      },
      { name: 'sql', description: 'Read-only SQL over the views of the index. Statements need an API key.' },
      { name: 'operator', description: 'What the operator of this host looks at. Needs the admin secret.' },
      { name: 'operations', description: 'Health, readiness, status and metrics of the service.' },
    ],
    paths: buildPaths(routes),
    components: { securitySchemes, schemas: listItemSchemas(routes) },
  };
  const made = createDocument(document, options);
  made.components = { ...made.components, examples: refusalExamples };
  nameShapes(made, options);
  referToSteps(made);
  addExamples(made, routes);
  shareRepeated(made);
  return made;
}

const options: CreateDocumentOptions = {
  // Answers may gain fields; a client that refuses those it does not know would break.
  override: ({ jsonSchema, io }) => {
    if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  },
};

export interface DescriptionDependencies {
  document: OpenApiDocument;
}

const send = cached(({ document }: DescriptionDependencies) => {
  const body = Buffer.from(JSON.stringify(document));
  return {
    body,
    contentType: 'application/json',
    cacheControl: 'public, max-age=300',
    tag: computeDigest(body),
  };
});

export const getOpenApi = route({
  method: 'get',
  path: '/api/adaptors/openapi.json',
  operation: {
    operationId: 'getOpenApi',
    tag: 'catalog',
    summary: 'Get this description',
    response: { description: 'An OpenAPI 3.1.0 document.', schema: z.looseObject({}) },
    conditional: true,
    example: {
      answer: { openapi: '3.1.0', info: { title: 'Adaptor marketplace', version: '0.1.0' }, paths: {} },
    },
  },
  handler: ({ exchange }, dependencies: DescriptionDependencies) => send(exchange, dependencies),
});
