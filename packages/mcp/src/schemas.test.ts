import { expect, test } from 'vitest';
import { schemas } from './generated/schemas.ts';

test('the fields of an action are declared once, for every tool that takes one', () => {
  const [simulated, run] = ['simulate_action', 'run_action'].map((tool) => {
    const { properties, $defs } = schemas[tool]!.input as Record<string, Record<string, { $ref?: string }>>;
    return { reference: properties!.request!.$ref, fields: $defs!.AgentActionRequest };
  });
  expect(simulated!.reference).toBe('#/$defs/AgentActionRequest');
  expect(run!.reference).toBe(simulated!.reference);
  expect(run!.fields).toBe(simulated!.fields);
});
