import { type Html, html } from './html.ts';
import { plain } from './plain.ts';

/** A field that differs between two versions. */
export interface FieldChange {
  path: string;
  before: unknown;
  after: unknown;
}

const valueMax = 160;

function shownValue(value: unknown): string {
  if (value === null) return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > valueMax ? `${text.slice(0, valueMax)}…` : text;
}

const changeRow = ({ path, before, after }: FieldChange): Html =>
  html`<tr><td><code>${plain(path)}</code></td><td class="before">${plain(shownValue(before))}</td><td class="after">${plain(shownValue(after))}</td></tr>`;

export const changeTable = (changes: readonly FieldChange[]): Html =>
  html`<div class="scroll" tabindex="0"><table>
    <thead><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">After</th></tr></thead><tbody>${changes.map(changeRow)}</tbody>
  </table></div>`;
