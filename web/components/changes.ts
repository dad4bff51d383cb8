import { type Html, html } from './html.ts';
import { plain } from './plain.ts';

/** A field that differs between two versions. */
export interface FieldChange {
  path: string;
  before: unknown;
  after: unknown;
}

const valueLengthMax = 160;

function formatValue(value: unknown): string {
  if (value === null) return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > valueLengthMax ? `${text.slice(0, valueLengthMax)}…` : text;
}

const changeRow = ({ path, before, after }: FieldChange): Html =>
  html`<tr><td><code>${plain(path)}</code></td><td class="before">${plain(formatValue(before))}</td><td class="after">${plain(formatValue(after))}</td></tr>`;

export const changeTable = (changes: readonly FieldChange[]): Html =>
  html`<div class="scroll" tabindex="0"><table>
    <thead><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">After</th></tr></thead><tbody>${changes.map(changeRow)}</tbody>
  </table></div>`;
