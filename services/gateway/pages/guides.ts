import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { prefersMarkdown } from '../../../lib/http/negotiation.ts';
import type { Route } from '../../../lib/http/route.ts';
import { type DocumentAt, documentPage, guidesPage } from '../../../web/pages/docs.ts';
import { operationPath } from '../../../web/pages/reference.ts';
import { prepareHighlighter } from '../../../web/words/highlight.ts';
import { renderMarkdown } from '../../../web/words/markdown.ts';
import { type DocumentSearch, indexDocuments } from '../../../web/words/search.ts';
import { readDiagram } from '../documents/diagrams.ts';
import { readMarkdown, renderedDocuments, root } from '../documents/rendered.ts';
import { listOperations, type OpenApiDocument } from '../openapi/components.ts';
import type { DescriptionDependencies } from '../openapi/document.ts';
import { createFileRoute } from './page.ts';
import { createSiteRoute, type SiteDependencies } from './site.ts';

const listFiles = (folder: string) =>
  readdirSync(join(root, folder))
    .toSorted()
    .map((name) => `${folder}/${name}`);
const files = [
  ...listFiles('docs'),
  ...listFiles('docs/decisions'),
  ...renderedDocuments.map(({ path }) => path),
];
/** The API in one document, for programs. Readers get a page for each operation in its place. */
const apiDocument = 'docs/api.md';
const contracts = ['registry', 'wallet', 'rules', 'agents', 'escrow', 'adaptors', 'protocols'];

/** The address of each document, by its path in the repository. */
const pages = new Map([
  ['README.md', '/docs/project'],
  ['CHANGELOG.md', '/docs/changelog'],
  ['CONTRIBUTING.md', '/docs/contributing'],
  ['SECURITY.md', '/docs/report-a-vulnerability'],
  ...files
    .filter((path) => path.endsWith('.md') && path !== apiDocument)
    .map((path): [string, string] => [path, `/${path.replace(/(\/README)?\.md$/, '')}`]),
  ...contracts.map((name): [string, string] => [`move/${name}/README.md`, `/docs/contracts/${name}`]),
  ['bench/README.md', '/docs/benchmarks'],
  // Its list of all documents is that of the site.
  ['docs/README.md', '/docs/guides'],
]);
const pictures = files.filter((path) => path.endsWith('.svg'));
const addresses = new Map([
  ...pages,
  [apiDocument, '/docs'],
  ...renderedDocuments.map(({ path, source }): [string, string] => [source, pages.get(path) ?? '/docs']),
  ...pictures.map((path): [string, string] => [path, `/${path}`]),
]);

interface Guides {
  documents: DocumentAt[];
  search: DocumentSearch;
}

let loaded: Promise<Guides> | undefined;

/** Loads all documents. They are rendered and indexed at the first call of the process. */
export function loadGuides(api: OpenApiDocument): Promise<Guides> {
  loaded ??= (async () => {
    const documents = await renderDocuments(api);
    return { documents, search: await indexDocuments(documents) };
  })().catch((error: unknown) => {
    // A failure is not cached: the next request loads again.
    loaded = undefined;
    throw error;
  });
  return loaded;
}

/** Renders one document in each turn of the event loop, since all take some 200 ms. */
export async function renderDocuments(api: OpenApiDocument): Promise<DocumentAt[]> {
  const rendered: DocumentAt[] = [];
  for (const [path, href] of pages) {
    await setImmediate();
    const shown = renderMarkdown({ path, markdown: readMarkdown(path, api) }, addresses, readDiagram);
    // A search for an error code leads to the page of the code. Other headings of the document begin with a capital.
    const parts = shown.parts.map((part) =>
      href === '/docs/errors' && /^[a-z]/.test(part.heading)
        ? { ...part, href: `/errors/${part.heading}` }
        : part,
    );
    rendered.push({ href, ...shown, parts });
  }
  await setImmediate();
  return [...rendered, buildReferenceDocument(api)];
}

/** The API reference as a document: a search finds the pages of its operations. */
function buildReferenceDocument(api: OpenApiDocument): DocumentAt {
  const parts = listOperations(api).map(({ path, method, operation }) => ({
    level: 2,
    href: operationPath(operation.operationId!),
    heading: operation.summary!.replaceAll('`', ''),
    text: `${method.toUpperCase()} ${path} ${operation.operationId} ${operation.description ?? ''}`,
  }));
  return {
    href: '/docs',
    title: 'API reference',
    summary: api.info.description ?? '',
    renderBody: () => '',
    parts,
  };
}

type GuideDependencies = DescriptionDependencies & SiteDependencies;

/** The page of a document. */
const createGuideRoute = (href: string): Route<GuideDependencies> =>
  createSiteRoute(href, async ({ origin }, { document }: DescriptionDependencies) => {
    const { documents } = await loadGuides(document);
    const shown = documents.find((one) => one.href === href);
    await prepareHighlighter();
    return shown && documentPage(shown, documents, origin);
  });

/** Leads callers that prefer Markdown to the file at `path`, where the host serves it. */
function offerMarkdown(path: string, page: Route<GuideDependencies>): Route<GuideDependencies> {
  if (!files.includes(path)) return page;
  return {
    ...page,
    alternative: 'text/markdown',
    async answer(exchange, parameters, dependencies) {
      if (!prefersMarkdown(exchange.req)) return await page.answer(exchange, parameters, dependencies);
      exchange.res.writeHead(307, { location: `/${path}`, vary: 'accept', 'content-length': 0 }).end();
    },
  };
}

/** Pages of the documents, each at its exact path: other routes are below `/docs` too. */
export const guideRoutes = [
  offerMarkdown(
    'docs/README.md',
    createSiteRoute('/docs/guides', async ({ search: query }, { document }: DescriptionDependencies) => {
      const { documents, search } = await loadGuides(document);
      return guidesPage(documents, search, (query.get('q') ?? '').slice(0, 200));
    }),
  ),
  ...[...pages]
    .filter(([, href]) => href !== '/docs/guides')
    .map(([path, href]) => offerMarkdown(path, createGuideRoute(href))),
  ...pictures.map((path) =>
    createFileRoute(`/${path}`, 'image/svg+xml', 3_600, () => readFile(join(root, path))),
  ),
];
