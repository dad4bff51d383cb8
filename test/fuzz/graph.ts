import fc from 'fast-check';
import {
  buildClientSchema,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  parse,
  validate,
} from 'graphql';
import { isProblemCode } from '../../lib/errors/problems.ts';
import { parseJson } from '../../lib/json.ts';
import { type Tape, tape } from '../support/tape.ts';
import { createRequestDoor, type Door, listSecrets } from './door.ts';
import { encodeBody, type FuzzRequest, type FuzzResponse, send } from './exchange.ts';
import { oddHeaders, sender } from './headers.ts';
import type { Host } from './host.ts';
import { Fault, judgeAny } from './judge.ts';
import { hostileText, nearly, nearlyJson } from './values.ts';

interface Result {
  data?: unknown;
  errors?: { message: string; extensions?: { code?: string } }[];
}

/** Documents made from the schema of the graph, valid ones and nearly valid ones. */
export async function openGraphDoor(host: Host): Promise<Door<FuzzRequest>> {
  const schema = await readSchema(host.baseUrl);
  const cursors = await readCursors(host, schema);
  const writer = new DocumentWriter(schema, host, cursors);
  const secrets = listSecrets(host);
  const made = fc.tuple(tape, fc.nat(100)).map(([decisions, how]) => writer.write(decisions, how));
  const bodies = fc
    .tuple(made, fc.nat(30), hostileText, nearly(fc.constant({})))
    .chain(([{ query, variables }, how, text, variablesOdd]) => {
      const body: Record<string, unknown> = { query, variables };
      if (how === 0) body.query = breakText(query, text);
      if (how === 1) body.variables = variablesOdd;
      if (how === 2) body.operationName = text;
      if (how === 3) body.extensions = { persistedQuery: { version: 1, sha256Hash: text } };
      if (how === 4) body.query = text;
      if (how === 5) return nearlyJson(fc.constant([body, body]));
      if (how === 6) return nearlyJson(nearly(fc.constant(body)));
      return fc.constant(JSON.stringify(body));
    });
  const posted = fc.record({
    method: fc.constant('POST'),
    target: fc.constant('/graphql'),
    headers: fc
      .tuple(sender, oddHeaders, fc.nat(9))
      .map(([from, odd, how]) => [
        from,
        ...(how < 2 ? odd : []),
        ...(odd.some(([name]) => name === 'content-type') && how < 2
          ? []
          : [['content-type', 'application/json'] as const]),
      ]),
    body: bodies.map(encodeBody),
  });
  const searched = fc
    .tuple(made, sender, fc.option(hostileText.filter((text) => text.isWellFormed())))
    .map(([{ query, variables }, from, odd]): FuzzRequest => {
      const search = new URLSearchParams({ query, variables: odd ?? JSON.stringify(variables) });
      return { method: 'GET', target: `/graphql?${search}`.slice(0, 11_000), headers: [from] };
    });
  const inputs = fc.oneof({ weight: 8, arbitrary: posted }, { weight: 1, arbitrary: searched });
  return createRequestDoor(host, { name: 'graph', batchSize: 300, inputs }, (request, response) => {
    judgeAny(request, response, { route: '/graphql', secrets });
    judgeResult(schema, request, response);
  });
}

async function readSchema(baseUrl: string): Promise<GraphQLSchema> {
  const { data } = await sendQuery(baseUrl, getIntrospectionQuery());
  return buildClientSchema(data as never);
}

async function sendQuery(baseUrl: string, text: string): Promise<Result> {
  const { body } = await send(baseUrl, {
    method: 'POST',
    target: '/graphql',
    headers: [['content-type', 'application/json']],
    body: encodeBody(JSON.stringify({ query: text })),
  });
  return JSON.parse(body) as Result;
}

/** Cursors of the lists that need no argument, for those and other lists. */
async function readCursors(host: Host, schema: GraphQLSchema): Promise<string[]> {
  const cursors: string[] = [...host.values.findWords('cursor')];
  for (const field of Object.values(schema.getQueryType()!.getFields())) {
    if (!getNamedType(field.type).name.endsWith('Connection') || field.args.some(isRequiredArgument))
      continue;
    const { data } = await sendQuery(
      host.baseUrl,
      `{ list: ${field.name}(first: 1) { pageInfo { endCursor } } }`,
    );
    const cursor = (data as { list?: { pageInfo: { endCursor?: string } } })?.list?.pageInfo.endCursor;
    if (cursor) cursors.push(cursor);
  }
  return cursors;
}

const breakText = (query: string, text: string): string => {
  const at = (text.length * 7) % query.length;
  return query.slice(0, at) + text + query.slice(at + 1);
};

const hostileWords = [
  '',
  '\0',
  '0x2',
  'x'.repeat(3_000),
  '__proto__',
  '0x2::sui::SUI',
  '￿',
  'é\u0301',
  '-1',
  '0.0.0',
];
const numbers = [1, 0, -1, 2, 100, 101, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -(2 ** 31), 1.5, 1e300];
const depthMax = 5;

/** Writes documents by the decisions of a tape. */
class DocumentWriter {
  readonly #schema: GraphQLSchema;
  readonly #host: Host;
  readonly #cursors: readonly string[];

  constructor(schema: GraphQLSchema, host: Host, cursors: readonly string[]) {
    this.#schema = schema;
    this.#host = host;
    this.#cursors = cursors;
  }

