import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testPackage } from './test-package.ts';

const run = await testPackage(join(import.meta.dirname, '../framework/checks'));

it('what packages rely on in the framework is tested', () => {
  expect(run.tests).not.toEqual([]);
});

it.each(run.tests)('$name', ({ passed }) => {
  expect(passed, run.output).toBe(true);
});
