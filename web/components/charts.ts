import { type Html, html } from './html.ts';
import { count } from './values.ts';

interface Day {
  /** UTC date, such as `2026-01-31`. */
  day: string;
  actions: number;
}

const dayMs = 86_400_000;

/** Returns the uses on each of the last `length` days, the oldest first; 0 for a day without a row. */
export function daily(days: readonly Day[], length: number, nowMs: number): { day: string; uses: number }[] {
  const uses = new Map(days.map(({ day, actions }) => [day, actions]));
  return Array.from({ length }, (_, at) => {
    const day = new Date(nowMs - (length - 1 - at) * dayMs).toISOString().slice(0, 10);
    return { day, uses: uses.get(day) ?? 0 };
  });
}

export const sumUses = (days: readonly { uses: number }[]): number =>
  days.reduce((sum, { uses }) => sum + uses, 0);

/** Draws a bar for each day as two paths: one for days with use, one for days without. */
function bars(days: readonly { uses: number }[], bar: number, height: number): Html {
  const most = Math.max(1, ...days.map(({ uses }) => uses));
  const boxes = days.map(({ uses }, at) => {
    const tall = uses === 0 ? 1 : Math.max(2, Math.round((uses / most) * height));
    return { uses, box: `M${at * bar} ${height}v-${tall}h${bar - 1}v${tall}` };
  });
  const path = (used: boolean) => boxes.flatMap(({ uses, box }) => (uses > 0 === used ? [box] : [])).join('');
  return html`<path d=${path(true)} /><path class="none" d=${path(false)} />`;
}

/** Renders the uses by day as a chart of the size of a word. */
export function sparkline(days: readonly Day[], nowMs: number): Html {
  const shown = daily(days, 30, nowMs);
  const [width, height] = [120, 28];
  const label = `Uses a day over the last 30 days: ${count(sumUses(shown))} in total`;
  return html`<svg class="spark" role="img" aria-label=${label} viewBox="0 0 ${width} ${height}" width=${width} height=${height}>${bars(shown, width / 30, height)}</svg>`;
}

export function dayChart(days: readonly Day[], length: number, nowMs: number): Html {
  const shown = daily(days, length, nowMs);
  const most = shown.reduce((best, day) => (day.uses > best.uses ? day : best));
  const label = `Uses a day over the last ${length} days: ${count(sumUses(shown))} in total, the most on ${most.day}: ${count(most.uses)}`;
  return html`<figure class="chart">
    <svg role="img" aria-label=${label} viewBox="0 0 ${length * 8} 96" preserveAspectRatio="none">${bars(shown, 8, 96)}</svg>
    <figcaption><span>${shown[0]!.day}</span><span>most in a day: ${count(most.uses)}</span><span>today</span></figcaption>
  </figure>`;
}
