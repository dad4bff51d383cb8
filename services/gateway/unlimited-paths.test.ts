import { expect, test } from 'vitest';
import { unlimitedPaths } from './access/limits.ts';
import { routes } from './start.ts';

test.each(['/docs/../api/adaptors', '/docs/%2e%2e/x', '/docs//', '/healthz/../x', '//docs'])(
  '%s counts: only whole paths are free',
  (path) => expect(unlimitedPaths(routes).has(path)).toBe(false),
);
