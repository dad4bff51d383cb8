import { type Html, html } from '../html.ts';
import { count } from '../values.ts';
import { drawMeasure, type Measure, type Series } from './drawing.ts';
import { formatStep, type Steps } from './steps.ts';

export interface ChartGroup {
  steps: Steps;
  /** Name of a step, such as `Day`. */
  step: string;
  measures: readonly Measure[];
}

const findText = ({ values, texts }: Series, at: number): string => {
  const value = values[at] ?? null;
  return texts?.[at] ?? (value === null ? '' : count(value));
};

const isSeen = (measures: readonly Measure[], at: number): boolean =>
  measures.some(({ series }) => series.some(({ values }) => (values[at] ?? 0) !== 0));

/** Renders the values of all measures. Steps in which nothing happened are left out. */
function valueTable({ steps, step, measures }: ChartGroup): Html {
  const columns = measures.flatMap(({ title, series }) =>
    series.map((one) => ({ one, head: series.length === 1 ? title : `${title}: ${one.name}` })),
  );
  const seen = Array.from({ length: steps.count }, (_, at) => at).filter((at) => isSeen(measures, at));
  const rows = seen.map(
    (at) =>
      html`<tr><th scope="row">${formatStep(steps, at)}</th>${columns.map(({ one }) => html`<td>${findText(one, at)}</td>`)}</tr>`,
  );
  const head = columns.map(({ head }) => html`<th scope="col">${head}</th>`);
  return html`<details class="values"><summary>The numbers as a table</summary>
    ${seen.length === steps.count ? '' : html`<p class="muted">${step}s without any are left out.</p>`}
    <div class="scroll" tabindex="0"><table><thead><tr><th scope="col">${step}</th>${head}</tr></thead><tbody>${rows}</tbody></table></div>
  </details>`;
}

const legend = (series: readonly Series[]): Html =>
  series.length < 2
    ? ''
    : series.map(
        ({ name }, nth) =>
          html`<span class="key"><svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true"><path class=${`series-${nth}`} d="M0 0h10v10H0z" /></svg>${name}</span>`,
      );

/**
 * Renders measures over the same steps: a chart of each, and one table of all values. Scripts let a reader read off the
 * value of a step from the table.
 */
export function charts(group: ChartGroup): Html {
  const { steps, measures } = group;
  let column = 1;
  const figures = measures.map((measure) => {
    const columns = measure.series.map(() => column++).join(' ');
    return html`<figure class="chart" data-columns=${columns}>
      <figcaption><span class="title">${measure.title}</span>${legend(measure.series)}</figcaption>
      ${drawMeasure(measure, steps)}
      <p class="reading" data-summary=${measure.summary}>${measure.summary}</p>
    </figure>`;
  });
  return html`<div class="charts" data-from=${steps.fromMs} data-step=${steps.stepMs} data-count=${steps.count}>
    <div class="multiples">${figures}</div>${valueTable(group)}
  </div>`;
}
