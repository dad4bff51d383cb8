import { escapeControls } from './escape.ts';

/** Lines with columns as wide as what stands in them, the last one open to the right. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const cells = [header, ...rows].map((row) => row.map(escapeControls));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  return cells.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(widths[column]! - widthOf(cell)))
      .join('  ')
      .trimEnd(),
  );
}

/** In code points: a terminal may show some of them wider. */
const widthOf = (text: string) => [...text].length;
