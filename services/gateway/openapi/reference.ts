import { listOperations, type OpenApiDocument } from './components.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  enum?: unknown[];
  items?: Schema;
  anyOf?: Schema[];
}
interface Content {
  description?: string;
  content?: Record<string, { schema?: Schema; example?: unknown }>;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}
interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: Record<string, unknown>[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: Content;
  responses: Record<string, Content | { $ref: string }>;
  'x-codeSamples': { source: string }[];
}

const head = `# The HTTP API

Every operation of the HTTP API, with an example of a request and its answer. \`/docs\` is the same as a page to try, and
\`/api/adaptors/openapi.json\` as OpenAPI, with all schemas and all responses. [errors.md](errors.md) explains the error
codes, and [limits-and-keys.md](limits-and-keys.md) the rate limits and credentials.

The service renders this document from its routes.
`;

/** Renders the OpenAPI document as Markdown. */
export function renderApiReference(document: OpenApiDocument): string {
  const operations = listOperations(document).map(({ path, method, operation }) => ({
    title: `${method.toUpperCase()} ${path}`,
    operation: operation as unknown as Operation,
  }));
  const sections = (document.tags ?? []).map(({ name, description = '' }) => {
    const own = operations.filter(({ operation }) => operation.tags[0] === name);
    return `\n## ${name[0]!.toUpperCase()}${name.slice(1)}\n\n${description}\n${own.map(operationText).join('')}`;
  });
  return `${head}${sections.join('')}`;

  function operationText({ title, operation }: (typeof operations)[number]): string {
    const {
      operationId,
      summary,
      description,
      security,
      parameters = [],
      requestBody,
      responses,
    } = operation;
    const credentials = security?.flatMap((one) => Object.keys(one)).map((name) => `\`${name}\``) ?? [];
    const isOptional = security?.some((one) => Object.keys(one).length === 0);
    const fields = requestBody ? describeFields(getFirstMedia(requestBody)?.schema) : [];
    const codes = Object.keys(responses).filter((status) => Number(status) >= 400);
    const answer = getFirstMedia(resolved(responses['200'] ?? {}))?.example;
    return [
      `\n### ${summary}\n`,
      `\`${title}\`, operation id \`${operationId}\`.${description ? ` ${description}` : ''}\n`,
      ...(credentials.length > 0
        ? [`Credentials, ${isOptional ? 'optional' : 'required'}: ${credentials.join(' or ')}.\n`]
        : []),
      ...table('parameter', parameters.map(resolved).map(parameterRow)),
      ...table('field of the body', fields),
      `\`\`\`bash\n${operation['x-codeSamples'][0]!.source}\n\`\`\`\n`,
      ...(answer === undefined ? [] : [renderExample(answer)]),
      ...(codes.length > 0 ? [`Error statuses: ${codes.join(', ')}.\n`] : []),
    ].join('\n');
  }

  function parameterRow({ name, in: place, required, description, schema }: Parameter): [string, string] {
    const said = description ?? (schema && resolved(schema).description) ?? '';
    return [`\`${name}\` (${place}${required ? ', required' : ''})`, said];
  }

  function describeFields(schema: Schema | undefined): [string, string][] {
    const { properties = {}, required = [] } = schema ? resolved(schema) : {};
    return Object.entries(properties).map(([name, property]) => {
      const { description = '' } = { ...resolved(property), ...property };
      return [
        `\`${name}\` (${describeType(property)}${required.includes(name) ? ', required' : ''})`,
        description,
      ];
    });
  }

  function describeType(schema: Schema): string {
    const { type, enum: values, items, anyOf } = resolved(schema);
    if (values) return values.map((value) => `\`${value}\``).join(' or ');
    if (anyOf) return [...new Set(anyOf.map(describeType))].join(' or ');
    if (type === 'array' && items) return `array of ${describeType(items)}`;
    return [type ?? 'any'].flat().join(' or ');
  }

  function resolved<T extends object>(value: T): Exclude<T, { $ref: string }> {
    const reference = Reflect.get(value, '$ref');
    if (typeof reference !== 'string') return value as Exclude<T, { $ref: string }>;
    const [, , kind, name] = reference.split('/');
    return resolved(Reflect.get(Reflect.get(document.components ?? {}, kind!), name!));
  }
}

const getFirstMedia = ({ content = {} }: Content) => Object.values(content)[0];

const cell = (text: string) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|');

function table(title: string, rows: readonly [string, string][]): string[] {
  if (rows.length === 0) return [];
  return [`| ${title} | |\n|---|---|\n${rows.map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')}\n`];
}

function renderExample(answer: unknown): string {
  if (typeof answer === 'string') return `\`\`\`\n${answer.trimEnd()}\n\`\`\`\n`;
  return `\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\`\n`;
}
