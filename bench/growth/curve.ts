import { cpus, totalmem } from 'node:os';
import { fitPower, type Point } from './fit.ts';

/** Measured value at each size, such as each number of listings. */
export interface Curve {
  name: string;
  points: Point[];
}

/** Curves that share their axes. */
export interface Figure {
  /** File name of the drawing, without its ending. */
  file: string;
  title: string;
  /** Name of the growing items, such as `listings`: the label of the horizontal axis. */
  sizes: string;
  /** Unit of the values, such as `ms`: the label of the vertical axis. */
  unit: string;
  curves: Curve[];
  /** Size that no run reaches, at which the page shows estimates. */
  carriedTo?: number | undefined;
}

const [width, height] = [720, 360];
const area = { left: 56, right: 540, top: 20, bottom: 310 };
const colors = [
  '#3b82f6',
  '#d97706',
  '#16a34a',
  '#dc2626',
  '#9333ea',
  '#0891b2',
  '#a16207',
  '#db2777',
  '#64748b',
];

/** Draws a figure with logarithmic axes. Its text takes a color that is readable on light and on dark pages. */
export function drawFigure({ title, sizes, unit, curves }: Figure): string {
  const points = curves.flatMap((curve) => curve.points);
  const across = createLogScale(
    points.map(({ size }) => size),
    area.left,
    area.right,
  );
  const up = createLogScale(
    points.map(({ value }) => value),
    area.bottom,
    area.top,
  );
  const label = (x: number, y: number, anchor: string, text: string) =>
    `<text x="${x}" y="${y}" text-anchor="${anchor}">${escapeXml(text)}</text>`;
  const lines = [
    ...across.ticks.map(
      ({ value, at }) =>
        `<line class="grid" x1="${at}" x2="${at}" y1="${area.top}" y2="${area.bottom}"/>${label(at, area.bottom + 18, 'middle', format(value))}`,
    ),
    ...up.ticks.map(
      ({ value, at }) =>
        `<line class="grid" x1="${area.left}" x2="${area.right}" y1="${at}" y2="${at}"/>${label(area.left - 8, at + 4, 'end', format(value))}`,
    ),
    label((area.left + area.right) / 2, height - 10, 'middle', sizes),
    label(area.left - 8, area.top - 7, 'end', unit),
  ];
  // Names are drawn at the ends of their curves, moved apart if these are close.
  const ends = curves
    .map((curve, n) => ({ n, name: curve.name, at: up.at(curve.points.at(-1)!.value) }))
    .toSorted((a, b) => a.at - b.at);
  let lowest = area.top;
  for (const end of ends) {
    end.at = Math.max(end.at, lowest);
    lowest = end.at + 16;
  }
  const drawn = curves.map(({ points }, n) => {
    const path = points.map(({ size, value }) => `${across.at(size)},${up.at(value)}`);
    const dots = path.map(
      (at) =>
        `<circle cx="${at.split(',')[0]}" cy="${at.split(',')[1]}" r="3" fill="${colors[n % colors.length]}"/>`,
    );
    return `<polyline fill="none" stroke-width="2" stroke="${colors[n % colors.length]}" points="${path.join(' ')}"/>${dots.join('')}`;
  });
  const names = ends.map(
    ({ n, name, at }) =>
      `<text x="${area.right + 10}" y="${at + 4}" style="fill:${colors[n % colors.length]}">${escapeXml(name)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">
<style>
text { font: 12px system-ui, sans-serif; fill: #475569 }
.grid { stroke: #94a3b8; stroke-opacity: 0.35 }
@media (prefers-color-scheme: dark) { text { fill: #cbd5e1 } }
</style>
${[...lines, ...drawn, ...names].join('\n')}
</svg>
`;
}

const escapeXml = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const format = (value: number) => value.toLocaleString('en');

/** A logarithmic scale over whole decades, with a tick at each. */
function createLogScale(values: readonly number[], from: number, to: number) {
  const low = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9));
  const at = (value: number) =>
    Math.round((from + ((Math.log10(value) - low) / (high - low)) * (to - from)) * 10) / 10;
  const ticks = Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n));
  return { at, ticks: ticks.map((value) => ({ value: Number(value.toPrecision(1)), at: at(value) })) };
}

/** Begins the part of docs/performance.md that is written by the benchmark, up to its end. */
export const growthHeading = '## Growth\n';

/** The part with all figures, and the numbers they are drawn from. */
export function growthPart(figures: readonly Figure[], measuredAt: Date): string {
  const processors = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const machine =
    `${processors.length} cores (${processors[0]?.model ?? 'unknown'}), ${memory} GiB of memory, Node ${process.versions.node}, ` +
    `${process.platform} ${process.arch}`;
  const sections = figures.map((figure) => {
    const sizes = [...new Set(figure.curves.flatMap(({ points }) => points.map(({ size }) => size)))].sort(
      (a, b) => a - b,
    );
    const rows = figure.curves.map(({ name, points }) => {
      const values = sizes.map((size) => points.find((point) => point.size === size)?.value ?? '');
      return `| ${[name, ...values].join(' | ')} |`;
    });
    return `### ${figure.title}

![${figure.title}](${figure.file}.svg)

| ${[`${figure.unit}, by ${figure.sizes}`, ...sizes.map(format)].join(' | ')} |
|${'---|'.repeat(sizes.length + 1)}
${rows.join('\n')}
${formatEstimates(figure)}`;
  });
  return `${growthHeading}
Written by \`npm run bench growth\`: change nothing here by hand. Measured on ${measuredAt.toISOString().slice(0, 10)} on one machine:
${machine}.
Both axes of the figures are logarithmic. [bench/README.md](../bench/README.md) says what each benchmark measures, beside its
limit.

${sections.join('\n')}`;
}

/** The values that the curves of a figure have where they are carried to. */
function formatEstimates({ curves, sizes, unit, carriedTo }: Figure): string {
  if (carriedTo === undefined) return '';
  const fitted = curves.filter(({ points }) => points.length > 1);
  const rows = fitted.map(({ name, points }) => {
    const { exponent, estimate } = fitPower(points);
    return `| ${name} | ${exponent.toFixed(3)} | ${Number(estimate(carriedTo).toPrecision(3))} |`;
  });
  return `
Carried to ${format(carriedTo)} ${sizes} by the power of their number that fits these values best, by least squares of the logarithms:

| | exponent | ${unit} at ${format(carriedTo)} |
|---|---|---|
${rows.join('\n')}
`;
}
