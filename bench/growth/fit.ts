/** Measured value at a size, such as at a number of events. */
export interface Point {
  size: number;
  value: number;
}

/** A power of the size that follows measured values: `value = factor × size ^ exponent`. */
interface PowerFit {
  exponent: number;
  /** Value that the fit has at a size. */
  estimate(size: number): number;
}

/** Fits a power of the size to values at two sizes at least, by least squares of the logarithms. */
export function fitPower(points: readonly Point[]): PowerFit {
  const logs = points.map(({ size, value }) => ({ x: Math.log(size), y: Math.log(value) }));
  const mean = (of: (log: (typeof logs)[number]) => number) =>
    logs.reduce((sum, log) => sum + of(log), 0) / logs.length;
  const x = mean((log) => log.x);
  const y = mean((log) => log.y);
  const exponent = mean((log) => (log.x - x) * (log.y - y)) / mean((log) => (log.x - x) ** 2);
  return { exponent, estimate: (size) => Math.exp(y + exponent * (Math.log(size) - x)) };
}
