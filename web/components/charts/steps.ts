/** Steps of time, all of the same length, over which charts show values. */
export interface Steps {
  fromMs: number;
  stepMs: number;
  count: number;
}

/** Size of a chart and the margins around its marks, in units of its view box. */
export const frame = { width: 360, height: 150, left: 40, right: 8, top: 8, bottom: 22 } as const;

export const plotWidth = frame.width - frame.left - frame.right;

/** Formats the step at an index, in UTC: `2026-01-31` for days, `2026-01-31 09:15` for minutes, `09:15:30` for seconds. */
export function formatStep({ fromMs, stepMs }: Steps, at: number): string {
  const text = new Date(fromMs + at * stepMs).toISOString();
  if (stepMs % 60_000 !== 0) return text.slice(11, 19);
  return stepMs % 86_400_000 === 0 ? text.slice(0, 10) : text.slice(0, 16).replace('T', ' ');
}

/** Returns the index of the step at a horizontal position, as a share of the chart's whole width. */
export function findStep({ count }: Pick<Steps, 'count'>, share: number): number {
  const at = Math.floor(((share * frame.width - frame.left) / plotWidth) * count);
  return Math.min(count - 1, Math.max(0, at));
}

/** Returns the middle of a step, in units of the view box. */
export const stepMiddle = ({ count }: Pick<Steps, 'count'>, at: number): number =>
  frame.left + ((at + 0.5) / count) * plotWidth;
