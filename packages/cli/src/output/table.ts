import Table from 'cli-table3';
import { escapeControls } from './escape.ts';

/** A table without lines: two blanks between columns. */
const plain = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
  ].map((part) => [part, '']),
);

/** The lines of a table, as wide as its cells are on a terminal. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const shown = new Table({
    chars: { ...plain, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  shown.push(...[header, ...rows].map((row) => row.map(escapeControls)));
  return shown
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}
