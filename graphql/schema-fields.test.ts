import { expect, test } from 'vitest';
import { z } from 'zod';
import { exposeFields } from './schema-fields.ts';

const listFields = (shape: z.ZodRawShape, types = {}) => {
  const exposed: Record<string, unknown> = {};
  const expose = (name: string, options: unknown) => {
    exposed[name] = options;
  };
  exposeFields({ expose } as never, z.object(shape), types);
  return exposed;
};

test('a field of the graph has the type, nullability and description of its schema', () => {
  const description = 'Said once.';
  const fields = listFields({
    updatedAtMs: z.int().nullable().meta({ description }),
    version: z
      .int()
      .max(2 ** 31 - 1)
      .meta({ description }),
    actions: z.int().meta({ description }),
    avg: z.number().meta({ description }),
    source: z.literal('registry').meta({ description }),
    shown: z.literal(true).meta({ description }).nullable(),
  });
  expect(fields).toEqual({
    updatedAtMs: { type: 'Milliseconds', nullable: true, description },
    version: { type: 'Int', nullable: false, description },
    actions: { type: 'Count', nullable: false, description },
    avg: { type: 'Float', nullable: false, description },
    source: { type: 'String', nullable: false, description },
    shown: { type: 'Boolean', nullable: true, description },
  });
});

test('a field without a description or a type does not start, and the error says what to add', () => {
  expect(() => listFields({ coins: z.string() })).toThrow('coins: describe the field in its schema.');
  const coins = z.array(z.string()).meta({ description: 'Coin types.' });
  expect(() => listFields({ coins })).toThrow('coins: pass the type of the field to exposeFields.');
  expect(listFields({ coins }, { coins: ['String'] })).toMatchObject({ coins: { type: ['String'] } });
});
