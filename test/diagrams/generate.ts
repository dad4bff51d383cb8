import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { diagramFolder, findDiagramPath } from '../../services/gateway/documents/diagrams.ts';
import { startChromium } from '../support/chromium.ts';

/**
 * Draws the Mermaid diagrams of the documents, as repository hosts do in the browser of a reader, so that the site needs no
 * script for them. Mermaid needs a browser, so the drawings are committed. It is installed in this folder when a diagram
 * changes. `--check` installs and draws nothing.
 */
const root = join(import.meta.dirname, '../..');
const record = 'test/diagrams/generated.json';
const program = ['package.json', 'package-lock.json', 'flatten.js', 'generate.ts'];

interface Diagram {
  document: string;
  source: string;
  /** Path of the drawing. */
  path: string;
}

const documents = globSync(['*.md', '{bench,docs,move,packages,services,web}/**/*.md'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
}).toSorted();

const diagrams: Diagram[] = documents.flatMap((document) =>
  [...readFileSync(join(root, document), 'utf8').matchAll(/^```mermaid\n([\s\S]*?)^```$/gm)].map(
    ([, source]) => ({
      document,
      source: source!,
      path: findDiagramPath(source!),
    }),
  ),
);

function hashProgram(): string {
  const hash = createHash('sha256');
  for (const name of program) hash.update(readFileSync(join(import.meta.dirname, name)));
  return hash.digest('hex');
}

/** Finds the diagrams to draw, and the drawings whose diagram changed or went. */
function findDifferences() {
  const drawn = existsSync(join(root, diagramFolder)) ? readdirSync(join(root, diagramFolder)) : [];
  const recorded = existsSync(join(root, record))
    ? JSON.parse(readFileSync(join(root, record), 'utf8')).program
    : '';
  const isStale = recorded !== hashProgram();
  return {
    missing: diagrams.filter(({ path }) => isStale || !existsSync(join(root, path))),
    unused: drawn
      .map((name) => `${diagramFolder}/${name}`)
      .filter((path) => !diagrams.some((one) => one.path === path)),
  };
}

/** Options of Mermaid. Texts break, so that a drawing fits into the column of a document. */
const options = {
  startOnLoad: false,
  securityLevel: 'strict',
  htmlLabels: false,
  layout: 'dagre',
  fontFamily: 'Drawing',
  fontSize: 13,
  themeVariables: { fontSize: '13px', fontFamily: 'Drawing' },
  flowchart: { wrappingWidth: 130, nodeSpacing: 16, rankSpacing: 36, padding: 8 },
  state: { nodeSpacing: 40, rankSpacing: 40 },
  sequence: {
    ...{ wrap: true, mirrorActors: false, width: 100, height: 40, actorMargin: 16, messageMargin: 28 },
    ...{
      actorFontSize: 13,
      messageFontSize: 13,
      noteFontSize: 13,
      wrapPadding: 4,
      diagramMarginX: 4,
      diagramMarginY: 4,
    },
  },
};

async function draw(page: Page, { document, source }: Diagram): Promise<string> {
  const kind = /^(flowchart|sequence|stateDiagram)/.exec(source)?.[1];
  if (!kind || !/^ *accTitle: \S/m.test(source))
    throw new Error(
      `${document}: a diagram needs a flowchart, sequence or state diagram, and a line "accTitle: …".`,
    );
  const call = `(async () => {
    const { svg } = await mermaid.render('drawing', ${JSON.stringify(source)});
    document.body.innerHTML = svg;
    return flatten(document.querySelector('svg'), ${JSON.stringify(kind)});
  })()`;
  return await page.evaluate<string>(call).catch((cause) => {
    throw new Error(
      `${document}: Mermaid does not draw the diagram that begins with "${source.slice(0, 60)}".`,
      { cause },
    );
  });
}

async function generate(): Promise<void> {
  const { missing, unused } = findDifferences();
  for (const path of unused) rmSync(join(root, path));
  if (missing.length > 0) {
    const cwd = import.meta.dirname;
    if (!existsSync(join(cwd, 'node_modules')))
      execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd, stdio: 'inherit' });
    const font = readFileSync(join(root, 'node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf')).toString(
      'base64',
    );
    const browser = await startChromium();
    try {
      const page = await browser.newPage({ viewport: { width: 800, height: 800 } });
      await page.setContent(
        `<!doctype html><style>@font-face { font-family: Drawing; src: url(data:font/ttf;base64,${font}) }</style><p style="font-family: Drawing">a`,
      );
      await page.evaluate('document.fonts.ready.then(() => undefined)');
      await page.addScriptTag({ path: join(cwd, 'node_modules/mermaid/dist/mermaid.min.js') });
      await page.addScriptTag({ path: join(cwd, 'flatten.js') });
      await page.evaluate(`mermaid.initialize(${JSON.stringify(options)})`);
      mkdirSync(join(root, diagramFolder), { recursive: true });
      for (const one of missing) {
        writeFileSync(join(root, one.path), await draw(page, one));
        process.stdout.write(`wrote ${one.path} for ${one.document}\n`);
      }
    } finally {
      await browser.close();
    }
  }
  writeFileSync(join(root, record), `${JSON.stringify({ program: hashProgram() }, null, 2)}\n`);
}

function check(): void {
  const { missing, unused } = findDifferences();
  if (missing.length + unused.length === 0) return;
  const names = [...new Set([...missing.map(({ document }) => document), ...unused])].join(', ');
  process.stderr.write(
    `Diagrams have no drawing, or drawings no diagram: ${names}. Run \`npm run generate\` and commit it.\n`,
  );
  process.exitCode = 1;
}

if (process.argv.includes('--check')) check();
else await generate();
