import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { printedSchema } from '../../../graphql/schema.ts';
import { internalAgentHeader } from '../../../lib/actions/tools-api.ts';
import { useTestGateway } from '../../../test/support/gateway.ts';
import { address } from '../../../test/support/read-model.ts';
import { resolveSurface } from '../access/caller.ts';
import { schemaBody } from '../catalog/schema-route.ts';
import { routes } from '../routes.ts';
import { listOperations } from './components.ts';
import { buildPaths, createOpenApiDocument } from './document.ts';
import { buildExamples } from './examples.ts';

const gateway = useTestGateway((seed) => seed.source());

const described = createOpenApiDocument(routes);
const paths = buildPaths(routes);
const operationExamples = buildExamples(routes);

/** Resolves a `$ref` of the description. Returns any other value unchanged. */
function resolved<T>(value: T | { $ref: string }): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T;
  const [, , kind, name] = (value.$ref as string).split('/');
  return Reflect.get(Reflect.get(described.components!, kind!), name!);
}

test('the SDK is generated from the served description, as the specification versions it', async () => {
  const served = await (await fetch(`${gateway.url}/api/adaptors/openapi.json`)).json();
  expect(served).toMatchObject({ openapi: '3.1.0', info: { version: '0.1.0' } });
  const record = new URL('../../../packages/sdk/generator/generated.json', import.meta.url);
  const generated = JSON.parse(await readFile(record, 'utf8'));
  const printed = `${JSON.stringify(served, null, 2)}\n`;
  expect(createHash('sha256').update(printed).digest('hex')).toBe(generated.document);
});

test('the description is valid OpenAPI, so that clients can be generated from it', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone({ ...createOpenApiDocument(routes) }));
  expect([valid, errors, validator.version]).toEqual([true, undefined, '3.1']);
});

test('the printed graph is the committed one', async () => {
  const committed = await readFile(new URL('../../../graphql/schema.graphql', import.meta.url), 'utf8');
  expect(committed).toBe(printedSchema);
});

test('every path of the description is served as it says, and every reference in it resolves', async () => {
  const document = createOpenApiDocument(routes);
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of ['get', 'post', 'patch', 'delete'] as const) {
      const operation = item[method];
      if (!operation) continue;
      const required = operation.parameters
        ?.map(resolved)
        .flatMap((parameter) =>
          'required' in parameter && parameter.in === 'query' && parameter.required
            ? [`${parameter.name}=0x1`]
            : [],
        );
      const url = `${gateway.url}${path.replace('{code}', 'not_found').replace(/\{\w+\}/g, 'x')}?${required?.join('&') ?? ''}`;
      const answer = await fetch(url, { method: method.toUpperCase() });
      const described = Object.keys(operation.responses ?? {});
      expect([method, path, described]).toEqual([method, path, expect.arrayContaining([`${answer.status}`])]);
      if (answer.status === 200 && described.includes('304')) {
        const again = await fetch(url, { headers: { 'if-none-match': answer.headers.get('etag')! } });
        expect([path, again.status]).toEqual([path, 304]);
      }
      // A stream has no end to wait for.
      if (answer.status === 200) await answer.body?.cancel();
      else expect((await answer.json()).code).not.toBe('not_found');
    }
  }
  const text = JSON.stringify(document);
  for (const [, kind, name] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
    expect(Object.keys(Reflect.get(document.components!, kind!))).toContain(name);
  }
});

test('each path that a key is good for says so, and what becomes of a wrong one and of too many requests', () => {
  const { paths = {}, components } = createOpenApiDocument(routes);
  expect(Object.keys(components?.securitySchemes ?? {})).toEqual(['apiKey', 'bearer', 'agentSessionCookie']);
  // A generated client would send its users' keys in it.
  expect(JSON.stringify(createOpenApiDocument(routes))).not.toContain(internalAgentHeader);
  for (const [path, item] of Object.entries(paths)) {
    for (const operation of [item.get, item.post, item.delete]) {
      if (!operation) continue;
      const free = ['/healthz', '/readyz', '/metrics', '/errors', '/errors/{code}'].includes(path);
      const refusals = ['401', '429'].filter((status) => status in (operation.responses ?? {}));
      // A path of a code that does not exist counts.
      const counts = !free || path === '/errors/{code}';
      expect([path, refusals]).toEqual([path, counts ? ['401', '429'] : []]);
      expect([path, operation.security === undefined]).toEqual([path, free]);
    }
  }
  const catalog = paths['/api/adaptors']?.get?.responses;
  for (const status of ['200', '304', '400', '429']) {
    expect(resolved(catalog?.[status])).toMatchObject({
      headers: { 'x-ratelimit-limit': expect.anything() },
    });
  }
});

