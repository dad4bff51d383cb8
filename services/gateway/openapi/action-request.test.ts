import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { expect, test } from 'vitest';
import { examples } from '../../../lib/actions/examples.ts';
import { callerRequest } from '../../../lib/actions/request.ts';
import { routes } from '../routes.ts';
import { createOpenApiDocument } from './document.ts';

const { components } = createOpenApiDocument(routes);
const { AgentActionRequest } = components!.schemas as Record<string, object>;
const schema = { ...AgentActionRequest, components };
const validate = new AjvJsonSchemaValidator().getValidator(schema as never);

/** Answers of the description and of the service: does each accept the request? */
const accept = (request: unknown) => [validate(request).valid, callerRequest.safeParse(request).success];

test.each(Object.entries(examples))('the description accepts %s, as the service does', (_, request) => {
  expect(accept(request)).toEqual([true, true]);
});

const { spend, compose } = examples;
const { owner: _, ...ownerless } = spend;
const [step] = (compose as { steps: object[] }).steps;
const withStep = (more: object) => ({ ...compose, steps: [step, { ...step, ...more }] });

test.each([
  ['without an owner', ownerless],
  ['with an unknown field', { ...spend, recipients: [] }],
  ['of several steps with an unknown field', { ...compose, recipients: [] }],
  ['whose step has an unknown field', withStep({ recipients: [] })],
  ['whose step names the owner', withStep({ owner: spend.owner })],
])('the description refuses a request %s, as the service does', (_, request) => {
  expect(accept(request)).toEqual([false, false]);
});
