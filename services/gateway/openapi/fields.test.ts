import { expect, test } from 'vitest';
import type { Field } from '../../../web/pages/reference.ts';
import { routes } from '../routes.ts';
import { createOpenApiDocument } from './document.ts';
import { createSchemaReader, type Schema } from './fields.ts';
import { describeReference } from './operations.ts';

const document = createOpenApiDocument(routes);
const { listFields } = createSchemaReader(document);

const form = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties });
const text: Schema = { type: 'string' };

test('forms of a union follow the common fields, and have the name of each field that distinguishes them', () => {
  const forms = [
    form({ action: { const: 'send' }, to: text }),
    form({ action: { const: 'pool' }, step: { const: 'open' }, size: text }),
    form({ action: { const: 'pool' }, step: { const: 'close' } }),
    form({ action: { const: 'pool' }, step: { const: 'collect' } }),
  ];
  const fields = listFields({ allOf: [{ oneOf: forms }, form({ owner: text })] });
  expect(fields.map((field) => [field.name, field.fields.map(({ name }) => name)])).toEqual([
    ['owner', []],
    ['`action: "send"`', ['to']],
    ['`action: "pool"`, `step: "open"`', ['size']],
    ['`action: "pool"`, `step: "close"` or `"collect"`', []],
  ]);
});

test('a form without such a field has its title as its name, or a field that only it has, better a required one', () => {
  const forms = [
    { ...form({ id: text, note: text, caps: text }), required: ['caps'] },
    form({ id: text, note: text, hint: text }),
    { ...form({ id: text, note: text, size: text }), title: 'A pool' },
    form({ served: { const: true }, note: text }),
  ];
  const names = listFields({ anyOf: forms }).map(({ name }) => name);
  expect(names).toEqual(['note', 'With `caps`', 'With `hint`', 'A pool', '`served: true`']);
});

test('no form in the reference has a number as its name', () => {
  const listForms = (fields: readonly Field[]): string[] =>
    fields.flatMap(({ name, isVariant, fields }) => [...(isVariant ? [name] : []), ...listForms(fields)]);
  const { groups } = describeReference(document, routes);
  const forms = groups
    .flatMap(({ operations }) => operations)
    .flatMap(({ body, response }) => [body?.fields ?? [], response.fields].flatMap(listForms));
  expect(forms.length).toBeGreaterThan(50);
  expect(forms.filter((name) => /^Form \d/.test(name))).toEqual([]);
});

test('no list of fields has two with one name', () => {
  const findTwice = (fields: readonly Field[]): string[] => {
    const names = fields.map(({ name }) => name);
    return [
      ...names.filter((name, at) => names.indexOf(name) !== at),
      ...fields.flatMap((field) => findTwice(field.fields)),
    ];
  };
  const { groups } = describeReference(document, routes);
  for (const { id, body, response, parameters } of groups.flatMap(({ operations }) => operations)) {
    const twice = [parameters, body?.fields ?? [], response.fields].flatMap(findTwice);
    expect([id, twice]).toEqual([id, []]);
  }
});

test('a parameter with one value offers this value', () => {
  const { groups } = describeReference(document, routes);
  const parameters = groups.flatMap(({ operations }) => operations.flatMap((one) => one.parameters));
  expect(parameters.find(({ name }) => name === 'include')).toMatchObject({ values: ['unverified'] });
});
