import { Ajv, addFormats } from '@modelcontextprotocol/client/validators/ajv';
import type { JsonSchema } from './values.ts';

interface Response {
  $ref?: string;
  description?: string;
  content?: Readonly<Record<string, { schema?: JsonSchema; itemSchema?: JsonSchema }>>;
}

export interface Parameter {
  $ref?: string;
  in: 'query' | 'path' | 'header' | 'cookie';
  name: string;
  schema: JsonSchema;
  required?: boolean;
  example?: string;
}

interface Operation {
  operationId: string;
  parameters?: readonly Parameter[];
  requestBody?: { content: Readonly<Record<string, { schema: JsonSchema; example?: unknown }>> };
  responses: Readonly<Record<string, Response>>;
}

/** An operation with its place in the document. */
export interface DescribedOperation {
  method: string;
  /** Template of the path, with `{name}` for parameters. */
  path: string;
  operation: Operation;
}

export interface OpenApiDocument {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: { schemas: Readonly<Record<string, JsonSchema>> };
}

const methods = ['get', 'post', 'patch', 'put', 'delete'];

/** The served OpenAPI document: its operations, and what their responses may be. */
export class ApiDescription {
  readonly operations: readonly DescribedOperation[];
  readonly #document: OpenApiDocument;
  readonly #ajv = new Ajv({ strict: false, validateFormats: false });
  readonly #validators = new Map<string, ReturnType<InstanceType<typeof Ajv>['compile']>>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    addFormats(this.#ajv);
    this.#ajv.addSchema(document, 'api');
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      methods
        .filter((method) => item[method] !== undefined)
        .map((method) => ({ method, path, operation: item[method]! })),
    );
  }

  /** Returns the part of the document that a reference names. */
  resolve(ref: string): JsonSchema {
    return findPart(this.#document, ref) as JsonSchema;
  }

  listParameters({ operation }: DescribedOperation): Parameter[] {
    return (operation.parameters ?? []).map((parameter) =>
      parameter.$ref === undefined ? parameter : (findPart(this.#document, parameter.$ref) as Parameter),
    );
  }

  /**
   * Finds the operation that serves a path, as the router does: the path is chosen first, where constant segments come before
   * parameters, and then the method.
   */
  match(method: string, path: string): DescribedOperation | undefined {
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    const served = this.operations.filter((one) => matchTemplate(one.path, path));
    const [best] = served.toSorted((a, b) => countParameters(a.path) - countParameters(b.path));
    return served.find((one) => one.path === best!.path && one.method === name);
  }

  /** Returns the response of a status; undefined if the operation does not describe it. */
  findResponse({ operation }: DescribedOperation, status: number): Response | undefined {
    const response = operation.responses[status];
    return response?.$ref === undefined ? response : (findPart(this.#document, response.$ref) as Response);
  }

  /** Returns how a JSON body differs from the schema of a response; undefined if it does not. */
  compare(described: DescribedOperation, status: number, mediaType: string, body: unknown) {
    const { $ref } = described.operation.responses[status] ?? {};
    const place =
      $ref?.slice(1) ?? `/paths/${encodeKey(described.path)}/${described.method}/responses/${status}`;
    const pointer = `${place}/content/${encodeKey(mediaType)}/schema`;
    let validate = this.#validators.get(pointer);
    if (!validate) {
      validate = this.#ajv.compile({ $ref: `api#${pointer}` });
      this.#validators.set(pointer, validate);
    }
    return validate(body) ? undefined : this.#ajv.errorsText(validate.errors);
  }
}

/** Returns the part of a document that a reference such as `#/components/schemas/Catalog` names. */
export function findPart(document: object, ref: string): unknown {
  const keys = ref.split('/').slice(1).map(decodeKey);
  return keys.reduce((value: unknown, key) => Reflect.get(value as object, key), document);
}

const encodeKey = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
const decodeKey = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~');

const countParameters = (path: string) => path.split('{').length;

function matchTemplate(template: string, path: string): boolean {
  const [expected, given] = [template.split('/'), path.replace(/\/$/, '').split('/')];
  return (
    expected.length === given.length &&
    expected.every((part, at) => (part.startsWith('{') ? given[at] !== '' : part === given[at]))
  );
}
