import type { FieldMap } from '@pothos/core';
import { z } from 'zod';
import { builder } from './builder.ts';

/** Types of the fields that are objects or lists, by the name of the field. */
type FieldTypes = Readonly<Record<string, unknown>>;

/** Defines a type with the fields of a zod object, and with its description. */
export const defineSchemaType = <Schema extends z.ZodObject>(name: string, schema: Schema) =>
  builder.objectRef<z.infer<Schema>>(name).implement({
    description: schema.description!,
    fields: (t) => exposeFields(t, schema),
  });

/**
 * Returns the fields of a zod object as fields of a type of the graph: name, type, nullability and description.
 * @throws Error for a field without a description, or without a type
 */
export function exposeFields(
  t: { expose(name: never, options: never): FieldMap[string] },
  schema: z.ZodObject,
  types: FieldTypes = {},
): FieldMap {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const nullable = field instanceof z.ZodNullable;
    const inner = nullable ? (field.unwrap() as z.ZodType) : (field as z.ZodType);
    const description = field.description ?? inner.description;
    const type = types[name] ?? findScalar(name, inner);
    if (description === undefined) throw new Error(`${name}: describe the field in its schema.`);
    if (type === undefined) throw new Error(`${name}: pass the type of the field to exposeFields.`);
    return [name, t.expose(name as never, { type, nullable, description } as never)];
  });
  return Object.fromEntries(fields);
}

/** Returns the scalar of a schema. A number of more than 32 bits is a `Count`. Undefined for objects and lists. */
function findScalar(name: string, schema: z.ZodType): string | undefined {
  if (name.endsWith('Ms')) return 'Milliseconds';
  if (schema instanceof z.ZodNumber) {
    if (!schema.isInt) return 'Float';
    return schema.maxValue! < 2 ** 31 ? 'Int' : 'Count';
  }
  const isBoolean = schema instanceof z.ZodLiteral && typeof schema.value === 'boolean';
  if (isBoolean || schema instanceof z.ZodBoolean) return 'Boolean';
  const isText = [z.ZodString, z.ZodEnum, z.ZodLiteral].some((kind) => schema instanceof kind);
  return isText ? 'String' : undefined;
}
