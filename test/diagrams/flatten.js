/**
 * Script of the page in which Mermaid draws. It reduces a drawing to shapes and lines of text with the classes of the
 * site's style sheet: without a style of its own, markers, ids or text that the browser has to lay out.
 *
 * - `node`, `frame`: a box, and a box around others
 * - `edge`, `dotted`, `life`: a line, a dotted line, and the line below a participant
 * - `head`: an arrowhead, or the start and the end of states
 * - `label`: a text on a line
 */

/** Length and half the width of an arrowhead. */
const head = [9, 4];

/** Length by which arrowheads of Mermaid exceed the end of their line, by the kind of diagram. */
const overhang = { flowchart: 4, sequence: 6, stateDiagram: 5 };

const round = (value) => String(Math.round(value * 10) / 10);
const escapeText = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Returns the class of a shape; undefined for one that is not shown. */
function classify(shape) {
  const own = shape.getAttribute('class') ?? '';
  if (/actor-line/.test(own)) return 'life';
  if (/messageLine1|pattern-dotted/.test(own)) return 'edge dotted';
  if (/messageLine0|flowchart-link|transition/.test(own)) return 'edge';
  if (/state-start/.test(own)) return 'head';
  if (/loopLine/.test(own) || shape.closest('.cluster')) return 'frame';
  // A label has an outline of the color of the page in place of a box.
  if (/background/.test(own) || shape.closest('.label, .edgeLabel')) return undefined;
  // The end of states is a filled circle within another.
  const end = shape.closest('g.outer-path');
  if (end && !/label-container/.test(own))
    return shape.parentElement !== end && shape.getAttribute('stroke') === 'none' ? 'head' : 'node';
  return 'node';
}

/** Returns the arrowhead at the end of a line, as a path. */
function drawHead(line, kind, map) {
  const length = line.getTotalLength();
  const [tip, before] = [line.getPointAtLength(length), line.getPointAtLength(Math.max(0, length - 3))].map(
    map,
  );
  const angle = Math.atan2(tip.y - before.y, tip.x - before.x);
  const at = (along, across) => {
    const far = along + overhang[kind];
    const x = tip.x + far * Math.cos(angle) - across * Math.sin(angle);
    const y = tip.y + far * Math.sin(angle) + across * Math.cos(angle);
    return `${round(x)} ${round(y)}`;
  };
  return `<path class="head" d="M${at(0, 0)}L${at(-head[0], head[1])}L${at(-head[0], -head[1])}z"/>`;
}

/** Returns the lines of a text, each with its middle and its base. */
function drawText(text, map, toRoot) {
  const rows = [...text.querySelectorAll('tspan.row')];
  const node = text.closest('.node');
  const box = node?.getBBox();
  const isLabel = text.closest('.edgeLabel') || /messageText|loopText/.test(text.getAttribute('class') ?? '');
  let from = 0;
  return (rows.length > 0 ? rows : [text])
    .map((row) => {
      const [first, count] = [from, row.getNumberOfChars()];
      from += count;
      const words = row.textContent.trim();
      if (words === '') return '';
      const [start, end] = [text.getExtentOfChar(first), text.getEndPositionOfChar(first + count - 1)];
      const { x, y } = map({ x: (start.x + end.x) / 2, y: start.y + start.height * 0.8 });
      // Mermaid puts the text of a narrow state to the left.
      const middle = node ? toRoot(node, { x: box.x + box.width / 2, y: 0 }).x : x;
      return `<text${isLabel ? ' class="label"' : ''} x="${round(middle)}" y="${round(y)}">${escapeText(words)}</text>`;
    })
    .join('\n');
}

const numbers = {
  rect: ['x', 'y', 'width', 'height'],
  circle: ['cx', 'cy', 'r'],
  line: ['x1', 'y1', 'x2', 'y2'],
};

/** Moves a shape, and returns its element. */
function drawShape(shape, className, { x: e, y: f }) {
  const name = shape.tagName;
  const shift = { x: e, y: f, cx: e, cy: f, x1: e, x2: e, y1: f, y2: f };
  const given = (attribute) => Number(shape.getAttribute(attribute) ?? 0) + (shift[attribute] ?? 0);
  const places =
    name === 'path'
      ? ` d="${shape.getAttribute('d').replaceAll(/-?\d+\.\d+(e-\d+)?/g, (value) => round(Number(value)))}"`
      : name === 'polygon'
        ? ` points="${shape
            .getAttribute('points')
            .trim()
            .split(/[\s,]+/)
            .map((value, at) => round(Number(value) + (at % 2 ? f : e)))
            .join(' ')}"`
        : numbers[name].map((attribute) => ` ${attribute}="${round(given(attribute))}"`).join('');
  const isMoved = name === 'path' && (Math.abs(e) > 0.05 || Math.abs(f) > 0.05);
  return `<${name} class="${className}"${places}${isMoved ? ` transform="translate(${round(e)} ${round(f)})"` : ''}/>`;
}

/** @param kind type of the diagram, a key of `overhang` */
globalThis.flatten = (svg, kind) => {
  const inverse = svg.getScreenCTM().inverse();
  const toRoot = (one, { x, y }) => new DOMPoint(x, y).matrixTransform(inverse.multiply(one.getScreenCTM()));
  /** Shapes in the order of their layers: the texts are on top. */
  const [frames, lines, boxes, heads, texts] = [[], [], [], [], []];
  for (const one of svg.querySelectorAll('rect, circle, line, path, polygon, text')) {
    if (one.closest('defs, marker')) continue;
    const map = (point) => toRoot(one, point);
    if (one.tagName === 'text') {
      texts.push(drawText(one, map, toRoot));
      continue;
    }
    const className = classify(one);
    if (className === undefined || one.getBBox().width + one.getBBox().height === 0) continue;
    const layer = className === 'frame' ? frames : /edge|life/.test(className) ? lines : boxes;
    layer.push(drawShape(one, className, map({ x: 0, y: 0 })));
    if (one.getAttribute('marker-end')) heads.push(drawHead(one, kind, map));
  }
  const { x, y, width, height } = svg.viewBox.baseVal;
  const label = svg.querySelector('title').textContent;
  const size = `viewBox="${[x, y, width, height].map(Math.round).join(' ')}" width="${Math.round(width)}" height="${Math.round(height)}"`;
  const shapes = [...frames, ...lines, ...boxes, ...heads, ...texts].filter(Boolean).join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${escapeText(label)}" ${size}>\n${shapes}\n</svg>\n`;
};
