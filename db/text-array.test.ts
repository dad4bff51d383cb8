import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { useTestDatabase } from '../test/support/database.ts';
import { parseTextArray, textArray } from './text-array.ts';

const db = useTestDatabase();

/** Characters that an array escapes, separates or means something by, and others. */
const character = fc.constantFrom(
  '"',
  '\\',
  ',',
  '{',
  '}',
  ' ',
  '\n',
  '\t',
  'N',
  'U',
  'L',
  'a',
  'é',
  '🜁',
  '=',
  '[',
  ':',
);
const item = fc.oneof(
  fc.array(character, { maxLength: 6 }).map((characters) => characters.join('')),
  fc.constantFrom('NULL', 'null', '', '"', '\\'),
  fc.constant(null),
);

test('an array of texts is read as it was written', async () => {
  const arrays = fc.sample(fc.array(item, { maxLength: 5 }), 500);
  const { rows } = await db.pool.query<{ items: unknown }>(
    `select array(select jsonb_array_elements_text(one)) as items from unnest($1::jsonb[]) with ordinality t (one, at) order by at`,
    [arrays.map((array) => JSON.stringify(array))],
  );
  expect(rows.map(({ items }) => items)).toEqual(arrays);
});

test('an array of several dimensions, or with bounds, is read as the driver reads it', async () => {
  const parseAny = pg.types.getTypeParser(textArray, 'text');
  for (const text of ['{{a,"b,c"},{NULL,d}}', '[2:3]={a,"b\\"c"}', '{}', '{""}', '{"a\\\\b",NULL,"NULL"}'])
    expect(parseTextArray(text)).toEqual(parseAny(text));
});
