import type { SqlResult } from '@adaptor-marketplace/sdk';
import { charts } from '../../components/charts/charts.ts';
import { buildCharts } from '../../components/charts/rows.ts';
import { counted, type Html, html } from '../../components/index.ts';
import { resultTable } from '../../components/result-table.ts';

/** Rows that the page shows. A table of more of them makes the browser slow. */
const rowsMax = 500;

/** Renders a result as a table and, if it has values over time, as charts. */
export function showResult(result: SqlResult, ms: number): Html {
  const { columns, rows, rowCount } = result;
  const drawn = buildCharts(result);
  const cut = rowCount > rowsMax ? ` The first ${rowsMax} are shown. The CSV has all.` : '';
  return html`<section class="part gap"><h2>Result</h2>
    <p class="muted" role="status">${counted(rowCount, 'row')} in ${Math.max(1, Math.round(ms))} ms.${cut}</p>
    ${drawn === undefined ? '' : charts(drawn)}
    ${rowCount === 0 ? '' : resultTable(columns, rows.slice(0, rowsMax))}
  </section>`;
}
