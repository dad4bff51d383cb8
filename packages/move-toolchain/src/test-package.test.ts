import { join } from 'node:path';
import { expect, test } from 'vitest';
import { moveToml, scratchPackages } from './scratch-packages.ts';
import { testPackage, testSources } from './test-package.ts';

const manifest = { 'Move.toml': moveToml('p') };

test('tells the tests that hold from those that do not, with the place of the failure', async () => {
  const source = 'module p::m;\n#[test]\nfun holds() {}\n#[test]\nfun fails() { abort 77 }\n';
  const run = await testSources({ ...manifest, 'sources/m.move': source });
  expect(run.tests).toEqual([
    { name: 'p::m::fails', passed: false },
    { name: 'p::m::holds', passed: true },
  ]);
  expect([run.passed, run.failed]).toEqual([1, 1]);
  expect(run.output).toMatch(/sources\/m\.move:5:\d+[\s\S]*aborted with code 77/);
});

test('sources that do not compile are an error, not a run without tests', async () => {
  const files = { ...manifest, 'sources/m.move': 'module p::m;\nfun f() { missing }' };
  await expect(testSources(files)).rejects.toThrow("Unbound variable 'missing'");
});

test('a package without tests has none', async () => {
  const run = await testSources({ ...manifest, 'sources/m.move': 'module p::m;' });
  expect(run.tests).toEqual([]);
});

test('modules of the same name in two packages do not clash', async () => {
  await using packages = await scratchPackages({
    q: { 'Move.toml': moveToml('q'), 'sources/m.move': 'module q::m;\npublic fun f(): u64 { 1 }' },
    p: {
      'Move.toml': moveToml('p', ['q']),
      'sources/m.move': 'module p::m;\npublic fun f(): u64 { q::m::f() }',
      'tests/t.move': '#[test_only]\nmodule p::t;\n#[test]\nfun adds_up() { assert!(p::m::f() == 1) }',
    },
  });
  expect((await testPackage(join(packages.dir, 'p'))).passed).toBe(1);
});

test('a test that expects to run out of gas is named, and not run for ever', async () => {
  const source = `module p::m;
#[test]
fun holds() {}
#[test, expected_failure(out_of_gas, location = Self)]
fun endless() { loop {} }
#[test]
#[expected_failure(out_of_gas, location = Self)]
fun endless_too() { endless() }
#[test, expected_failure(abort_code = 7)]
fun aborts() { abort 7 }
`;
  const run = await testSources({ ...manifest, 'sources/m.move': source });
  expect(run.notRun).toEqual(['p::m::endless', 'p::m::endless_too']);
  expect(run.tests).toEqual([
    { name: 'p::m::aborts', passed: true },
    { name: 'p::m::holds', passed: true },
  ]);
  expect(run.output).toContain('[ NOT RUN ] p::m::endless expects to run out of gas');
});

test('tests may use what is in the folder of tests of a dependency', async () => {
  const use = 'module app::m;\n#[test]\nfun shared() { assert!(base::base_tests::answer() == 42) }\n';
  await using packages = await scratchPackages({
    base: {
      'Move.toml': moveToml('base'),
      'sources/base.move': 'module base::base;',
      'tests/base_tests.move': '#[test_only]\nmodule base::base_tests;\npublic fun answer(): u64 { 42 }\n',
    },
    app: {
      'Move.toml': moveToml('app', ['base']),
      'sources/m.move': 'module app::m;',
      'tests/t.move': use.replace('app::m', 'app::t'),
    },
  });
  const { tests } = await testPackage(join(packages.dir, 'app'));
  expect(tests).toEqual([{ name: 'app::t::shared', passed: true }]);
});
