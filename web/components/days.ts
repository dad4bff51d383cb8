interface Day {
  /** UTC date, such as `2026-01-31`. */
  day: string;
}

export const dayMs = 86_400_000;

/** Returns the start of the first of the last `length` UTC days. */
export const firstDayMs = (length: number, nowMs: number): number =>
  nowMs - (nowMs % dayMs) - (length - 1) * dayMs;

/** Returns a value for each of the last `length` UTC days, the oldest first: `read(undefined)` for a day without a row. */
export function daily<Row extends Day, Value>(
  rows: readonly Row[],
  length: number,
  nowMs: number,
  read: (row: Row | undefined) => Value,
): Value[] {
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const firstMs = firstDayMs(length, nowMs);
  return Array.from({ length }, (_, at) =>
    read(byDay.get(new Date(firstMs + at * dayMs).toISOString().slice(0, 10))),
  );
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
