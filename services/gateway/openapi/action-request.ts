import type { OpenApiDocument } from './components.ts';

type Json = Record<string, unknown>;
interface ObjectSchema extends Json {
  properties: Json;
}

/**
 * Describes the request of an action as a step or `compose`, and the fields of its run beside it. Zod repeats the fields
 * in each step, because each step refuses unknown fields: the schema would be twice as long.
 */
export function referToSteps(document: OpenApiDocument): void {
  const schemas = document.components!.schemas as Record<string, Json>;
  const { description, oneOf } = schemas.AgentActionRequest!;
  const composed = (oneOf as ObjectSchema[]).at(-1)!;
  const { action, steps, ...run } = composed.properties;
  const compose = { type: 'object', properties: { action, steps }, required: ['action', 'steps'] };
  const required = (composed.required as string[]).filter((name) => name in run);
  schemas.AgentActionRequest = {
    description,
    allOf: [
      { oneOf: [{ $ref: '#/components/schemas/AgentActionStep' }, compose] },
      { type: 'object', properties: run, required },
    ],
    unevaluatedProperties: false,
  };
  // A step is part of a larger object here. The schema around it refuses unknown fields.
  allowOthers(schemas.AgentActionStep!);
  const list = steps as { items: Json };
  list.items = { ...list.items, unevaluatedProperties: false };
}

function allowOthers(step: Json): void {
  delete step.additionalProperties;
  for (const option of (step.oneOf ?? []) as Json[]) allowOthers(option);
}
