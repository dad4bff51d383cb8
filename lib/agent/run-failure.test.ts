import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runCodes } from './run-failure.ts';
import { runStep } from './shapes.ts';

const rows = Object.entries(runCodes);

test('the documentation has every code of a run, with what to do about it, and no other', async () => {
  const docs = await readFile(new URL('../../docs/agent-run.md', import.meta.url), 'utf8');
  const [, table = ''] =
    /\| code \| what happened, and what to do \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(docs) ?? [];
  expect(table.trimEnd().split('\n')).toEqual(rows.map(([code, text]) => `| \`${code}\` | ${text} |`));
});

test('the description of the API lists them', () => {
  const { description = '' } = runStep.shape.code.unwrap().meta() ?? {};
  for (const [code, text] of rows) expect(description).toContain(`- \`${code}\`: ${text}`);
});
