import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutations } from './mutations.ts';

test.each(mutations)('the source that a mutation changes is there once: $name', ({ edits }) => {
  for (const { file, from, to } of edits) {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    expect(source.split(from), from).toHaveLength(2);
    expect(to).not.toBe(from);
  }
});
