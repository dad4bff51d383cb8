import { expect, test } from 'vitest';
import { escapeControls, formatJson, formatTable } from './io.ts';

const hostile = 'a\u001b[2J\u009b1m\r\nb\u202ec\u200bd\u007f\ud800e\u{e0041}';

test('what a stranger wrote cannot move the cursor, turn text round or hide a part of it', () => {
  const shown = escapeControls(hostile);
  expect(shown).toBe('a\\u{1b}[2J\\u{9b}1m\\u{d}\\u{a}b\\u{202e}c\\u{200b}d\\u{7f}\\u{d800}e\\u{e0041}');
  expect(formatTable(['NAME', 'X'], [[hostile, 'y']]).join('')).toContain(shown);
});

test('no character that is not seen passes, such as fillers, joiners and variation selectors', () => {
  const fillers = '\u034f\u115f\u3164\uffa0\u180e\ufe00\u{e0100}\ue000';
  expect(escapeControls(`a${fillers}b`)).toMatch(/^a(\\u\{[0-9a-f]+\}){8}b$/);
  expect(formatJson([fillers])).not.toMatch(/[^\x20-\x7e\n]/);
  expect(JSON.parse(formatJson([fillers]))).toEqual([fillers]);
});

test('words of any language and signs stay as they are', () => {
  const plain = 'Größe 市場 شراء 🦀 ❤️ — ok';
  expect(escapeControls(plain)).toBe(plain);
});

test('JSON holds none of it raw, and is the same value when read', () => {
  const value = { [hostile]: [hostile, 1, null], text: '市場' };
  const json = formatJson(value);
  expect(json.replaceAll('\n', '')).toBe(escapeControls(json.replaceAll('\n', '')));
  expect(JSON.parse(json)).toEqual(value);
  expect(json).toContain('市場');
});

test('a table that is wider than the terminal becomes lines that lose nothing', () => {
  const rows = [
    ['Reef Vault', '市場', 'a'.repeat(20)],
    ['Tip Jar', '', 'b'],
  ];
  const header = ['NAME', 'KIND', 'TYPE'];
  const asTable = formatTable(header, rows);
  const width = 'Reef Vault'.length + 2 + 4 + 2 + 20;
  expect(formatTable(header, rows, width)).toEqual(asTable);
  expect(formatTable(header, rows, width - 1)).toEqual([
    'NAME  Reef Vault',
    'KIND  市場',
    `TYPE  ${'a'.repeat(20)}`,
    '',
    'NAME  Tip Jar',
    'KIND',
    'TYPE  b',
  ]);
});

test('columns are as wide as their cells on a terminal, and lines end with their text', () => {
  expect(
    formatTable(
      ['A', 'LONG'],
      [
        ['wide', 'x'],
        ['市場', 'x'],
        ['y', ''],
      ],
    ),
  ).toEqual(['A     LONG', 'wide  x', '市場  x', 'y']);
});
