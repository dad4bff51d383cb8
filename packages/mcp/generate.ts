import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolOperations } from './src/operations.ts';

/**
 * Writes `src/generated/schemas.ts`, the inputs of each tool, from the operations of the OpenAPI document.
 */
const root = join(import.meta.dirname, '../..');
const output = 'packages/mcp/src/generated/schemas.ts';

type Json = Record<string, unknown>;
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Json;
}
interface Operation extends Json {
  operationId: string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Json }> };
}

const printed = execFileSync(process.execPath, [join(root, 'services/gateway/print-openapi.ts')], {
  maxBuffer: 16 * 1024 * 1024,
});
const document = JSON.parse(printed.toString());

function resolveReference<T>(value: T | { $ref: string }): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T;
  const [, , kind, name] = (value.$ref as string).split('/');
  return document.components[kind!][name!];
}

/** Schemas of the document that tools refer to, by name. */
const definitions: Json = {};

/**
 * Returns the schema with its references changed to `$defs`, and adds their names to `defs`. An enum replaces a reference to
 * it: the reference and a definition would be longer.
 */
function toLocalSchema(schema: unknown, defs: Set<string>): unknown {
  if (Array.isArray(schema)) return schema.map((one) => toLocalSchema(one, defs));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).flatMap(([key, value]) => {
    // A discriminator belongs to OpenAPI. Its references are not part of JSON Schema.
    if (key === 'discriminator' || key === 'example' || key === 'examples') return [];
    if (key !== '$ref') return [[key, toLocalSchema(value, defs)]];
    const name = String(value).split('/').at(-1)!;
    const component = document.components.schemas[name] as Json;
    if (component.enum) return Object.entries(component).filter(([own]) => !(own in schema));
    if (!defs.has(name)) {
      defs.add(name);
      definitions[name] = toLocalSchema(component, defs);
    }
    return [['$ref', `#/$defs/${name}`]];
  });
  return Object.fromEntries(entries);
}

/** Adds the names of a schema's definitions as `$defs`. `print` replaces them with a call that returns the definitions. */
const withDefs = (schema: Json, defs: Set<string>) =>
  defs.size > 0 ? { ...schema, $defs: [...defs] } : schema;

function findOperation(id: string): Operation {
  for (const item of Object.values(document.paths as Record<string, Json>)) {
    for (const operation of Object.values(item) as Operation[]) {
      if (operation.operationId === id) return operation;
    }
  }
  throw new Error(`The OpenAPI document has no operation ${id}.`);
}

interface Shape {
  properties: Record<string, Json>;
  required: string[];
}

/** Lists the shapes of a choice. One of them can be a choice again. */
const listShapes = (choice: Json): Shape[] => {
  const whole = resolveReference<Json>(choice);
  return 'oneOf' in whole ? (whole.oneOf as Json[]).flatMap(listShapes) : [whole as unknown as Shape];
};

/** Describes a field of an action: its name, the values of a choice, and the fields of the entries of a list. */
function describeField(name: string, schema: Json): string {
  const { const: only, enum: values = [only], items } = resolveReference(schema);
  const choice = (values as unknown[]).filter((value) => typeof value === 'string').join('|');
  const { properties } = (items ? resolveReference(items) : {}) as { properties?: Json };
  const entry = properties ? `[{ ${Object.keys(properties).join(', ')} }]` : '';
  return `${name}${choice && `=${choice}`}${entry && `: ${entry}`}`;
}

/** First tool that takes a choice between shapes, by the name of the choice. Other tools refer to its description. */
const describingTools = new Map<string, string>();

/**
 * Describes a choice between actions in words: its schema has 30 kB, which a client would read for each list of tools.
 * The API names what is wrong with a request.
 * @param allOf the choice, and the fields beside it
 * @param defs receives the name of the definition of these fields
 */
function summarizeChoice(tool: string, name: string, { allOf }: Json, defs: Set<string>): Json {
  const [choice, run] = allOf as [Json, Shape];
  const shapes = listShapes(choice);
  const actions = new Map<string, string[]>();
  for (const { properties, required } of shapes) {
    const { action, ...fields } = properties;
    const described = Object.entries(fields).map(([field, schema]) =>
      describeField(required.includes(field) ? field : `${field}?`, schema),
    );
    const list = described.join(', ');
    actions.set(list, [...(actions.get(list) ?? []), String(action!.const)]);
  }
  const list = [...actions].map(([fields, names]) => `${names.join('|')}(${fields})`);
  const first = describingTools.get(name);
  describingTools.set(name, first ?? tool);
  const bounds =
    'takesAtMost and bringsAtLeast, lists of { coinType, amount }, and manifests, the manifestHash of each adaptor by serviceType: as simulate_action returned them.';
  // Only the server sets `unattended`, which says that no person confirmed the action.
  const fields = Object.keys(run.properties).filter((field) => field !== 'unattended');
  const typed = Object.fromEntries(
    fields.map((field) => [
      field,
      field === 'bounds' ? { type: 'object', description: bounds } : { type: 'string' },
    ]),
  );
  defs.add(name);
  definitions[name] = {
    type: 'object',
    properties: {
      ...typed,
      action: { enum: [...new Set(shapes.map(({ properties }) => properties.action!.const))] },
    },
    required: ['action', ...run.required],
  };
  return {
    $ref: `#/$defs/${name}`,
    description: first
      ? `The same request as that of ${first}.`
      : `The fields beside these, by action; ? marks those that may be absent: ${list.join('; ')}. Each of \`steps\` has an action and its fields. Amounts are decimal digits of base units.`,
  };
}