test('the schema endpoint gives all that a publisher needs to sign for the registry', async () => {
  const body = schemaBody.parse(await (await fetch(`${gateway.url}/api/adaptors/schema`)).json());
  expect(body.manifest).toMatchObject({
    type: 'object',
    required: expect.arrayContaining(['serviceType', 'ops']),
  });
  expect(body.callSpec).toMatchObject({ properties: expect.objectContaining({ args: expect.anything() }) });
  expect(body.ruleManifest).toMatchObject({ required: ['name', 'ruleType', 'packageId'] });
  expect(Object.keys(body.networks)).toEqual(['testnet', 'mainnet']);
  const ids = { packageId: null, callPackageId: null, objectId: null };
  expect(body.networks.mainnet).toEqual({
    served: false,
    chainId: null,
    registry: { ...ids, targets: { register: null, update: null, unlist: null, attest: null } },
    walletPackageId: null,
    walletCallPackageId: null,
    escrowPackageId: null,
    escrowCallPackageId: null,
    guardedPackageIds: null,
    clock: '0x6',
  });
  expect(body.networks.testnet).toEqual({
    served: true,
    chainId: 'chain',
    registry: {
      packageId: address(0xeee),
      callPackageId: null,
      objectId: address(0xfff),
      targets: Object.fromEntries(
        ['register', 'update', 'unlist', 'attest'].map((name) => [
          name,
          `${address(0xeee)}::registry::${name}`,
        ]),
      ),
    },
    walletPackageId: null,
    walletCallPackageId: null,
    escrowPackageId: null,
    escrowCallPackageId: null,
    guardedPackageIds: [address(0xeee)],
    clock: '0x6',
  });
});

test('an operation that asks for a credential has no copies, which no cache may store', () => {
  for (const { path, operation } of listOperations(described)) {
    const isOpen = operation.security?.some((one) => Object.keys(one).length === 0) ?? true;
    if (!isOpen)
      expect([path, Object.keys(operation.responses ?? {})]).toEqual([
        path,
        expect.not.arrayContaining(['304']),
      ]);
  }
});

test('every operation that asks for a credential stands behind the count of attempts', () => {
  for (const [path, item] of Object.entries(createOpenApiDocument(routes).paths ?? {})) {
    for (const operation of [item.get, item.post, item.patch, item.delete]) {
      const isOpen = operation?.security?.some((one) => Object.keys(one).length === 0) ?? true;
      if (!isOpen)
        expect([path, resolveSurface(path)]).toEqual([path, expect.stringMatching(/^(host|agent)$/)]);
    }
  }
});

describe('what a generated client is made from', () => {
  test('reused shapes have names, and none has one that says nothing', () => {
    const names = Object.keys(described.components?.schemas ?? {});
    expect(names).toEqual(
      expect.arrayContaining([
        'Category',
        'Network',
        'Op',
        'CallSpec',
        'CallArgument',
        'JsonValue',
        'Manifest',
      ]),
    );
    expect(names.filter((name) => /^_|schema\d/i.test(name))).toEqual([]);
    const { Manifest, CatalogEntry, Op } = described.components!.schemas as Record<string, Shape>;
    expect(Manifest!.properties.category).toMatchObject({ $ref: '#/components/schemas/Category' });
    expect(Manifest!.properties.ops).toMatchObject({
      items: { anyOf: [{ type: 'object' }, { $ref: '#/components/schemas/Op' }] },
    });
    expect(Op!.properties.call).toMatchObject({ $ref: '#/components/schemas/CallSpec' });
    expect(CatalogEntry!.properties.manifest).toMatchObject({ $ref: '#/components/schemas/Manifest' });
    const text = JSON.stringify({ ...described, components: { ...described.components, schemas: {} } });
    expect(text.match(/"enum":\["testnet","mainnet"\]/g)).toBeNull();
  });

  test('a discriminator is a text, and no schema is a union with itself', () => {
    // Generators make what OpenAPI says of a discriminator: they would type `served: true` as the text "true".
    const { schemas = {} } = described.components!;
    const { AdaptorSchemas, ServedNetwork } = schemas as Record<string, Shape>;
    expect(AdaptorSchemas!.properties.networks).toMatchObject({
      properties: {
        testnet: { anyOf: [{ $ref: '#/components/schemas/ServedNetwork' }, expect.anything()] },
        mainnet: { anyOf: expect.anything() },
      },
      required: ['testnet', 'mainnet'],
    });
    expect(ServedNetwork!.properties.served).toMatchObject({ type: 'boolean', const: true });
    for (const [, keys] of JSON.stringify(described).matchAll(/"mapping":\{([^}]*)\}/g)) {
      expect(keys).not.toMatch(/"(true|false|\d+)":/);
    }
    for (const [name, schema] of Object.entries(schemas)) {
      const { anyOf, oneOf } = schema as { anyOf?: object[]; oneOf?: object[] };
      expect(JSON.stringify([anyOf, oneOf])).not.toContain(`"#/components/schemas/${name}"`);
    }
  });

  test('headers, parameters and refusals stand once', () => {
    const seen = new Set<string>();
    const once = (value: object) => {
      if ('$ref' in value) return;
      const json = JSON.stringify(value);
      expect(seen).not.toContain(json);
      seen.add(json);
    };
    for (const { operation } of listOperations(described)) {
      operation.parameters?.forEach(once);
      for (const response of Object.values(operation.responses ?? {})) {
        once(response);
        Object.values((resolved(response) as { headers?: object }).headers ?? {}).forEach(once);
      }
    }
    const perOperation = JSON.stringify(described).length / listOperations(described).length;
    expect(perOperation).toBeLessThan(6_000);
  });

  test('a stream is a text whose lines are named shapes', () => {
    const getAnswerContent = (path: string, method: 'get' | 'post') =>
      (resolved(described.paths?.[path]?.[method]?.responses?.['200']) as { content: object }).content;
    expect(getAnswerContent('/api/agent/run', 'post')).toMatchObject({
      'application/x-ndjson': {
        schema: { type: 'string', description: expect.stringContaining('AgentRunStep') },
        'x-itemSchema': { $ref: '#/components/schemas/AgentRunStep' },
      },
    });
    expect(getAnswerContent('/api/adaptors/events/stream', 'get')).toMatchObject({
      'text/event-stream': {
        schema: { type: 'string', description: expect.stringContaining('Event') },
        'x-itemSchema': { $ref: '#/components/schemas/Event' },
      },
    });
  });
});

