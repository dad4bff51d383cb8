import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isProblemCode, listStatuses, problems } from '../../../lib/errors/problems.ts';
import { routes } from '../routes.ts';
import { createOpenApiDocument } from './document.ts';
import { problem } from './parts.ts';

type Json = Record<string, unknown>;

const document = createOpenApiDocument(routes) as unknown as Json;
const components = document.components as Record<string, Record<string, Json>>;

/** Resolves a `$ref`. Returns any other value unchanged. */
function resolved(value: Json): Json {
  if (typeof value.$ref !== 'string') return value;
  const [, , kind, name] = value.$ref.split('/');
  return components[kind!]![name!]!;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  parameters?: Json[];
  responses: Record<string, Json>;
}

const operations = Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap(
  (item) => Object.values(item),
);

/** Yields every object in a value, with its path. */
function* walkObjects(value: unknown, at = ''): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Json];
  for (const [key, child] of Object.entries(value)) {
    // Values, not schemas.
    if (/^(examples?|x-codeSamples|const|enum|default)$/.test(key) && !at.endsWith('/properties')) continue;
    yield* walkObjects(child, `${at}/${key}`);
  }
}

const nodes = [...walkObjects(document)];

describe('every operation', () => {
  test('has an id of its own that reads as a method: a verb, then what it is about', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const verbs =
      /^(list|get|find|create|issue|revoke|subscribe|update|delete|test|send|resend|dispatch|stream|introspect|infer|draft|explain|simulate|run|settle|sign|narrow|confirm|remove|grant|end)[A-Z]/;
    for (const id of ids) expect(id).toMatch(verbs);
    for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z0-9]*)+$/);
  });

  test('has a summary that begins with a verb in the imperative, and stands in a section that is described', () => {
    const tags = document.tags as { name: string; description: string }[];
    for (const { name, description } of tags)
      expect([name, description]).toEqual([name, expect.stringMatching(/\w+.*\.$/)]);
    const used = operations.flatMap((operation) => {
      expect([operation.operationId, operation.tags]).toEqual([operation.operationId, [expect.any(String)]]);
      expect(operation.summary).toMatch(/^[A-Z][a-z]+ .*[^.]$/);
      return operation.tags;
    });
    expect(new Set(used)).toEqual(new Set(tags.map(({ name }) => name)));
  });

  test('says what each parameter is', () => {
    for (const { operationId, parameters = [] } of operations) {
      for (const parameter of parameters.map(resolved)) {
        const described = parameter.description ?? (parameter.schema as Json).description;
        expect([operationId, parameter.name, described]).toEqual([
          operationId,
          parameter.name,
          expect.stringMatching(/\w/),
        ]);
      }
    }
  });
});

describe('every response', () => {
  const responses = operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).map(([status, response]) => ({
      at: `${operationId} ${status}`,
      status: Number(status),
      response: resolved(response),
    })),
  );

  test('with a body has an example', () => {
    for (const { at, response } of responses) {
      // Of several media types, the first is the one that programs get.
      for (const media of Object.values((response.content ?? {}) as Record<string, Json>).slice(0, 1)) {
        const shown = media.example ?? Object.values((media.examples ?? {}) as Json)[0];
        expect([at, shown]).toEqual([at, expect.anything()]);
      }
    }
  });

  test('of an error shows each of its codes as it is sent, from the table of errors', () => {
    for (const { at, status, response } of responses) {
      if (status < 400) continue;
      const [media] = Object.values(
        response.content as Record<string, { schema: Json; examples: Record<string, Json> }>,
      );
      expect([at, media!.schema]).toEqual([at, { $ref: '#/components/schemas/Problem' }]);
      for (const [code, example] of Object.entries(media!.examples)) {
        const shown = problem.parse(resolved(example).value);
        expect(shown).toMatchObject({ code, status, type: `/errors/${code}` });
        expect([at, isProblemCode(code) && listStatuses(code).includes(status)]).toEqual([at, true]);
        expect(response.description).toContain(`\`${code}\``);
      }
    }
  });

  test('names the headers that it is sent with, each of them explained', () => {
    const limits = [
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'ratelimit',
      'ratelimit-policy',
    ];
    for (const { at, status, response } of responses) {
      const headers = (response.headers ?? {}) as Record<string, Json>;
      const codes = Object.keys(
        (Object.values((response.content ?? {}) as Json)[0] as { examples?: Json })?.examples ?? {},
      );
      const expected = [
        'x-request-id',
        ...limits,
        ...(status === 304 ? ['etag'] : []),
        ...(status === 401 ? ['www-authenticate'] : []),
        ...(status >= 400 && codes.some((code) => isProblemCode(code) && problems[code].retryAfterSeconds)
          ? ['retry-after']
          : []),
        ...(status === 429 ? ['retry-after'] : []),
      ];
      expect([at, Object.keys(headers)]).toEqual([at, expect.arrayContaining(expected)]);
      for (const header of Object.values(headers).map(resolved)) {
        expect((header.description ?? (header.schema as Json)?.description) as string).toMatch(/\w/);
      }
    }
    const hasEtag = operations.filter(({ responses }) => responses[304] !== undefined);
    expect(hasEtag.length).toBeGreaterThan(8);
    for (const { operationId, parameters = [], responses } of hasEtag) {
      const names = parameters.map((parameter) => resolved(parameter).name);
      expect([operationId, names]).toEqual([operationId, expect.arrayContaining(['if-none-match'])]);
      expect(Object.keys(resolved(responses[200]!).headers as Json)).toContain('etag');
    }
  });
});

