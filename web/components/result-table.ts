import { type Html, html } from './html.ts';
import { plain } from './plain.ts';
import { table } from './table.ts';

/** Types of numbers in a SQL result. */
export const numberTypes: ReadonlySet<string> = new Set([
  'int2',
  'int4',
  'int8',
  'numeric',
  'float4',
  'float8',
]);

/** Characters that a cell shows. */
const cellLengthMax = 300;

function cell(value: unknown): Html {
  if (value === null) return html`<span class="muted">null</span>`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return plain(text.length > cellLengthMax ? `${text.slice(0, cellLengthMax)}…` : text);
}

/** Renders rows of a SQL result. */
export const resultTable = (
  columns: readonly { name: string; type: string }[],
  rows: readonly (readonly unknown[])[],
): Html =>
  table(
    columns.map(({ name, type }) => (numberTypes.has(type) ? { number: name } : name)),
    rows.map((row) => row.map(cell)),
  );
