import { type Html, html } from './html.ts';

/** Renders a table that scrolls on a narrow screen. A column of numbers is an object in place of its name. */
export function table(
  columns: readonly (string | { number: string })[],
  rows: readonly (readonly Html[])[],
): Html {
  const pickClass = (at: number) => (typeof columns[at] === 'object' ? 'number' : undefined);
  const head = columns.map(
    (column, at) =>
      html`<th scope="col" class=${pickClass(at)}>${typeof column === 'object' ? column.number : column}</th>`,
  );
  const body = rows.map(
    (cells) => html`<tr>${cells.map((cell, at) => html`<td class=${pickClass(at)}>${cell}</td>`)}</tr>`,
  );
  return html`<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}