describe('components', () => {
  test('are named by what they mean, and each is used', () => {
    const text = JSON.stringify(document);
    for (const [kind, named] of Object.entries(components)) {
      if (kind === 'securitySchemes') continue;
      for (const name of Object.keys(named)) {
        expect([kind, name]).toEqual([
          kind,
          expect.stringMatching(kind === 'examples' ? /^[a-z_]+(_\d{3})?$/ : /^[A-Z][A-Za-z]*$/),
        ]);
        expect([kind, name, text.includes(`"#/components/${kind}/${name}"`)]).toEqual([kind, name, true]);
      }
    }
  });

  test('have every shape that occurs more than once', () => {
    const seen = new Map<string, string>();
    for (const [at, node] of nodes) {
      const isShape = node.type === 'object' && Object.keys((node.properties ?? {}) as Json).length > 1;
      if (!isShape) continue;
      const { description: _, ...shape } = node;
      const json = JSON.stringify(shape);
      expect([seen.get(json), at]).toEqual([undefined, at]);
      seen.set(json, at);
    }
    expect(seen.size).toBeGreaterThan(40);
  });
});

/** Fields whose values others may add to: a client has to take any text. */
const openTexts = ['JobView', 'AgentFreeze', 'AgentFreezes'];

test('a field that has one of a few values names them', () => {
  for (const [at, node] of nodes) {
    if ('enum' in node) {
      expect([at, node]).toEqual([at, expect.objectContaining({ type: 'string' })]);
      expect((node.enum as string[]).length).toBeGreaterThan(1);
    }
    const [, schema, name] = /^\/components\/schemas\/(\w+)\/.*properties\/(\w+)$/.exec(at) ?? [];
    if (name === undefined || !/^(state|status|kind|role|outcome|signing|source|network)$/.test(name))
      continue;
    if (openTexts.includes(schema!) || node.type !== 'string') continue;
    expect([at, 'enum' in node || 'const' in node]).toEqual([at, true]);
  }
});

/** Greatest `limit` of the lists that have smaller pages, as docs/limits-and-keys.md says. */
const smallerPages = {
  '/api/admin/runs': 100,
  '/api/admin/listings': 200,
  '/api/admin/confirmations': 100,
  '/api/admin/quarantines': 100,
  '/api/admin/reports': 100,
  '/api/admin/hidden-pictures': 100,
  '/api/adaptors/webhooks/{id}/deliveries': 100,
  '/api/agent/runs': 100,
  '/api/adaptors/{serviceType}/certificate': 20,
};

test('a page of every list may have 1,000 entries, but those of runs, deliveries, certificates and the operator', () => {
  const parameters = components.parameters!;
  const limits = Object.entries(document.paths as Record<string, { get?: { parameters?: Json[] } }>).flatMap(
    ([path, { get }]) =>
      (get?.parameters ?? [])
        .map((given) => ('$ref' in given ? parameters[String(given.$ref).split('/').at(-1)!]! : given))
        .filter(({ name }) => name === 'limit')
        .map(({ schema }) => [path, (schema as Json).maximum] as const),
  );
  expect(Object.fromEntries(limits.filter(([, maximum]) => maximum !== 1_000))).toEqual(smallerPages);
  expect(limits.length).toBeGreaterThan(2 * Object.keys(smallerPages).length);
});

test('only pages and their files are served without a description', () => {
  const silent = routes.filter(({ operation }) => !operation);
  const forPages =
    /^(?:text\/(?:html|css|javascript|markdown|plain)|image\/|application\/(?:\w+\+)?xml|application\/linkset\+json|\*\/\*)/;
  const forPrograms = silent.filter(
    ({ path, mediaType }) => path.startsWith('/api/') || !forPages.test(mediaType),
  );
  // The session of pages is theirs alone: a browser's headers stand in for what a program could send.
  expect(new Set(forPrograms.map(({ path }) => path))).toEqual(
    new Set(['/api/portal/session', '/publish/sample-package.json']),
  );
  expect(silent.length).toBeGreaterThan(20);
});

test('examples fit the schemas that requests are checked with', () => {
  for (const { path, method, operation, query, body } of routes) {
    if (!operation) continue;
    const { example, response } = operation;
    const at = `${method} ${path}`;
    const fits = (schema: z.ZodType | undefined, value: unknown) =>
      expect([at, schema?.safeParse(value).error?.issues]).toEqual([at, undefined]);
    fits(query, example.query ?? {});
    if (body) {
      const requests = example.requests ? Object.values(example.requests) : [example.request];
      for (const request of requests) fits(body, request);
    }
    fits(response?.schema, example.answer);
    expect([at, response?.schema === undefined]).toEqual([at, example.answer === undefined]);
    expect(response?.schema ?? z.undefined()).toBeInstanceOf(z.ZodType);
  }
});
