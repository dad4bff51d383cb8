import { sum } from './days.ts';
import { type Html, html } from './html.ts';
import { count } from './values.ts';

const [width, height] = [120, 28];

/** Renders the uses on each of the last days, the oldest first, as a chart of the size of a word. */
export function sparkline(uses: readonly number[]): Html {
  const bar = width / uses.length;
  const most = Math.max(1, ...uses);
  const boxes = uses.map((value, at) => {
    const tall = value === 0 ? 1 : Math.max(2, Math.round((value / most) * height));
    return { value, box: `M${at * bar} ${height}v-${tall}h${bar - 1}v${tall}` };
  });
  const path = (used: boolean) =>
    boxes.flatMap(({ value, box }) => (value > 0 === used ? [box] : [])).join('');
  const label = `Uses a day over the last ${uses.length} days: ${count(sum(uses))} in total`;
  return html`<svg class="spark" role="img" aria-label=${label} viewBox="0 0 ${width} ${height}" width=${width} height=${height}><path d=${path(true)} /><path class="none" d=${path(false)} /></svg>`;
}
