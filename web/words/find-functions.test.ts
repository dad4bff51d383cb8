import { expect, test } from 'vitest';
import { findFunctions } from './find-functions.ts';

const find = (...texts: string[]) =>
  [...findFunctions(texts.map((text, at) => [`${at}.move`, text] as const)).values()].map(
    ({ name, file, line }) => `${name} ${file} ${line}`,
  );

test('functions are found with their module and line, also with several modules in a file', () => {
  expect(
    find(
      'module a::x;\n\npublic fun f() {}\n  entry fun g<T>() {}\nuse fun f as T.h;\npublic(package) macro fun m() {}\n',
      'module a::y { native fun f(); }\nmodule a::z {\nfun f() {} }',
    ),
  ).toEqual(['x::f 0.move 3', 'x::g 0.move 4', 'x::m 0.move 6', 'y::f 1.move 1', 'z::f 1.move 3']);
});

test.each([
  '// fun f() {}\n',
  '/* " */ const A: vector<u8> = b"fun f() {} /* ";\n',
  '/* /* */ fun f() {} " */\n',
  'const B: vector<u8> = b"// \\" fun f() {}";\n',
])('what only looks like a function is not shown in place of one: %j', (decoy) => {
  const lines = decoy.split('\n').length;
  expect(find(`module a::x;\n${decoy}fun f() {}\n`)).toEqual([`x::f 0.move ${lines + 1}`]);
});

test('a name that is declared twice has no place: the other one could be shown', () => {
  expect(find('module a::x;\n#[test_only]\nfun f() {}\nfun f() {}\nfun g() {}\n')).toEqual(['x::g 0.move 5']);
});
