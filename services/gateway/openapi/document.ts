import type { z } from 'zod';
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiPathItemObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { RouteDescription } from '../../../lib/http/route.ts';
import { catalogRequest } from '../catalog/request.ts';
import { catalogBody } from '../catalog/response.ts';
import { schemaBody } from '../catalog/schema-route.ts';
import { eventBody } from '../events/list.ts';
import { addExamples } from './examples/add.ts';
import { securitySchemes, underLimits } from './limits.ts';
import { nameShapes } from './name-shapes.ts';
import { operationOf, refusalExamples } from './operation.ts';
import { publishPaths } from './publish.ts';
import { ifNoneMatch, indexed, notAcceptable, ok, refused, unchanged } from './responses.ts';
import { shareRepeated } from './share.ts';

/** Of the routes that do not describe themselves yet. */
const otherPaths: ZodOpenApiPathsObject = {
  '/api/adaptors': {
    get: {
      operationId: 'listAdaptors',
      tags: ['catalog'],
      summary: 'List adaptors',
      description:
        'The verified catalog of one network: all of it, or what the filters leave, in pages if wanted.',
      requestParams: { query: catalogRequest, header: ifNoneMatch },
      responses: {
        200: ok('The catalog.', catalogBody, indexed),
        304: unchanged,
        400: refused(
          'A parameter is repeated or invalid; errors names each. `network_not_configured`: this host does not serve ' +
            'the network; detail lists those that it serves.',
        ),
        406: notAcceptable,
        503: refused('This host cannot reach its database.'),
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
  ...publishPaths,
};

/** The paths of the document, before shared parts of it are named: what the routes say of themselves. */
export function pathsOf(routes: readonly RouteDescription[]): ZodOpenApiPathsObject {
  const paths: Record<string, ZodOpenApiPathItemObject> = underLimits(otherPaths);
  for (const route of routes) {
    if (!route.operation) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(route, route.operation) };
  }
  return paths;
}

/** The items of streams, by their ids: no response has their schema. */
function itemSchemas(routes: readonly RouteDescription[]): Record<string, z.ZodType> {
  const schemas = routes.flatMap(({ operation }) => operation?.response?.itemSchema ?? []);
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
      { name: 'catalog', description: 'Adaptors and what is needed to publish one.' },
      { name: 'publish', description: 'From a deployed package to a listing; nothing is signed here.' },
      {
        name: 'agents',
        description: 'Wallets, their delegates and caps, policy rules, agents and their jobs.',
      },
      { name: 'agent', description: "Actions of wallets, run with the host's managed key." },
      { name: 'keys', description: "The host's own, with its admin secret." },
      { name: 'events', description: 'What happens on the registry, in order.' },
      { name: 'webhooks', description: 'Registry events, sent to a url of yours. With an API key.' },
      { name: 'operations', description: 'For whoever runs or watches the service.' },
    ],
    paths: pathsOf(routes),
    components: { securitySchemes, schemas: { Event: eventBody, ...itemSchemas(routes) } },
  };
  const made = createDocument(document, options);
  made.components = { ...made.components, examples: refusalExamples };
  nameShapes(made, options);
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