  /** @param how below 5: a subscription; below 15: with fragments, directives and variables */
  write(decisions: Tape, how: number): { query: string; variables: Record<string, unknown> } {
    const root = how < 5 ? this.#schema.getSubscriptionType()! : this.#schema.getQueryType()!;
    const fields = this.#writeFields(root, decisions, how < 5 ? depthMax - 1 : 0, how < 5 ? 1 : 3);
    const word = how < 5 ? 'subscription' : 'query';
    if (how >= 15) return { query: `${word} { ${fields} }`, variables: {} };
    const flag = decisions.pick([true, false, null, 'x', 1]);
    const query =
      `${word} Q($flag: Boolean = true, $unused: [Int!]) { ...F @include(if: $flag) again: __typename @skip(if: $flag) } ` +
      `fragment F on ${root.name} { ${fields} ${decisions.once(9) ? '...F' : ''} }`;
    return { query, variables: { flag, unused: decisions.pick<unknown>([[1], null, 'x', [null]]) } };
  }

  #writeFields(type: GraphQLObjectType, decisions: Tape, depth: number, max: number): string {
    const fields = Object.values(type.getFields());
    const leaves = fields.filter((field) => isLeafType(getNamedType(field.type)) && field.args.length === 0);
    const written = [this.#writeField(fields, leaves, decisions, depth)];
    written.push(...decisions.repeat(max, () => this.#writeField(fields, leaves, decisions, depth)));
    return written.map((field, at) => `f${at}: ${field}`).join(' ');
  }

  #writeField(
    fields: ReturnType<GraphQLObjectType['getFields']>[string][],
    leaves: typeof fields,
    decisions: Tape,
    depth: number,
  ): string {
    const choices = depth >= depthMax && leaves.length > 0 ? leaves : fields;
    const field = decisions.pick(choices);
    const type = getNamedType(field.type);
    const written = field.args
      .filter((argument) => isRequiredArgument(argument) || decisions.once(3))
      .map(
        (argument: GraphQLArgument) =>
          `${argument.name}: ${this.#writeValue(argument.type, argument.name, decisions)}`,
      );
    const head = written.length > 0 ? `${field.name}(${written.join(', ')})` : field.name;
    if (isLeafType(type)) return head;
    if (depth > depthMax + 2) return `${head} { __typename }`;
    if (isObjectType(type))
      return `${head} { ${this.#writeFields(type, decisions, depth + 1, depth < 2 ? 3 : 1)} }`;
    if (!isInterfaceType(type)) return `${head} { __typename }`;
    const possible = decisions.pick(this.#schema.getPossibleTypes(type));
    return `${head} { __typename ... on ${possible.name} { ${this.#writeFields(possible, decisions, depth + 1, 1)} } }`;
  }

  #writeValue(type: GraphQLInputType, name: string, decisions: Tape): string {
    if (isNonNullType(type)) return this.#writeValue(type.ofType, name, decisions);
    if (decisions.once(25))
      return decisions.pick(['null', '"x"', '1', '[]', '{}', 'x', '1.5', '-1', '$flag']);
    if (isListType(type)) {
      const items = decisions.repeat(4, () => this.#writeValue(type.ofType, name, decisions));
      return `[${items.join(', ')}]`;
    }
    if (isEnumType(type)) return decisions.pick(type.getValues()).name;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(() => decisions.once(3));
      return `{${fields.map((field) => `${field.name}: ${this.#writeValue(field.type, field.name, decisions)}`).join(', ')}}`;
    }
    switch (getNamedType(type).name) {
      case 'Int':
      case 'Count':
      case 'Milliseconds':
        return String(decisions.pick(numbers));
      case 'Boolean':
        return String(decisions.once(2));
      case 'Float':
        return String(decisions.pick(numbers));
      case 'Date':
        return JSON.stringify(
          decisions.pick(['2026-01-01', '9999-12-31', '0000-00-00', '+123456-01-01', 'x']),
        );
      default:
        return JSON.stringify(this.#pickText(name, decisions));
    }
  }

  #pickText(name: string, decisions: Tape): string {
    const words = /^(after|before)$/.test(name) ? this.#cursors : this.#host.values.findWords(name);
    if (words.length === 0 || decisions.once(5)) return decisions.pick(hostileWords);
    return decisions.pick(words);
  }
}

const statuses = new Set([200, 400, 401, 405, 406, 413, 415, 422, 429]);

function judgeResult(
  schema: GraphQLSchema,
  request: FuzzRequest,
  { status, headers, body, cut }: FuzzResponse,
): void {
  const shown = `${status} ${body.slice(0, 600)}`;
  if (!statuses.has(status)) throw new Fault(`status ${status}`, '/graphql', shown);
  const type = headers['content-type'] ?? '';
  if (cut || !/^application\/(graphql-response\+)?json/.test(type) || request.method === 'HEAD') return;
  const result = parseJson(body) as Result | undefined;
  if (typeof result !== 'object' || result === null) throw new Fault('no result', '/graphql', shown);
  for (const { extensions } of result.errors ?? []) {
    const code = extensions?.code ?? 'absent';
    if (code === 'internal_error') throw new Fault('internal error', '/graphql', shown);
    if (!isProblemCode(code)) throw new Fault(`unknown code ${code}`, '/graphql', shown);
  }
  if (result.errors === undefined && isInvalid(schema, request))
    throw new Fault('an invalid document has a result without an error', '/graphql', shown);
}

function isInvalid(schema: GraphQLSchema, { body = '' }: FuzzRequest): boolean {
  const sent = parseJson(Buffer.from(body, 'base64').toString('utf8')) as { query?: unknown } | undefined;
  if (typeof sent?.query !== 'string') return false;
  try {
    return validate(schema, parse(sent.query)).length > 0;
  } catch {
    return true;
  }
}
