/** Processor time of a catch-up, of the indexer and of PostgreSQL. */
export interface WorkPoint {
  lists: number;
  events: number;
  indexerSeconds: number;
  databaseSeconds: number;
}

/** Seconds of processor time: of a start, of a list, and of an event. */
export interface Work {
  start: number;
  list: number;
  event: number;
}

/** Fits the processor time of indexer and PostgreSQL to the number of lists and events, by least squares of the relative errors. */
export function fitWork(points: readonly WorkPoint[]): Work {
  const rows = points.map((point) => {
    const seconds = point.indexerSeconds + point.databaseSeconds;
    return [1, point.lists, point.events].map((value) => value / seconds);
  });
  const [start, list, event] = solveLeastSquares(
    rows,
    rows.map(() => 1),
  );
  return { start: start!, list: list!, event: event! };
}

interface Conditions {
  /** Round trips that follow each other, those of the start included. */
  roundTrips: number;
  lists: number;
  events: number;
  delayMs: number;
}

const predictWork = ({ start, list, event }: Work, { lists, events }: Pick<Conditions, 'lists' | 'events'>) =>
  start + list * lists + event * events;

/** Seconds of a catch-up at least and at most. */
export type TimeRange = readonly [least: number, most: number];

/**
 * Returns how long a catch-up with list indexes takes: at least the longer of its work and its round trips, at most both
 * after each other. Lists are on their way while those before are stored, but not at the beginning.
 */
export function predictRange(work: Work, conditions: Conditions): TimeRange {
  const working = predictWork(work, conditions);
  const waiting = (conditions.roundTrips * conditions.delayMs) / 1000;
  return [Math.max(working, waiting), working + waiting];
}

/** Largest relative error of the processor time at some points. */
export const findLargestError = (work: Work, points: readonly WorkPoint[]): number =>
  Math.max(
    ...points.map((point) =>
      Math.abs(predictWork(work, point) / (point.indexerSeconds + point.databaseSeconds) - 1),
    ),
  );

/** Solves the normal equations. @throws RangeError if the rows do not determine the coefficients */
function solveLeastSquares(rows: readonly number[][], values: readonly number[]): number[] {
  const width = rows[0]?.length ?? 0;
  // Columns of equal length, so that the pivots can be compared.
  const scales = Array.from({ length: width }, (_, column) => Math.hypot(...rows.map((row) => row[column]!)));
  const scaled = rows.map((row) => row.map((value, column) => value / (scales[column] || 1)));
  const matrix = Array.from({ length: width }, (_, i) => [
    ...Array.from({ length: width }, (_, j) => scaled.reduce((sum, row) => sum + row[i]! * row[j]!, 0)),
    scaled.reduce((sum, row, at) => sum + row[i]! * values[at]!, 0),
  ]);
  for (let column = 0; column < width; column += 1) {
    const pivot = matrix
      .slice(column)
      .reduce((best, row) => (Math.abs(row[column]!) > Math.abs(best[column]!) ? row : best));
    if (Math.abs(pivot[column]!) < 1e-9) throw new RangeError('the points do not determine the model');
    const found = matrix.indexOf(pivot);
    [matrix[column], matrix[found]] = [pivot, matrix[column]!];
    for (const row of matrix) {
      if (row === pivot) continue;
      const factor = row[column]! / pivot[column]!;
      for (let at = column; at <= width; at += 1) row[at]! -= factor * pivot[at]!;
    }
  }
  return matrix.map((row, column) => row[width]! / row[column]! / (scales[column] || 1));
}
