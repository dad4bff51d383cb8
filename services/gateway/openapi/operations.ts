import type { RouteDescription } from '../../../lib/http/route.ts';
import type {
  Field,
  Parameter,
  Reference,
  ReferenceOperation,
  ReferenceResponse,
} from '../../../web/pages/reference.ts';
import { listOperations, type OpenApiDocument } from './components.ts';
import { buildExamples, pickCredential } from './examples.ts';
import { createSchemaReader, describeLimits, type Schema } from './fields.ts';

interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
  'x-itemSchema'?: Schema;
}
export interface DescribedResponse {
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Media>;
}
export interface DescribedParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema?: Schema;
}
export interface DescribedOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: Record<string, unknown>[];
  parameters?: (DescribedParameter | { $ref: string })[];
  requestBody?: { content?: Record<string, Media> };
  responses: Record<string, DescribedResponse | { $ref: string }>;
}

/** Headers that every response has, or every one that is counted. The overview explains them. */
const everywhere = /^(x-request-id|x-ratelimit-|ratelimit)/;

/** Title of the group of operations with a tag. */
export const nameGroup = (tag: string): string =>
  tag === 'sql' ? 'SQL' : `${tag[0]!.toUpperCase()}${tag.slice(1)}`;

/** Collects what the pages of the API reference show, from the document and the examples of its routes. */
export function describeReference(document: OpenApiDocument, routes: readonly RouteDescription[]): Reference {
  const { resolve, describeType, listFields } = createSchemaReader(document);
  const examples = buildExamples(routes);

  function describeParameter(parameter: DescribedParameter, values: Record<string, string>): Parameter {
    const { name, in: part, required = false, description, schema = {} } = parameter;
    const full = resolve(schema);
    const list = (full.const === undefined ? full.enum : [full.const])?.map(String);
    return {
      name,
      in: part,
      required,
      type: describeType(schema),
      isNumber: /^(integer|number)$/.test(String(full.type)),
      limits: describeLimits(full),
      description: description ?? full.description ?? '',
      value: values[name] ?? '',
      fields: [],
      ...(list && { values: list }),
    };
  }

  function describeResponse(operation: DescribedOperation): ReferenceResponse {
    const [status, given] = Object.entries(operation.responses)[0]!;
    const { description = '', headers = {}, content = {} } = resolve(given) as DescribedResponse;
    const [[mediaType, media] = ['', {} as Media]] = Object.entries(content);
    const { schema = {}, example } = media;
    const items = media['x-itemSchema'];
    return {
      status,
      description,
      mediaTypes: Object.keys(content),
      isStream: items !== undefined,
      headers: Object.entries(headers)
        .filter(([name]) => !everywhere.test(name))
        .map(([name, header]) => [
          name,
          (resolve(header as object) as { description?: string }).description ?? '',
        ]),
      fields: /json|event-stream/.test(mediaType) ? listFields(items ?? schema) : [],
      example:
        example === undefined || typeof example === 'string' ? example : JSON.stringify(example, null, 2),
    };
  }

  function listErrors(operation: DescribedOperation): ReferenceOperation['errors'] {
    return Object.entries(operation.responses)
      .filter(([status]) => Number(status) >= 400)
      .map(([status, given]) => {
        const { description = '' } = resolve(given) as DescribedResponse;
        const codes = description
          .split('\n\n')
          .map((line) => /^`(\w+)`: ([\s\S]*)$/.exec(line))
          .flatMap((found) => (found ? [{ code: found[1]!, meaning: found[2]! }] : []));
        return { status, codes };
      });
  }

  const operations = listOperations(document).map(
    ({ path, method, operation: given }): ReferenceOperation => {
      const operation = given as unknown as DescribedOperation;
      const { operationId: id, security } = operation;
      const example = examples[id] ?? {};
      const values = { ...example.path, ...example.query };
      const [body] = Object.values(operation.requestBody?.content ?? {});
      const bodies = example.requests ?? (example.request === undefined ? {} : { Example: example.request });
      const fields: Field[] = body?.schema ? listFields(body.schema) : [];
      return {
        id,
        tag: operation.tags[0]!,
        method: method.toUpperCase(),
        path,
        summary: operation.summary,
        description: operation.description ?? '',
        credentials: [...new Set(security?.flatMap((way) => Object.keys(way)) ?? [])],
        credential: pickCredential(security),
        parameters: (operation.parameters ?? []).map((one) =>
          describeParameter(resolve(one) as DescribedParameter, values),
        ),
        ...(body && { body: { fields, examples: bodies } }),
        response: describeResponse(operation),
        errors: listErrors(operation),
      };
    },
  );
  const groups = (document.tags ?? []).map(({ name, description = '' }) => ({
    name: nameGroup(name),
    description,
    operations: operations.filter(({ tag }) => tag === name),
  }));
  const schemes = Object.entries(document.components?.securitySchemes ?? {}).map(([name, scheme]) => ({
    name,
    description: 'description' in scheme ? (scheme.description ?? '') : '',
  }));
  return { introduction: document.info.description ?? '', groups, schemes };
}
