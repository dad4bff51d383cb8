import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { getTableName, is, PgTable } from '../orm/drizzle.ts';
import * as schema from './index.ts';

test('the operator’s guide says for each table what bounds its growth by strangers', async () => {
  const guide = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const [, section = ''] = /^### What bounds the tables\n(.*?)^`npm start`/ms.exec(guide) ?? [];
  const named = [...section.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell]) => cell!.split(', '));
  const tables = Object.values(schema).flatMap((value) => (is(value, PgTable) ? [getTableName(value)] : []));
  expect(named.sort()).toEqual(tables.map((name) => `\`${name}\``).sort());
});
