import type { SuiClientTypes } from '@mysten/sui/client';
import { expect, test } from 'vitest';
import { explainExecutionError, nameExecutionError } from './explain.ts';

const [registryPackageId, later] = [`0x${'a'.repeat(64)}`, `0x${'b'.repeat(64)}`] as const;

const abortIn = (packageId: string, module = 'registry', abortCode = '0') =>
  ({
    $kind: 'MoveAbort',
    message: 'aborted',
    MoveAbort: { abortCode, location: { package: packageId, module, functionName: 'register' } },
  }) as SuiClientTypes.ExecutionError;

test('an abort in a later version of a package is explained as one in its first version', () => {
  const packages = { registryPackageId, originals: new Map([[later, registryPackageId]]) };
  const { detail } = explainExecutionError(abortIn(registryPackageId), packages);
  expect(detail).toContain('EAlreadyListed (code 0)');
  expect(explainExecutionError(abortIn(later), packages).detail).toBe(
    detail.replace(registryPackageId, later),
  );
  expect(explainExecutionError(abortIn(later), { registryPackageId }).detail).toContain(
    'Only the source of that module',
  );
});

test('an abort is explained by the names of the package that it is of', () => {
  const id = (digit: string) => `0x${digit.repeat(64)}`;
  const packages = {
    registryPackageId: id('1'),
    rulesPackageId: id('2'),
    allowlistPackageId: id('3'),
    agentsPackageId: id('4'),
    escrowPackageId: id('5'),
  };
  const explainAbort = (...abort: Parameters<typeof abortIn>) =>
    explainExecutionError(abortIn(...abort), packages).detail;
  expect(explainAbort(id('2'))).toContain('lists this rule type already: update it.');
  expect(explainAbort(id('3'), 'rule', '1')).toContain("not on the wallet's allowlist");
  expect(explainAbort(id('4'))).toContain('EAlreadyRegistered (code 0)');
  expect(explainAbort(id('5'), 'job', '12')).toContain(
    'the review period of what was submitted is not over.',
  );
  expect(explainAbort(id('5'), 'cap_assessor', '1')).toContain('The cap is of another job.');
});

test('an abort is named by its constant, else by the list of its package, else by its code', () => {
  const named = (constantName: string) => {
    const error = abortIn(later);
    return { ...error, MoveAbort: { ...error.MoveAbort!, cleverError: { constantName } } } as typeof error;
  };
  const packages = { registryPackageId };
  expect(nameExecutionError(named('EPaused'), packages)).toBe('EPaused');
  expect(nameExecutionError(abortIn(registryPackageId), packages)).toBe('EAlreadyListed');
  expect(nameExecutionError(abortIn(later), packages)).toBe('registry code 0');
  expect(nameExecutionError({ $kind: 'Unknown', message: 'InsufficientGas', Unknown: null }, {})).toBe(
    'ExecutionError',
  );
});

test.each(['\u0000', '<b>EPaused</b>', 'E'.repeat(129), ''])(
  'a constant whose name is not a name is not shown: %j',
  (constantName) => {
    const error = abortIn(later);
    const hostile = { ...error, MoveAbort: { ...error.MoveAbort!, cleverError: { constantName } } };
    expect(nameExecutionError(hostile as typeof error, {})).toBe('registry code 0');
  },
);

test('the words of a constant are one line of bounded length, whatever its publisher wrote', () => {
  const explain = (cleverError: { constantName: string; value: string }) => {
    const error = abortIn(later);
    const hostile = { ...error, MoveAbort: { ...error.MoveAbort!, cleverError } } as typeof error;
    return explainExecutionError(hostile, {}).detail;
  };
  const end = `${later}::registry::register aborted with`;
  expect(explain({ constantName: 'EPaused', value: 'The vault is paused.' })).toBe(
    `The vault is paused. ${end} EPaused (code 0).`,
  );
  expect(explain({ constantName: 'EPaused', value: 'Paid.\r\n\u001b[2J\u2028\u202eDone.' })).toBe(
    `Paid. [2J Done. ${end} EPaused (code 0).`,
  );
  expect(explain({ constantName: 'EPaused', value: 'x'.repeat(60_000) }).length).toBeLessThan(700);
  expect(explain({ constantName: 'E\nPaused', value: 'Paid.' })).toContain('Only the source of that module');
});

test('a gas budget that ran out is explained to every signer, not only to one whom an agent serves', () => {
  const error = { $kind: 'Unknown', Unknown: null, message: 'InsufficientGas in command 0' } as const;
  const { code, detail } = explainExecutionError(error, {});
  expect(code).toBe('insufficient_gas');
  expect(detail).not.toContain('agent');
});
