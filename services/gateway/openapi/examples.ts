import type { RouteDescription, Operation as RouteOperation } from '../../../lib/http/route.ts';
import { type ApiRequest, renderSample } from '../../../web/words/request-sample.ts';
import { listOperations, type OpenApiDocument } from './components.ts';

export function buildExamples(
  routes: readonly RouteDescription[],
): Readonly<Record<string, OperationExample>> {
  const examples = routes.flatMap(({ operation, parameters = {} }) => {
    if (!operation) return [];
    const path = Object.fromEntries(Object.entries(parameters).map(([name, { example }]) => [name, example]));
    return [[operation.operationId, { path, ...operation.example }] as const];
  });
  return Object.fromEntries(examples);
}

interface Operation {
  operationId?: string;
  parameters?: { name: string; in: string; required?: boolean; example?: unknown }[];
  requestBody?: { content: Record<string, Media> };
  responses?: Record<string, { content?: Record<string, Media> }>;
  security?: Record<string, unknown>[];
  'x-codeSamples'?: unknown;
}
interface Media {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
  'x-itemSchema'?: unknown;
}

/**
 * Adds to every operation an example request and response, and a curl call for the shell. Only required parameters get
 * an example: pages fill examples in, and a value for an optional parameter would be an unintended filter.
 */
export function addExamples(document: OpenApiDocument, routes: readonly RouteDescription[]): void {
  const examples = buildExamples(routes);
  for (const { path, method, operation: described } of listOperations(document)) {
    const operation = described as Operation;
    const example = examples[operation.operationId ?? ''] ?? {};
    for (const parameter of operation.parameters ?? []) {
      const value = { ...example.path, ...example.query }[parameter.name];
      if (parameter.required && value !== undefined) parameter.example = value;
    }
    const [body] = Object.values(operation.requestBody?.content ?? {});
    if (body && example.requests) {
      const named = Object.entries(example.requests).map(([name, value]) => [name, { value }]);
      body.examples = Object.fromEntries(named);
    } else if (body && !body.examples) body.example = example.request;
    for (const status of ['200', '202']) {
      const [answer] = Object.values(operation.responses?.[status]?.content ?? {});
      if (answer) answer.example ??= example.answer;
    }
    const request = body?.example ?? Object.values(body?.examples ?? {})[0]?.value;
    const source = renderSample('curl', buildRequest(path, method, operation, { ...example, request }));
    operation['x-codeSamples'] = [{ lang: 'Shell', label: 'curl', source }];
  }
}

/** A request as the document shows it: of a host on this machine, with the body on one line. */
function buildRequest(
  path: string,
  method: string,
  operation: Operation,
  example: OperationExample,
): ApiRequest {
  const list = (part: 'path' | 'query') =>
    Object.entries(example[part] ?? {}).map(([name, value]) => ({ name, in: part, value, isNumber: false }));
  const [answer] = Object.values(operation.responses?.['200']?.content ?? {});
  return {
    origin: 'http://127.0.0.1:8080',
    operationId: operation.operationId ?? '',
    method: method.toUpperCase(),
    path,
    parameters: [...list('path'), ...list('query')],
    credential: pickCredential(operation.security),
    body: example.request === undefined ? undefined : JSON.stringify(example.request),
    isStream: answer?.['x-itemSchema'] !== undefined,
  };
}

/** Returns the header of the credential for an operation, or undefined if it needs none. */
export function pickCredential(security: Operation['security'] = []): ApiRequest['credential'] {
  if (security.length === 0 || security.some((way) => Object.keys(way).length === 0)) return undefined;
  return security.some((way) => 'apiKey' in way) ? 'x-api-key' : 'authorization';
}

type OperationExample = RouteOperation['example'] & { path?: Readonly<Record<string, string>> };
