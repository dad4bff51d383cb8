import type { z } from 'zod';
import type { ProblemCode } from '../errors/problems.ts';
import { type Exchange, getSearch, sendJson, sendNothing } from './exchange.ts';
import { parseBody, parseQuery, readFile } from './parse.ts';

const methods = ['get', 'post', 'patch', 'delete'] as const;
type Method = (typeof methods)[number];

/** Data of a route for the OpenAPI document that does not follow from its schemas. */
export interface Operation {
  /** Name of the method in generated clients: a verb and a noun in camel case, such as `listAdaptors`. */
  operationId: string;
  tag: string;
  /** One line that begins with a verb. */
  summary: string;
  description?: string;
  requestHeaders?: z.ZodObject;
  response: {
    description: string;
    /** Schema of a JSON body, or of a text in the route's media type. Absent: 204 without a body. */
    schema?: z.ZodType;
    /** Description of 202: the response has the same schema, and its header `location` has the result later. */
    accepted?: string;
    /** Schema of each item of a stream. It has an id. */
    itemSchema?: z.ZodType;
    /** Headers beyond those of every response. */
    headers?: z.ZodRawShape;
  };
  /** `true` if the response has an ETag, so that `if-none-match` gets a 304. */
  conditional?: true;
  /** Codes that the handler refuses with. Those of limits, credentials, query and body are added where they apply. */
  refusals?: readonly ProblemCode[];
  /** One call of the operation, and its response. The values of the path are in `parameters`. */
  example: {
    /** Query parameters: those that are required, and those that the example is about. */
    query?: Readonly<Record<string, string>>;
    request?: unknown;
    /** In place of `request`: several bodies, each under its name. */
    requests?: Readonly<Record<string, unknown>>;
    /** The body of the answer; absent for a 204. A text where the answer is not JSON. */
    answer?: unknown;
  };
}

/** A body that is a file. */
export interface FileBody {
  mediaType: string;
  bytesMax: number;
  description: string;
}

/** Credentials, each by the name of its scheme in the OpenAPI document: any one of them is enough. */
export type Security = Record<string, string[]>[];

interface Parameter {
  description: string;
  example: string;
  /** All values, where there is a list of them. */
  values?: readonly string[];
  /** Source of a regular expression that matches the whole value. */
  pattern?: string;
}

export interface RouteDescription {
  method: Method;
  /** `:name` is a parameter. A `get` answers HEAD too. */
  path: string;
  /** Media type of the response. Callers whose `accept` header refuses it get 406. */
  mediaType: string;
  /** A second form of the answer, beside `mediaType`. */
  alternative?: string;
  parameters?: Readonly<Record<string, Parameter>>;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** A file that can be the body in place of the JSON of `body`. */
  file?: FileBody;
  /** Credentials that it takes, as OpenAPI names them; absent: it is for everyone, with a key or without. */
  security?: Security;
  /** `true` if rate limits do not count its requests: for pages, and for machines that monitor the host. */
  unlimited?: true;
  /** `true` if a page shows nothing before sign-in. The sitemap leaves it out. */
  needsSession?: true;
  /** Absent for pages and their files, which are not part of the API. */
  operation?: Operation;
}

/** One method of one path: what it takes, what the API's description says of it, and its handler. */
export interface Route<Dependencies> extends RouteDescription {
  /** Answers a request that the router matched. `parameters` are those of the path, decoded. */
  answer: (
    exchange: Exchange,
    parameters: Readonly<Record<string, string>>,
    dependencies: Dependencies,
  ) => Promise<void>;
}

type ParameterOf<Path extends string> = Path extends `${infer Before}/${infer After}`
  ? ParameterOf<Before> | ParameterOf<After>
  : Path extends `:${infer Name}`
    ? Name
    : never;

interface RouteRequest<Path extends string, Query, Body, Authorized> {
  exchange: Exchange;
  parameters: Readonly<Record<ParameterOf<Path>, string>>;
  query: Query;
  /** Undefined if the request has a file in its place. */
  body: Body;
  file: Buffer | undefined;
  authorized: Authorized;
}

