import { findStep, formatStep, frame, type Steps, stepMiddle } from '../components/charts/steps.ts';

/** Shows the values of a chart's step under the pointer, or by arrow keys. The table below the charts has the values. */

const svgNamespace = 'http://www.w3.org/2000/svg';
const drawingSelector = '.charts .chart > svg';

/** Charts with the same steps, and their table. */
interface Group {
  steps: Steps;
  figures: NodeListOf<HTMLElement>;
  heads: readonly string[];
  /** Cells of a row of the table, by the label of its step. */
  rows: ReadonlyMap<string, readonly string[]>;
}

const readTexts = (cells: Iterable<Element>): string[] =>
  Array.from(cells, ({ textContent }) => textContent ?? '');

function readGroup(element: Element): Group | undefined {
  const group = element.closest<HTMLElement>('.charts');
  if (!group) return undefined;
  const { from, step, count } = group.dataset;
  const rows = Array.from(group.querySelectorAll('.values tbody tr'), ({ children }): [string, string[]] => {
    const texts = readTexts(children);
    return [texts[0] ?? '', texts];
  });
  return {
    steps: { fromMs: Number(from), stepMs: Number(step), count: Number(count) },
    figures: group.querySelectorAll<HTMLElement>('.chart'),
    heads: readTexts(group.querySelectorAll('.values thead th')),
    rows: new Map(rows),
  };
}

/** Describes a step of a chart: `2026-01-31: 12`, with the name of each series if there are several. */
function describeStep({ steps, heads, rows }: Group, { dataset }: HTMLElement, at: number): string {
  const label = formatStep(steps, at);
  const columns = (dataset.columns ?? '').split(' ').map(Number);
  const cells = rows.get(label);
  const values = columns.map((column) => {
    const name = columns.length < 2 ? '' : `${heads[column]?.split(': ').at(-1) ?? ''} `;
    return `${name}${cells?.[column] || 'none'}`;
  });
  return `${label}: ${values.join(', ')}`;
}

/** Replaces the text, and keeps its node, because the renderer of a live page updates this node. */
function setText({ firstChild }: Element, text: string): void {
  if (firstChild) firstChild.nodeValue = text;
}

/** Shows the values of a step in all charts of a group. */
function showStep(group: Group, at: number): void {
  for (const figure of group.figures) {
    const svg = figure.querySelector<SVGSVGElement>(':scope > svg');
    const reading = figure.querySelector<HTMLElement>('.reading');
    if (!svg || !reading) continue;
    const text = describeStep(group, figure, at);
    setText(reading, text);
    svg.setAttribute('aria-valuenow', String(at));
    svg.setAttribute('aria-valuetext', text);
    const cursor =
      svg.querySelector('.cursor') ?? svg.appendChild(document.createElementNS(svgNamespace, 'path'));
    cursor.setAttribute('class', 'cursor');
    cursor.setAttribute('d', `M${stepMiddle(group.steps, at)} ${frame.top}V${frame.height - frame.bottom}`);
  }
}

function showSummaries(element: Element): void {
  for (const figure of readGroup(element)?.figures ?? []) {
    figure.querySelector('.cursor')?.remove();
    const reading = figure.querySelector<HTMLElement>('.reading');
    if (reading) setText(reading, reading.dataset.summary ?? '');
  }
}

/** Makes new charts sliders over their steps, so that the keyboard can reach them. */
function addSliders(): void {
  for (const svg of document.querySelectorAll<SVGSVGElement>(`${drawingSelector}:not([tabindex])`)) {
    const count = Number(svg.closest<HTMLElement>('.charts')?.dataset.count ?? 1);
    const attributes = {
      role: 'slider',
      tabindex: 0,
      'aria-valuemin': 0,
      'aria-valuemax': count - 1,
      'aria-valuenow': count - 1,
      'aria-valuetext': svg.getAttribute('aria-label') ?? '',
    };
    for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, String(value));
  }
}

const findDrawing = ({ target }: Event): SVGSVGElement | null =>
  target instanceof Element ? target.closest<SVGSVGElement>(drawingSelector) : null;

document.addEventListener('pointermove', (event) => {
  const svg = findDrawing(event);
  const group = svg && readGroup(svg);
  if (!group) return;
  const { left, width } = svg.getBoundingClientRect();
  showStep(group, findStep(group.steps, (event.clientX - left) / width));
});
document.addEventListener('pointerout', (event) => {
  const svg = findDrawing(event);
  const isStillInside = event.relatedTarget instanceof Node && svg?.contains(event.relatedTarget);
  if (svg && !isStillInside) showSummaries(svg);
});
document.addEventListener('focusout', (event) => {
  const svg = findDrawing(event);
  if (svg) showSummaries(svg);
});

const moves: Record<string, (at: number, last: number) => number> = {
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at + 1,
  Home: () => 0,
  End: (_, last) => last,
};

document.addEventListener('keydown', (event) => {
  const svg = findDrawing(event);
  const move = moves[event.key];
  const group = svg && move && readGroup(svg);
  if (!group) return;
  event.preventDefault();
  const last = group.steps.count - 1;
  const at = move(Number(svg.getAttribute('aria-valuenow')), last);
  showStep(group, Math.min(last, Math.max(0, at)));
});

addSliders();
const main = document.querySelector('#main');
// A live page replaces its parts, and with them the charts.
if (main) new MutationObserver(addSliders).observe(main, { childList: true, subtree: true });