interface Shape {
  properties: Record<string, object>;
}

describe('every operation has an example', () => {
  const operations = listOperations(described).map(
    ({ path, method, operation }) => [`${method} ${path}`, path, method, operation] as const,
  );

  test.each(operations)('%s: of its request and its answer, and both fit', (_, path, method, operation) => {
    const asMade = paths[path]![method]!;
    const example = operationExamples[operation.operationId!];
    for (const [part, given] of [
      [asMade.requestBody?.content, operation.requestBody],
      [
        (asMade.responses?.['200'] as { content?: object } | undefined)?.content,
        operation.responses?.['200'],
      ],
    ] as const) {
      const [media] = Object.values(part ?? {}) as { schema: z.ZodType }[];
      if (!media) continue;
      const shown = Object.values((resolved(given) as { content: Record<string, Shown> }).content)[0]!;
      const values = shown.examples
        ? Object.values(shown.examples).map(({ value }) => value)
        : [shown.example];
      for (const value of values) {
        expect(value).toBeDefined();
        expect(media.schema.safeParse(value).error?.issues).toBeUndefined();
      }
    }
    const { path: own, query } = (asMade.requestParams ?? {}) as Record<string, z.ZodType | undefined>;
    expect(own?.safeParse(example?.path ?? {}).error?.issues).toBeUndefined();
    expect(query?.safeParse(example?.query ?? {}).error?.issues).toBeUndefined();
    const [sample] = (operation as unknown as { 'x-codeSamples': { source: string }[] })['x-codeSamples'];
    expect(sample!.source).toMatch(/^curl .*http:\/\/127\.0\.0\.1:8080\/[^{}]*'/);
    // Without the option, curl shows the lines of a stream late.
    const streams = JSON.stringify(operation.responses ?? {}).includes('x-itemSchema');
    expect([operation.operationId, sample!.source.startsWith('curl -N ')]).toEqual([
      operation.operationId,
      streams,
    ]);
  });

  test('and none stands for an operation that there is not', () => {
    const ids = operations.map(([, , , { operationId }]) => operationId);
    expect(Object.keys(operationExamples).filter((id) => !ids.includes(id))).toEqual([]);
  });

  test('a page that fills in examples does not filter by one', () => {
    for (const [, , , { parameters }] of operations) {
      for (const parameter of (parameters ?? []).map(resolved)) {
        const { schema, example, examples } = parameter as {
          schema: object;
          example?: unknown;
          examples?: unknown;
        };
        if ('required' in parameter && parameter.required) continue;
        expect([parameter, example ?? examples ?? Reflect.get(schema, 'example')]).toEqual([
          parameter,
          undefined,
        ]);
      }
    }
  });
});

interface Shown {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
