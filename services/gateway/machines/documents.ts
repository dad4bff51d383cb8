import { globSync } from 'node:fs';
import { posix } from 'node:path';
import { readMarkdown, renderedDocuments, root } from '../documents/rendered.ts';
import type { OpenApiDocument } from '../openapi/components.ts';
import type { DescriptionDependencies } from '../openapi/document.ts';
import { createFileRoute } from '../pages/page.ts';

/** The documents as programs read them: each at its path in the repository, which is that of its page and `.md`. */
const paths = [
  ...globSync('docs/**/*.md', { cwd: root }).map((path) => path.replaceAll('\\', '/')),
  ...renderedDocuments.map(({ path }) => path),
].toSorted();
const index = 'docs/README.md';

interface Document {
  /** Such as `docs/sdk.md`. */
  path: string;
  title: string;
  /** Its first paragraph, on one line. */
  summary: string;
  text: string;
}

const findBySource = (source: string) => renderedDocuments.find((document) => document.source === source);

/** Reads a document. Links to files that a host does not serve become text. */
function readDocument(path: string, api: OpenApiDocument): Document {
  const text = mapOutsideCode(readMarkdown(path, api), (part) =>
    part.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (link, image: string, words: string, to: string) => {
      if (/^[a-z]+:|^#/.test(to)) return link;
      const [target = '', anchor] = posix.join(posix.dirname(path), to).split('#');
      if (image) return `(Figure: ${words})`;
      if (paths.includes(target)) return link;
      const rendered = findBySource(target);
      if (rendered) return `[${words}](${posix.relative(posix.dirname(path), rendered.path)})`;
      return words === target ? `\`${target}\`` : `${words} (\`${target}\`${anchor ? `, ${anchor}` : ''})`;
    }),
  );
  const [title = path] = /(?<=^# ).+$/m.exec(text) ?? [];
  const paragraphs = text.split(/\n\n+/).map((one) => one.trim());
  const summary = paragraphs.find((one) => /^[\w`"]/.test(one) && !one.startsWith('```')) ?? '';
  return { path, title, summary: summary.replace(/\s+/g, ' '), text };
}

/** Applies `change` to a text's Markdown, and not to blocks of code in it. */
function mapOutsideCode(text: string, change: (markdown: string) => string): string {
  return text
    .split(/(^```.*?^```$)/ms)
    .map((part, at) => (at % 2 === 0 ? change(part) : part))
    .join('');
}

const takeFirstSentence = (text: string) => text.match(/^.*?[.:](?=\s|$)/)?.[0].replace(/:$/, '.') ?? text;
/** A document in a list of docs/README.md: its path, and its description. */
const listItem = /\[[^\]]+\]\(([\w./-]+)[^)]*\): ([\s\S]+?\.)(?=\s|$)/g;
const stripLinks = (text: string) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');

/** `llms.txt` (llmstxt.org): the service, and the address of each document, in the order of docs/README.md. */
export function renderLlmsIndex(api: OpenApiDocument): string {
  const documents = paths.map((path) => readDocument(path, api));
  const listed = new Set<string>();
  const renderRow = ({ path, title, summary }: Document, said?: string) => {
    listed.add(path);
    return `- [${stripLinks(title)}](/${path}): ${stripLinks(said ?? takeFirstSentence(summary)).replace(/\s+/g, ' ')}`;
  };
  const sections = readMarkdown(index, api)
    .split(/^(?=\*\*You )/m)
    .slice(1)
    .map((part) => part.split(/^## /m)[0]!)
    .map((part) => {
      const [, heading = ''] = /^\*\*(You [^*]+)\.\*\*/.exec(part) ?? [];
      const rows = [...part.replace(/\n {3}/g, ' ').matchAll(listItem)].flatMap(([, to = '', said]) => {
        const target = posix.join('docs', to);
        const listedPath = findBySource(target)?.path ?? target;
        const found = documents.find(({ path }) => path === listedPath);
        return found ? [renderRow(found, said)] : [];
      });
      return rows.length === 0 ? '' : `## ${heading}\n\n${rows.join('\n')}\n`;
    });
  const rest = documents.filter(({ path }) => !listed.has(path) && path !== index);
  const { title, text } = readDocument('README.md', api);
  const [, about = '', what = ''] = text.split(/\n\n/);
  return [
    `# ${title}\n`,
    `> ${about}\n`,
    `${what}\n`,
    'Reads need no key. Every path below is on this host.\n',
    '## Machine-readable\n',
    [
      '- [OpenAPI](/api/adaptors/openapi.json): every operation of the HTTP API, with examples.',
      '- [Tools for models](/docs/mcp.md): the MCP server at `POST /mcp`, and that of one wallet at `POST /mcp/wallets/{network}/{walletId}`.',
      '- [Graph](/docs/graphql.md): `POST /graphql`, with introspection.',
      '- [API catalog](/.well-known/api-catalog): the APIs of this host, as a linkset (RFC 9727).',
      '- [All documents](/llms-full.txt): in one file.',
      '- [Sitemap](/sitemap.xml): every page.\n',
    ].join('\n'),
    ...sections.filter(Boolean),
    `## Optional\n\n${rest.map((one) => renderRow(one)).join('\n')}\n`,
  ].join('\n');
}

function renderLlmsFull(api: OpenApiDocument): string {
  const documents = paths.map((path) => readDocument(path, api));
  return documents.map(({ path, text }) => `<!-- /${path} -->\n\n${text.trim()}\n`).join('\n');
}

const maxAgeSeconds = 300;
const createMarkdownRoute = (path: string, load: (api: OpenApiDocument) => string) =>
  createFileRoute(
    `/${path}`,
    'text/markdown; charset=utf-8',
    maxAgeSeconds,
    ({ document }: DescriptionDependencies) => Buffer.from(load(document)),
    'text/plain',
  );

/** The documents in Markdown, and what lists them. Each is read at its first request, then cached. */
export const documentRoutes = [
  createMarkdownRoute('llms.txt', renderLlmsIndex),
  createMarkdownRoute('llms-full.txt', renderLlmsFull),
  ...paths.map((path) => createMarkdownRoute(path, (api) => readDocument(path, api).text)),
];
