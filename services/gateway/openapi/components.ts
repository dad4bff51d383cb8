import { STATUS_CODES } from 'node:http';
import { networks } from '@adaptor-marketplace/adaptor';
import { registryCall, unsignedTransaction } from '@adaptor-marketplace/adaptor/draft';
import {
  callArgument,
  callSpec,
  category,
  manifestSource,
  opSchema,
  publisherProfile,
  stepSpec,
} from '@adaptor-marketplace/adaptor/manifest';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import { type CreateDocumentOptions, type createDocument, createSchema } from 'zod-openapi';

export type OpenApiDocument = ReturnType<typeof createDocument>;
type Json = Record<string, unknown>;

const methods = ['get', 'post', 'patch', 'delete'] as const;

export function listOperations({ paths = {} }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method, operation }] : [];
    }),
  );
}

/** Moves repeated headers, parameters and responses to the components, which makes the document a tenth as long. */
export function shareRepeated(document: OpenApiDocument): void {
  const operations = listOperations(document).map(({ operation }) => operation as unknown as Json);
  const getResponses = (operation: Json) => (operation.responses ?? {}) as Record<string, Json>;
  const headerLists = operations.flatMap((operation) =>
    Object.values(getResponses(operation)).flatMap(({ headers }) => (headers ? [headers as Json] : [])),
  );
  share(document, 'headers', headerLists, toPascalCase);
  const withParameters = listOperations(document).filter(({ operation }) => operation.parameters);
  share(
    document,
    'parameters',
    withParameters.map(({ operation }) => operation.parameters as unknown as Json),
    (_at, { in: part, name }, place) => {
      // An id parameter is named after its resource, because every resource has one.
      const [resource = ''] = part === 'path' ? withParameters[place]!.path.split(`/{${name}}`, 1) : [];
      return toPascalCase(`${resource.slice(resource.lastIndexOf('/') + 1)} ${name}`);
    },
    (place) => toPascalCase(withParameters[place]!.operation.tags?.[0] ?? ''),
  );
  share(document, 'responses', operations.map(getResponses), (status, response) =>
    String(
      response['x-name'] ??
        toPascalCase(status === '204' ? String(response.description) : (STATUS_CODES[status] ?? status)),
    ),
  );
  const everywhere = [...operations.map(getResponses), (document.components?.responses ?? {}) as Json];
  for (const response of everywhere.flatMap((list) => Object.values(list as Record<string, Json>))) {
    delete response['x-name'];
  }
}

/** Replaces values that occur several times in the lists by references. A list is an object or an array. */
function share(
  document: OpenApiDocument,
  kind: 'headers' | 'responses' | 'parameters',
  lists: readonly Json[],
  deriveName: (at: string, value: Json, list: number) => string,
  /** Prefix that distinguishes components of the same name, by the index of the first list with the value. */
  derivePrefix: (list: number) => string = () => '',
): void {
  const all = lists.flatMap((list, place) =>
    Object.entries(list as Record<string, Json>).map(([at, value]) => [at, value, place] as const),
  );
  const counts = new Map<string, number>();
  for (const [, value] of all) {
    const json = JSON.stringify(value);
    counts.set(json, (counts.get(json) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  const components: Json = {};
  for (const [at, value, place] of all) {
    const json = JSON.stringify(value);
    if (names.has(json) || counts.get(json)! < 2) continue;
    const plain = deriveName(at, value, place);
    const name = plain in components ? `${derivePrefix(place)}${plain}` : plain;
    if (name in components) throw new Error(`Two ${kind} would be called ${name}.`);
    names.set(json, name);
    components[name] = value;
  }
  for (const list of lists) {
    for (const [at, value] of Object.entries(list)) {
      const name = names.get(JSON.stringify(value));
      if (name !== undefined) list[at] = { $ref: `#/components/${kind}/${name}` };
    }
  }
  document.components = { ...document.components, [kind]: components };
}

/** Returns words of any spelling as one in Pascal case. */
export const toPascalCase = (words: string): string =>
  words
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** Schemas that occur in several places, by the names that generated clients must give them. */
const shapes = {
  Network: z.enum(networks),
  Category: category,
  Op: opSchema,
  CallSpec: callSpec,
  CallArgument: callArgument,
  CallOfSeveral: stepSpec,
  PublisherProfile: publisherProfile,
  ManifestSource: manifestSource,
  RegistryArgument: registryCall.shape.arguments.element,
  UnsignedTransaction: unsignedTransaction,
} as const;

/** Names that zod gives to schemas without an id. Only the schema of any JSON value, which refers to itself, has one. */
const anonymous = /^__schema\d+$/;
const jsonValue = 'JsonValue';

/**
 * Moves reused schemas to the components under their names. Each use keeps its own description.
 * @param options those that the document was made with, so that the schemas are rendered the same
 */
export function nameShapes(document: OpenApiDocument, options: CreateDocumentOptions): void {
  const names = new Map<string, string>();
  const outlines = new Set<string>();
  const named: Record<string, Json> = {};
  for (const [name, schema] of Object.entries(shapes)) {
    for (const io of ['input', 'output'] as const) {
      const shape = createSchema(schema, { io, opts: options }).schema as Json;
      names.set(buildSchemaKey(shape), name);
      outlines.add(buildOutline(shape));
      named[name] = shape;
    }
  }
  const schemas = (document.components?.schemas ?? {}) as Record<string, Json>;
  const loose = Object.keys(schemas).filter((name) => anonymous.test(name));
  if (loose.length > 1) throw new Error(`Schemas without a name: ${loose.join(', ')}.`);

  for (const node of Object.values(named)) visitInside(node);
  visitInside(document as unknown as Json);
  const [any] = loose;
  if (any !== undefined) {
    // The schema has no alternatives, because TypeScript refuses the type that openapi-typescript makes of a union with
    // itself.
    schemas[jsonValue] = { description: 'Any JSON value.' };
    delete schemas[any];
  }
  document.components = { ...document.components, schemas: { ...schemas, ...named } as never };

  function visitInside(node: Json): void {
    for (const [key, child] of Object.entries(node)) {
      // Examples are values, not schemas.
      if (typeof child === 'object' && child !== null && !/^examples?$/.test(key)) {
        node[key] = replaced(child as Json);
      }
    }
  }

  function replaced(node: Json): Json {
    if (typeof node.$ref === 'string') {
      const name = node.$ref.slice(node.$ref.lastIndexOf('/') + 1);
      return anonymous.test(name) ? { ...node, $ref: `#/components/schemas/${jsonValue}` } : node;
    }
    // A key costs as much as the whole schema, and few schemas have the outline of a shape.
    const name = outlines.has(buildOutline(node)) ? names.get(buildSchemaKey(node)) : undefined;
    if (name !== undefined) {
      const { description } = node;
      return { ...(description !== undefined && { description }), $ref: `#/components/schemas/${name}` };
    }
    visitInside(node);
    return node;
  }
}

/** Returns the names of a schema's fields and properties, sorted. Equal schemas have the same. */
function buildOutline({ description: _description, title: _title, ...schema }: Json): string {
  const { properties = {} } = schema;
  return [schema, properties as Json].map((each) => Object.keys(each).sort().join()).join(';');
}

/** Returns a key that is the same for equal schemas, whatever their descriptions, titles and order of fields. */
const buildSchemaKey = ({ description: _description, title: _title, ...schema }: Json) =>
  String(canonicalize(schema));
