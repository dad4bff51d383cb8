import MarkdownIt from 'markdown-it';
import anchor from 'markdown-it-anchor';
import { render } from '../components/html.ts';
import { copyButton } from '../components/values.ts';
import { highlight } from './highlight.ts';

/** A document of the repository: its path, such as `docs/live.md`, and its Markdown. */
interface SourceDocument {
  path: string;
  markdown: string;
}

export interface DocumentPart {
  /** Level of the heading, from 1. */
  level: number;
  /** Address of its page, with the anchor of its heading. */
  href: string;
  heading: string;
  text: string;
}

export interface RenderedDocument {
  title: string;
  /** Its first paragraph. */
  summary: string;
  /** Renders the HTML of the whole document. The second call returns the same text. */
  renderBody(): string;
  parts: readonly DocumentPart[];
}

/** Returns the anchor of a heading, as repository hosts such as GitHub make it. */
export const buildAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

const parser = new MarkdownIt({ html: false, linkify: false });
// A heading is a link to itself, and its anchor is unique in the document.
parser.use(anchor, { slugify: buildAnchor, permalink: anchor.permalink.headerLink(), tabIndex: false });

const copyCode = render(copyButton('', 'Copy code'));

/** Returns the SVG of a diagram; undefined if it is not drawn. */
type DrawDiagram = (source: string) => string | undefined;

parser.renderer.rules.fence = (tokens, at, _, env) => {
  const { info, content } = tokens[at]!;
  const draw = env?.draw as DrawDiagram | undefined;
  const drawing = info.trim() === 'mermaid' ? draw?.(content) : undefined;
  const code = highlight(content.trimEnd(), info.trim() || 'text');
  // A wide code block scrolls, so it must be reachable with the keyboard.
  const block = `<div class="code"><pre tabindex="0"><code>${code}</code></pre>${copyCode}</div>\n`;
  return drawing === undefined
    ? block
    : `<div class="diagram"><div class="scroll" tabindex="0">${drawing}</div><details><summary>The diagram as text</summary>${block}</details></div>\n`;
};

/** Placeholder for the address of the host in a rendered document. It is one word to every highlighter. */
export const hostMark = 'TheAddressOfThisHost';

/** Renders Markdown without blocks, such as the description of a field. */
export const renderInline = (markdown: string): string => parser.renderInline(markdown);

/** Resolves a link between documents to a url of the site; undefined if the target has no page. */
function resolveLink(from: string, href: string, pages: ReadonlyMap<string, string>): string | undefined {
  if (/^https:\/\//.test(href) || href.startsWith('#') || href.startsWith('/')) return href;
  if (/^[a-z]+:/i.test(href)) return undefined;
  const { pathname, hash } = new URL(href, `http://repository/${from}`);
  const page = pages.get(pathname.slice(1).replace(/\/$/, '/README.md'));
  return page === undefined ? undefined : page + hash;
}

/**
 * Renders a document as a page.
 * @param pages addresses of the pages, by path in the repository
 * @param draw draws the Mermaid diagrams; those that it does not draw are shown as text
 */
export function renderMarkdown(
  { path, markdown }: SourceDocument,
  pages: ReadonlyMap<string, string>,
  draw?: DrawDiagram,
): RenderedDocument {
  const tokens = parser.parse(markdown.replaceAll('{base_url}', hostMark), {});
  const parts: DocumentPart[] = [];
  const own = pages.get(path) ?? '';
  for (const [at, token] of tokens.entries()) {
    const inline = tokens[at + 1];
    if (token.type === 'heading_open' && inline) {
      const heading = (inline.children ?? []).map(({ content }) => content).join('');
      parts.push({ level: Number(token.tag[1]), href: `${own}#${token.attrGet('id')}`, heading, text: '' });
    } else if (
      (token.type === 'inline' && tokens[at - 1]?.type !== 'heading_open') ||
      token.type === 'fence'
    ) {
      const part = parts.at(-1);
      if (part)
        part.text += ` ${token.content
          .replaceAll(hostMark, '')
          .replace(/\]\([^)]*\)/g, ']')
          .replace(/[[\]`*|]/g, '')}`;
    }
    for (const child of token.children ?? []) {
      const [attribute, target] =
        child.type === 'image' ? ['src', child.attrGet('src')] : ['href', child.attrGet('href')];
      if (target === null) continue;
      const found = resolveLink(path, String(target), pages);
      if (found !== undefined) child.attrSet(attribute, found);
      else if (child.type === 'link_open') child.attrs = null;
    }
  }
  const [first] = parts;
  const summary = tokens.find(
    (token, at) => token.type === 'inline' && tokens[at - 1]?.type === 'paragraph_open',
  );
  let body: string | undefined;
  const renderBody = () => {
    body ??= parser.renderer
      .render(tokens, parser.options, { draw })
      .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
      .replaceAll('</table>', '</table></div>')
      // Markdown has no table without a row of headers.
      .replaceAll('<th></th>', '<td></td>');
    return body;
  };
  return {
    title: first?.heading ?? path,
    summary: (summary?.children ?? [])
      .map(({ content, type }) => (type === 'softbreak' ? ' ' : content))
      .join(''),
    renderBody,
    parts,
  };
}