interface RouteDefinition<
  Path extends string,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Authorized,
  Dependencies,
> extends Omit<RouteDescription, 'mediaType'> {
  path: Path;
  /** Absent: JSON. */
  mediaType?: string;
  parameters?: Readonly<Record<ParameterOf<Path>, Parameter>>;
  query?: Query;
  body?: Body;
  /** Maximum number of bytes of the body. Absent: 10,000. */
  bodyBytesMax?: number;
  /** `cache-control` of the JSON that the handler returns. Absent: `no-store`. */
  cacheControl?: string;
  /** Refuses callers, before query and body are read, by a ProblemError. The handler gets the result. */
  authorize?: (
    exchange: Exchange,
    parameters: Readonly<Record<ParameterOf<Path>, string>>,
    dependencies: Dependencies,
  ) => Authorized | Promise<Authorized>;
  /** Returns the JSON response; nothing if it has sent the response itself, or for a 204, without a schema. */
  handler(
    request: RouteRequest<Path, z.infer<Query>, z.infer<Body>, Authorized>,
    dependencies: Dependencies,
  ): Promise<unknown>;
}

const bodyBytesDefault = 10_000;

/**
 * Defines a route. A file has one route, or several of one resource, with everything about each: path, schemas,
 * operation, handler. To add an endpoint, write its route and add it to the list of its folder. The router serves that
 * list, and the OpenAPI document is generated from it, so both always have the same paths.
 *
 * ```ts
 * export const revokeKey = route({
 *   method: 'delete',
 *   path: '/api/adaptors/keys/:id',
 *   parameters: { id: { description: 'Id of the key, not the key itself.', example: 'key_6Vw0Zb3f' } },
 *   ...forAdmin,                                  // who may use it: `security` and `authorize`
 *   operation: {
 *     operationId: 'revokeKey',
 *     tag: 'keys',
 *     summary: 'Revoke an API key',
 *     response: { description: 'Revoked.' },       // no schema: 204
 *     refusals: ['key_not_found', ...keyStoreProblems],
 *     example: {},
 *   },
 *   async handler({ parameters }, { kv }: KeyDependencies) {
 *     if (!(await removeKey(kv, parameters.id))) throw problem('key_not_found', 'No key has this id.');
 *   },
 * });
 * ```
 *
 * The OpenAPI document shows `query` and `body`, and requests are checked with them: the handler gets them parsed. The
 * type of the handler's second parameter names its dependencies, and the server of the list must provide them all. A
 * route is a constant, so that the document needs no running process.
 */
export function route<
  Dependencies,
  const Path extends string,
  Query extends z.ZodObject = z.ZodObject<Record<never, z.ZodType>>,
  Body extends z.ZodType = z.ZodUndefined,
  Authorized = void,
>(definition: RouteDefinition<Path, Query, Body, Authorized, Dependencies>): Route<Dependencies> {
  const { authorize, bodyBytesMax = bodyBytesDefault, cacheControl, handler, ...description } = definition;
  const { operation } = description;
  return {
    mediaType: 'application/json',
    ...description,
    async answer(exchange, parameters, dependencies) {
      const authorized = authorize && (await authorize(exchange, parameters, dependencies));
      const query = description.query && parseQuery(description.query, getSearch(exchange));
      const file = description.file && (await readFile(exchange.req, description.file));
      const body =
        description.body && !file ? await parseBody(exchange, description.body, bodyBytesMax) : undefined;
      const request = { exchange, parameters, query, body, file, authorized };
      const value = await handler(
        request as RouteRequest<Path, z.infer<Query>, z.infer<Body>, Authorized>,
        dependencies,
      );
      if (value !== undefined) await sendJson(exchange, value, cacheControl);
      else if (operation && !operation.response.schema) sendNothing(exchange);
    },
  };
}
