import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listPackages, moveDir } from '../lib/move/packages.ts';
import { testPackage } from '../lib/move/testing.ts';

// One case for each Move unit test of each package, as the real Move VM judged it.
for (const dir of await listPackages()) {
  const run = await testPackage(dir);
  describe(`move/${relative(moveDir, dir)}`, () => {
    it('is tested', () => {
      expect(run.tests).not.toEqual([]);
    });

    it.each(run.tests)('$name', ({ passed }) => {
      expect(passed, run.output).toBe(true);
    });
  });
}
