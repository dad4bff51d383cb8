import { scaleLinear, scaleUtc } from 'd3-scale';
import { line } from 'd3-shape';
import { type Html, html } from '../html.ts';
import type { State } from '../marks.ts';
import { frame, plotWidth, type Steps, stepMiddle } from './steps.ts';

/** Values for each step. Null: there is none. */
export interface Series {
  name: string;
  values: readonly (number | null)[];
  /** The values as text, for a table. Default: the numbers. */
  texts?: readonly string[];
}

export interface Measure {
  title: string;
  /** Result in words, for a reader who does not see the drawing. */
  summary: string;
  /** `bars`: series are stacked. `line`: a line connects the steps that have a value. */
  mark: 'bars' | 'line';
  series: readonly Series[];
  /** Upper end of the axis. Default: the highest value. */
  axisMax?: number;
  /** Color of the bars of each step. Default: the color of the series. */
  states?: readonly State[];
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 });
const shortDay = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const { width, height, left, right, top, bottom } = frame;
const floor = height - bottom;
const round = (value: number) => Math.round(value * 10) / 10;

/** Maximum number of dots of a line. More of them would hide it. */
const dotsMax = 40;

interface Scale {
  (value: number): number;
  ticks(count: number): number[];
}

function scaleValues({ series, mark, axisMax }: Measure, count: number): Scale {
  const tops = Array.from({ length: count }, (_, at) => {
    const values = series.map(({ values }) => values[at] ?? 0);
    return mark === 'bars' ? values.reduce((total, value) => total + value, 0) : Math.max(...values);
  });
  const highest = axisMax ?? Math.max(0, ...tops);
  return scaleLinear([0, highest === 0 ? 1 : highest], [floor, top]).nice(axisMax === undefined ? 3 : 0);
}

function drawBars({ series, states }: Measure, { count }: Steps, y: Scale): Html {
  const step = plotWidth / count;
  const barWidth = round(Math.max(1, step - Math.min(2, step * 0.25)));
  const paths = new Map<string, string>();
  for (let at = 0; at < count; at += 1) {
    let below = 0;
    for (const [nth, { values }] of series.entries()) {
      const value = values[at] ?? 0;
      if (value <= 0) continue;
      const [from, to] = [round(y(below)), round(Math.min(y(below) - 1, y(below + value)))];
      const name = states ? (states[at] ?? 'neutral') : `series-${nth}`;
      const x = round(left + at * step + (step - barWidth) / 2);
      paths.set(name, `${paths.get(name) ?? ''}M${x} ${from}V${to}h${barWidth}V${from}`);
      below += value;
    }
  }
  return [...paths].map(([name, d]) => html`<path class=${name} d=${d} />`);
}

function drawLine({ series }: Measure, steps: Steps, y: Scale): Html {
  return series.map(({ values }, nth) => {
    const points = values.flatMap((value, at): [number, number][] =>
      value === null ? [] : [[stepMiddle(steps, at), y(value)]],
    );
    const dots =
      points.length > dotsMax ? '' : points.map(([x, at]) => `M${round(x)} ${round(at)}h0`).join('');
    return html`<path class=${`line series-${nth}`} d=${line().digits(1)(points) ?? ''} /><path class=${`dots series-${nth}`} d=${dots} />`;
  });
}

function drawTimes({ fromMs, stepMs, count }: Steps): Html {
  const endMs = fromMs + count * stepMs;
  const x = scaleUtc([fromMs, endMs], [left, width - right]);
  const days = stepMs % 86_400_000 === 0;
  return x.ticks(4).map((tick) => {
    const at = round(x(tick));
    // A label at either end would be cut off.
    if (at < left + 12 || at > width - right - 16) return '';
    const text = days ? shortDay.format(tick) : tick.toISOString().slice(11, 16);
    return html`<text class="time" x=${at} y=${height - 6}>${text}</text>`;
  });
}

/** Draws a measure with its axes. It has no colors and sizes of its own: these are in the style sheet. */
export function drawMeasure(measure: Measure, steps: Steps): Html {
  const y = scaleValues(measure, steps.count);
  const areWhole = measure.series.every(({ values }) =>
    values.every((value) => Number.isInteger(value ?? 0)),
  );
  const ticks = y.ticks(3).filter((tick) => !areWhole || Number.isInteger(tick));
  const rules = ticks.map((tick) => `M${left} ${round(y(tick))}H${width - right}`).join('');
  const labels = ticks.map(
    (tick) => html`<text x=${left - 6} y=${round(y(tick)) + 4}>${compact.format(tick)}</text>`,
  );
  return html`<svg role="img" aria-label=${`${measure.title}: ${measure.summary}`} viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height}>
    <path class="rule" d=${rules} />${labels}${drawTimes(steps)}${measure.mark === 'bars' ? drawBars(measure, steps, y) : drawLine(measure, steps, y)}
  </svg>`;
}
