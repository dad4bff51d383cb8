import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testPackage } from './test-package.ts';

const run = await testPackage(join(import.meta.dirname, '../framework/checks'));

test('what packages rely on in the framework is tested', () => {
  expect(run.tests).not.toEqual([]);
});

test.each(run.tests)('$name', ({ passed }) => {
  expect(passed, run.output).toBe(true);
});