/** Short descriptions of arguments that many tools take, in place of those of the API. */
const shortDescriptions: Readonly<Record<string, string>> = {
  network: "Default: the marketplace's.",
  serviceType: '`0x<package>::module::Witness`.',
};
const describeInShort = (name: string) =>
  shortDescriptions[name] ? { description: shortDescriptions[name] } : {};

function buildSchemas(
  tool: string,
  { operationId, leftOut = [], defaults = {} }: (typeof toolOperations)[string],
) {
  const operation = findOperation(operationId);
  const defs = new Set<string>();
  const properties: Json = {};
  const required: string[] = [];
  const parts: Record<string, 'path' | 'query' | 'body' | 'request'> = {};
  for (const one of operation.parameters ?? []) {
    const { name, in: part, required: isRequired, description, schema } = resolveReference<Parameter>(one);
    if (part === 'header' || leftOut.includes(name)) continue;
    parts[name] = part as 'path' | 'query';
    properties[name] = toLocalSchema(
      { ...schema, ...(description && { description }), ...describeInShort(name) },
      defs,
    );
    if (isRequired) required.push(name);
  }
  const body = operation.requestBody?.content['application/json']?.schema;
  if (body) {
    const whole = resolveReference<Json>(body as Json);
    if (whole.properties) {
      for (const [name, schema] of Object.entries(whole.properties as Json)) {
        if (leftOut.includes(name)) continue;
        parts[name] = 'body';
        properties[name] = toLocalSchema({ ...(schema as Json), ...describeInShort(name) }, defs);
      }
      required.push(...((whole.required ?? []) as string[]));
    } else {
      // A choice between shapes. Some clients only accept an object at the root of an input schema.
      parts.request = 'request';
      properties.request = summarizeChoice(tool, String(body.$ref).split('/').at(-1)!, whole, defs);
      required.push('request');
    }
  }
  for (const [name, value] of Object.entries(defaults)) {
    const { default: _, description, ...schema } = properties[name] as Json & { description?: string };
    properties[name] = {
      ...schema,
      default: value,
      ...(description && { description: replaceDefault(description, value) }),
    };
  }
  const input = withDefs({ type: 'object', properties, required, additionalProperties: false }, defs);
  return { input, parts };
}

/** Replaces the default that a description of the API states by that of the tool. */
const replaceDefault = (description: string, value: unknown) =>
  description.replace(/[;,.]? default:? [\d,]+[^.]*/i, `; default: ${value}`);

const schemas = Object.fromEntries(
  Object.entries(toolOperations).map(([tool, operation]) => [tool, buildSchemas(tool, operation)]),
);
/** Prints JSON in which a call of `define` replaces each list of names in `$defs`. */
const print = (value: unknown) =>
  JSON.stringify(value, null, 1).replace(/(?<="\$defs": )\[([^\]]*)\]/g, (_, names: string) => {
    return `define(${names.trim().replace(/\s+/g, ' ')})`;
  });

const content = `// Written by packages/mcp/generate.ts from the OpenAPI document.
type JsonSchema = { type: 'object'; [key: string]: unknown };

/** Input schema of a tool, and the part of the request that carries each argument. */
${'export'} interface ToolSchemas {
  input: JsonSchema;
  /** \`request\`: the argument is the whole body. */
  parts: Record<string, 'path' | 'query' | 'body' | 'request'>;
}

/** Schemas that tools share. */
const definitions: Record<string, unknown> = ${print(definitions)};

const define = (...names: string[]) => Object.fromEntries(names.map((name) => [name, definitions[name]]));

${'export'} const schemas: Record<string, ToolSchemas> = ${print(schemas)};
`;

const path = join(root, output);
if (!process.argv.includes('--check')) {
  writeFileSync(path, content);
} else if (readFileSync(path, 'utf8') !== content) {
  process.stderr.write(`${output} does not match the API: run \`npm run generate\` and commit it.\n`);
  process.exitCode = 1;
}
