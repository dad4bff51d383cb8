import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFramework } from '../src/sources.ts';

/**
 * The public functions and macros (with `!`) of the real framework, by module, in one text each: facts, collected from
 * its sources and from bindings that are generated from its bytecode. What `absent` names is not here.
 */
const names: {
  functions: Record<string, string>;
  absent: { modules: string; functions: Record<string, string> };
} = JSON.parse(readFileSync(join(import.meta.dirname, 'names.json'), 'utf8'));

const real = new Set(listed(names.functions));
const absent = listed(names.absent.functions);
const absentModules = names.absent.modules.split(' ');

function listed(functions: Record<string, string>): string[] {
  return Object.entries(functions).flatMap(([module, text]) =>
    text.split(' ').map((name) => `${module}::${name}`),
  );
}

const declared =
  /((?:#\[[^\]]*\]\s*)*)public\s+(?:(?:native|entry)\s+)*(macro\s+)?(?:(?:native|entry)\s+)*fun\s+(\w+)/g;

/** What the framework here declares as public, without what is for tests. */
const here = new Set(
  Object.values(await readFramework()).flatMap((text) => {
    const source = text.replace(/\/\/[^\n]*/g, '');
    const module = /(#\[test_only\]\s*)?\bmodule\s+(\w+::\w+)/.exec(source);
    if (!module || module[1]) return [];
    return [...source.matchAll(declared)].flatMap(([, attributes, macro, name]) =>
      attributes!.includes('test_only') ? [] : `${module[2]}::${name}${macro ? '!' : ''}`,
    );
  }),
);

test('every public function of the real framework is here, or is listed as absent', () => {
  expect(real.size).toBeGreaterThan(700);
  expect([...real].filter((name) => !here.has(name)).sort()).toEqual([...absent].sort());
});

test('nothing is here that the real framework does not have', () => {
  expect([...here].filter((name) => !real.has(name))).toEqual([]);
  expect([...here].filter((name) => absentModules.some((module) => name.startsWith(`${module}::`)))).toEqual(
    [],
  );
});

test('the document lists what is absent', () => {
  const readme = readFileSync(join(import.meta.dirname, '../framework/README.md'), 'utf8');
  const rows = [
    ...absentModules.map((module) => `| \`${module}\` | all |`),
    ...Object.entries(names.absent.functions).map(
      ([module, text]) =>
        `| \`${module}\` | ${text
          .split(' ')
          .map((name) => `\`${name}\``)
          .join(', ')} |`,
    ),
  ];
  const table = ['| absent module | functions |', '|---|---|', ...rows.sort()].join('\n');
  expect(readme).toContain(table);
});
