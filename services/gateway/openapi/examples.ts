import type { RouteDescription, Operation as RouteOperation } from '../../../lib/http/route.ts';
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
    const [answer] = Object.values(operation.responses?.['200']?.content ?? {});
    if (answer) answer.example ??= example.answer;
    const request = body?.example ?? Object.values(body?.examples ?? {})[0]?.value;
    const source = renderCurl(path, method, operation, { ...example, request });
    operation['x-codeSamples'] = [{ lang: 'Shell', label: 'curl', source }];
  }
}

const base = 'http://127.0.0.1:8080';

function renderCurl(path: string, method: string, operation: Operation, example: OperationExample): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => example.path?.[name] ?? `{${name}}`);
  const query = new URLSearchParams(example.query).toString();
  const parts = [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} '${base}${filled}${query && `?${query}`}'`,
    ...renderCredentialOption(operation),
    ...(example.request === undefined
      ? []
      : [
          `-H 'content-type: application/json'`,
          `-d '${JSON.stringify(example.request).replaceAll("'", "'\\''")}'`,
        ]),
  ];
  return parts.join(' \\\n  ');
}

/** Returns the curl option with the credential, or none if the operation needs no credential. */
function renderCredentialOption({ security = [] }: Operation): string[] {
  if (security.length === 0 || security.some((way) => Object.keys(way).length === 0)) return [];
  return 'apiKey' in security[0]! ? [`-H "x-api-key: $API_KEY"`] : [`-H "authorization: Bearer $TOKEN"`];
}

type OperationExample = RouteOperation['example'] & { path?: Readonly<Record<string, string>> };
