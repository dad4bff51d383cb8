import type { SuiClientTypes } from '@mysten/sui/client';
import { expect, test } from 'vitest';
import { explainExecutionError } from './explain.ts';

const [registryPackageId, later] = [`0x${'a'.repeat(64)}`, `0x${'b'.repeat(64)}`] as const;

const abortIn = (packageId: string) =>
  ({
    $kind: 'MoveAbort',
    message: 'aborted',
    MoveAbort: {
      abortCode: '0',
      location: { package: packageId, module: 'registry', functionName: 'register' },
    },
  }) as SuiClientTypes.ExecutionError;

test('an abort in a later version of a package is explained as one in its first version', () => {
  const packages = { registryPackageId, originals: new Map([[later, registryPackageId]]) };
  const { detail } = explainExecutionError(abortIn(registryPackageId), packages);
  expect(detail).toContain('EAlreadyListed (code 0)');
  expect(explainExecutionError(abortIn(later), packages).detail).toBe(
    detail.replace(registryPackageId, later),
  );
  expect(explainExecutionError(abortIn(later), { registryPackageId }).detail).toContain("that module's own");
});
