import { expect, test } from 'vitest';
import { findShapes } from './shapes.ts';

test('a doc comment that hangs on the name below it is found, a noun phrase and a sentence are not', () => {
  const source = [
    '/** What a caller asks. */',
    '/**',
    ' * Whether it is done.',
    ' */',
    '/** A request to the graph. What it costs is bounded. */',
    '/** Returns the grants. */',
    '// What follows is a line comment.',
  ].join('\n');
  expect(findShapes(source)).toEqual([
    { kind: 'fragment', line: 1, text: 'What a caller asks. */' },
    { kind: 'fragment', line: 2, text: 'Whether it is done.' },
  ]);
});

test('a function whose name ends in Of is found, a value of that name is not', () => {
  const source = [
    'function costOf(x: number) {}',
    'export const typeOf = (x: unknown) => x;',
    'const nameOf: Naming = async (x) => x;',
    'const proof = partOf;',
    'const { sizeOf } = sizes;',
    'const keyOf = keys[0];',
    'const linesOf = <T>(x: T) => x;',
    'const eachOf = each => each;',
  ].join('\n');
  expect(findShapes(source).map(({ text }) => text)).toEqual([
    'costOf',
    'typeOf',
    'nameOf',
    'linesOf',
    'eachOf',
  ]);
});
