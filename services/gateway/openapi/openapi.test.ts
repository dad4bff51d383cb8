import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printedSchema } from '../../../graphql/schema.ts';
import { internalAgentHeader } from '../../../lib/actions/tools-api.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { address } from '../../../test/support/read-model.ts';
import { surfaceOf } from '../access/surface.ts';
import { schemaBody } from '../catalog/schema-route.ts';
import { createOpenApiDocument } from './document.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((seed) => seed.source());
});
afterAll(() => gateway.close());

test('the served description is the committed one, as the specification versions it', async () => {
  const served = await (await fetch(`${gateway.url}/api/adaptors/openapi.json`)).json();
  expect(served).toMatchObject({ openapi: '3.1.0', info: { version: '0.1.0' } });
  const committed = await readFile(new URL('../openapi.json', import.meta.url), 'utf8');
  expect(JSON.parse(committed)).toEqual(served);
});

test('the description is valid OpenAPI, so that clients can be generated from it', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone({ ...createOpenApiDocument() }));
  expect([valid, errors, validator.version]).toEqual([true, undefined, '3.1']);
});

test('the printed graph is the committed one', async () => {
  const committed = await readFile(new URL('../../../graphql/schema.graphql', import.meta.url), 'utf8');
  expect(committed).toBe(printedSchema);
});

test('every path of the description is served as it says, and every reference in it resolves', async () => {
  const document = createOpenApiDocument();
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of ['get', 'post', 'patch', 'delete'] as const) {
      const operation = item[method];
      if (!operation) continue;
      const required = operation.parameters?.flatMap((parameter) =>
        'required' in parameter && parameter.in === 'query' && parameter.required
          ? [`${parameter.name}=0x1`]
          : [],
      );
      const url = `${gateway.url}${path.replace(/\{\w+\}/g, 'x')}?${required?.join('&') ?? ''}`;
      const answer = await fetch(url, { method: method.toUpperCase() });
      const described = Object.keys(operation.responses ?? {});
      expect([method, path, described]).toEqual([method, path, expect.arrayContaining([`${answer.status}`])]);
      // A stream has no end to wait for.
      if (answer.status === 200) await answer.body?.cancel();
      else expect((await answer.json()).code).not.toBe('not_found');
    }
  }
  const text = JSON.stringify(document);
  const schemas = document.components?.schemas ?? {};
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    expect(Object.keys(schemas)).toContain(name);
  }
});

test('each path that a key is good for says so, and what becomes of a wrong one and of too many requests', () => {
  const { paths = {}, components } = createOpenApiDocument();
  expect(Object.keys(components?.securitySchemes ?? {})).toEqual([
    ...['apiKey', 'bearer', 'agentSessionCookie'],
  ]);
  // A generated client would send its users' keys in it.
  expect(JSON.stringify(createOpenApiDocument())).not.toContain(internalAgentHeader);
  for (const [path, item] of Object.entries(paths)) {
    for (const operation of [item.get, item.post, item.delete]) {
      if (!operation) continue;
      const free = ['/healthz', '/readyz', '/metrics'].includes(path);
      const refusals = ['401', '429'].filter((status) => status in (operation.responses ?? {}));
      expect([path, refusals]).toEqual([path, free ? [] : ['401', '429']]);
      expect([path, operation.security === undefined]).toEqual([path, free]);
    }
  }
  const catalog = paths['/api/adaptors']?.get?.responses;
  for (const status of ['200', '304', '400', '429']) {
    expect(catalog?.[status]).toMatchObject({ headers: { 'x-ratelimit-limit': expect.anything() } });
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
    clock: '0x6',
  });
});

test('every operation that asks for a credential stands behind the count of attempts', () => {
  for (const [path, item] of Object.entries(createOpenApiDocument().paths ?? {})) {
    for (const operation of [item.get, item.post, item.patch, item.delete]) {
      const isOpen = operation?.security?.some((one) => Object.keys(one).length === 0) ?? true;
      if (!isOpen) expect([path, surfaceOf(path)]).toEqual([path, expect.stringMatching(/^(host|agent)$/)]);
    }
  }
});
