import { expect, test } from 'vitest';
import { leaveOut } from './leave-out.ts';

const errorAt = (line: number, file = 'tests/a.move') =>
  `error[E03003]: unbound module member\n   ┌─ ${file}:${line}:9\n   │\n`;

test('a test that needs what is not there is left out whole, and the others keep their lines', () => {
  const files = {
    'tests/a.move': [
      'module p::a;',
      'use p::there;',
      '#[test]',
      '#[expected_failure(abort_code = 1)]',
      'fun absent() {',
      '  there::missing(b"}");',
      '}',
      '#[test] fun holds() { there::f() }',
    ].join('\n'),
  };
  expect(leaveOut(files, errorAt(6))).toBe(1);
  expect(files['tests/a.move'].split('\n')).toEqual([
    'module p::a;',
    'use p::there;',
    ...['', '', '', '', ''],
    '#[test] fun holds() { there::f() }',
  ]);
});

test('a file that is wrong outside its declarations is left out', () => {
  const files = { 'tests/a.move': 'module p::a;\nfun f() {}\n\n', 'tests/b.move': 'module p::b;' };
  expect(leaveOut(files, errorAt(3))).toBe(1);
  expect(Object.keys(files)).toEqual(['tests/b.move']);
});

test('warnings, and errors elsewhere, leave everything as it is', () => {
  const files = { 'tests/a.move': 'module p::a;\nfun f() {}\n' };
  expect(leaveOut(files, errorAt(2).replace('error', 'warning') + errorAt(2, 'sources/m.move'))).toBe(0);
});
