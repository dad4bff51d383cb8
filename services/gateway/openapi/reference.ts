import type { Field } from '../../../web/pages/reference.ts';
import { listOperations, type OpenApiDocument } from './components.ts';
import { createSchemaReader } from './fields.ts';
import {
  type DescribedOperation,
  type DescribedParameter,
  type DescribedResponse,
  nameGroup,
} from './operations.ts';

interface SampledOperation extends DescribedOperation {
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
  const { resolve, listFields } = createSchemaReader(document);
  const operations = listOperations(document).map(({ path, method, operation }) => ({
    title: `${method.toUpperCase()} ${path}`,
    operation: operation as unknown as SampledOperation,
  }));
  const sections = (document.tags ?? []).map(({ name, description = '' }) => {
    const own = operations.filter(({ operation }) => operation.tags[0] === name);
    return `\n## ${nameGroup(name)}\n\n${description}\n${own.map(renderOperation).join('')}`;
  });
  return `${head}${sections.join('')}`;

  function renderOperation({ title, operation }: (typeof operations)[number]): string {
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
    const { schema } = (requestBody && getFirstMedia(requestBody)) ?? {};
    const fields = schema ? listFields(schema).map(renderField) : [];
    const codes = Object.keys(responses).filter((status) => Number(status) >= 400);
    const answer = getFirstMedia(resolve(responses['200'] ?? {}))?.example;
    return [
      `\n### ${summary}\n`,
      `\`${title}\`, operation id \`${operationId}\`.${description ? ` ${description}` : ''}\n`,
      ...(credentials.length > 0
        ? [`Credentials, ${isOptional ? 'optional' : 'required'}: ${credentials.join(' or ')}.\n`]
        : []),
      ...renderTable('parameter', parameters.map(resolve).map(renderParameter)),
      ...renderTable('field of the body', fields),
      `\`\`\`bash\n${operation['x-codeSamples'][0]!.source}\n\`\`\`\n`,
      ...(answer === undefined ? [] : [renderExample(answer)]),
      ...(codes.length > 0 ? [`Error statuses: ${codes.join(', ')}.\n`] : []),
    ].join('\n');
  }

  function renderParameter({
    name,
    in: part,
    required,
    description,
    schema,
  }: DescribedParameter): [string, string] {
    const said = description ?? (schema && resolve(schema).description) ?? '';
    return [`\`${name}\` (${part}${required ? ', required' : ''})`, said];
  }

  function renderField({
    name,
    type,
    required,
    description,
    values,
    fields,
    isVariant,
  }: Field): [string, string] {
    const words = [type, ...(required ? ['required'] : [])].filter(Boolean).join(', ');
    const listed = values ?? (isVariant ? fields.map((one) => one.name) : []);
    const said = [description, listed.map((one) => `\`${one}\``).join(', ')];
    return [
      `${isVariant ? name : `\`${name}\``}${words === '' ? '' : ` (${words})`}`,
      said.filter(Boolean).join(' '),
    ];
  }
}

const getFirstMedia = ({ content = {} }: DescribedResponse) => Object.values(content)[0];

const escapeCell = (text: string) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|');

function renderTable(title: string, rows: readonly [string, string][]): string[] {
  if (rows.length === 0) return [];
  return [
    `| ${title} | |\n|---|---|\n${rows.map((row) => `| ${row.map(escapeCell).join(' | ')} |`).join('\n')}\n`,
  ];
}

function renderExample(answer: unknown): string {
  if (typeof answer === 'string') return `\`\`\`\n${answer.trimEnd()}\n\`\`\`\n`;
  return `\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\`\n`;
}
