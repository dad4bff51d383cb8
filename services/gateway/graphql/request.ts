import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { faultOf, invalidBody, parseQuery, readJsonObject } from '../../../lib/http/parse.ts';

/** What a caller asks of the graph, as the body of a POST has it. */
const graphRequest = z.object({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
});
export type GraphRequest = z.infer<typeof graphRequest>;

const objectParameter = z
  .string()
  .transform(parseObject)
  .pipe(z.record(z.string(), z.unknown(), 'expected a JSON object').optional())
  .optional();

const graphParameters = z.object({
  query: z.string(),
  operationName: z.string().optional(),
  variables: objectParameter,
  extensions: objectParameter,
});

const bodyBytesMax = 100_000;

/** The question of a GET. @throws ProblemError 400 with one row per wrong parameter */
export function requestOfSearch(search: string): GraphRequest {
  return parseQuery(graphParameters, search);
}

/** The query string of a question. */
export function searchOf({ query, operationName, variables, extensions }: GraphRequest): URLSearchParams {
  return new URLSearchParams({
    query,
    ...(operationName != null && { operationName }),
    ...(variables && { variables: JSON.stringify(variables) }),
    ...(extensions && { extensions: JSON.stringify(extensions) }),
  });
}

/** The question of a POST. @throws ProblemError 400, 413 or 415 */
export async function requestOfBody(req: IncomingMessage): Promise<GraphRequest> {
  const parsed = graphRequest.safeParse(await readJsonObject(req, bodyBytesMax));
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  throw invalidBody(issues.map(({ path, message }) => ({ path: `body.${path.join('.')}`, message })));
}

/** A parameter's JSON; nothing for an empty one, and null, which is not an object, for what cannot be used. */
function parseObject(text: string): unknown {
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return faultOf(value, 'query') === undefined ? value : null;
  } catch {
    return null;
  }
}
