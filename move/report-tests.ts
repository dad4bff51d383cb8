import { relative } from 'node:path';
import { testPackage } from '@adaptor-marketplace/move-toolchain/test-package';
import { describe, expect, it } from 'vitest';
import { moveDir } from '../lib/contracts/move-dir.ts';

/** One case for each Move unit test of each package in `dirs`, as the real Move VM judged it. */
export async function reportTests(dirs: string[]): Promise<void> {
  for (const dir of dirs) {
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
}
