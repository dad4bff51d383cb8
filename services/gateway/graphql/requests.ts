import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { z } from 'zod';
import { type Exchange, getSearch } from '../../../lib/http/exchange.ts';
import { findFault, invalidBody, parseQuery, readJsonObject } from '../../../lib/http/parse.ts';
import { type ServerContext, wrapError } from './answer.ts';

/**
 * Reads and checks requests as the REST API does: a problem names each wrong field.
 * @param trustedOnly requests can name a `documentId` instead of a `query`
 */
export function useBoundedRequests(trustedOnly: boolean): Plugin<object, ServerContext> {
  const query: z.ZodType<string | null | undefined> = trustedOnly ? z.string().nullish() : z.string();
  const body = z.object({ query, documentId: z.string().nullish(), ...bodyFields });
  const parameters = z.object({ query, documentId: z.string().optional(), ...searchFields });
  return {
    onRequest({ request, setRequest, fetchAPI }) {
      // A HEAD request runs as a GET. Node leaves out the body of its response.
      if (request.method !== 'HEAD') return;
      const { url, headers, signal } = request;
      setRequest(new fetchAPI.Request(url, { headers, signal }));
    },
    onRequestParse({ request, serverContext: { exchange }, setRequestParser }) {
      setRequestParser(async () => {
        try {
          if (request.method === 'POST') return await readBody(exchange, body);
          return parseQuery(parameters, getSearch(exchange)) as GraphQLParams;
        } catch (error) {
          throw wrapError(error);
        }
      });
    },
  };
}

const bodyFields = {
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
};

const objectParameter = z
  .string()
  .transform(parseObject)
  .pipe(z.record(z.string(), z.unknown(), 'expected a JSON object').optional())
  .optional();

const searchFields = {
  operationName: z.string().optional(),
  variables: objectParameter,
  extensions: objectParameter,
};

const bodyBytesMax = 100_000;

/** @throws ProblemError 400, 413 or 415 */
async function readBody({ req }: Exchange, schema: z.ZodType): Promise<GraphQLParams> {
  const parsed = schema.safeParse(await readJsonObject(req, bodyBytesMax));
  if (parsed.success) return parsed.data as GraphQLParams;
  const { issues } = parsed.error;
  throw invalidBody(issues.map(({ path, message }) => ({ path: `body.${path.join('.')}`, message })));
}

/** Parses a parameter as JSON. Returns undefined for an empty text, and null, which the schema refuses, for an invalid one. */
function parseObject(text: string): unknown {
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return findFault(value, 'query') === undefined ? value : null;
  } catch {
    return null;
  }
}
