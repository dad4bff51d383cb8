import MarkdownIt from 'markdown-it';

/** A document of the repository: its path, such as `docs/live.md`, and its Markdown. */
interface SourceDocument {
  path: string;
  markdown: string;
}

export interface DocumentPart {
  /** Address of its page, with the anchor of its heading. */
  href: string;
  heading: string;
  text: string;
}

export interface RenderedDocument {
  title: string;
  /** Its first paragraph. */
  summary: string;
  /** HTML of the whole document. */
  body: string;
  parts: readonly DocumentPart[];
}

/** Returns the anchor of a heading, as repository hosts such as GitHub make it. */
const buildAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

const parser = new MarkdownIt({ html: false, linkify: false });

/** Renders Markdown without blocks, such as the description of a field. */
export const renderInline = (markdown: string): string => parser.renderInline(markdown);

/** Resolves a link between documents to a url of the site; undefined if the target has no page. */
function resolve(from: string, href: string, pages: ReadonlyMap<string, string>): string | undefined {
  if (/^https:\/\//.test(href) || href.startsWith('#') || href.startsWith('/')) return href;
  if (/^[a-z]+:/i.test(href)) return undefined;
  const { pathname, hash } = new URL(href, `http://repository/${from}`);
  const page = pages.get(pathname.slice(1).replace(/\/$/, '/README.md'));
  return page === undefined ? undefined : page + hash;
}

/**
 * Renders a document as a page.
 * @param pages addresses of the pages, by path in the repository
 */
export function renderMarkdown(
  { path, markdown }: SourceDocument,
  pages: ReadonlyMap<string, string>,
): RenderedDocument {
  const tokens = parser.parse(markdown, {});
  const parts: { href: string; heading: string; text: string }[] = [];
  const own = pages.get(path) ?? '';
  for (const [at, token] of tokens.entries()) {
    const inline = tokens[at + 1];
    if (token.type === 'heading_open' && inline) {
      const heading = (inline.children ?? []).map(({ content }) => content).join('');
      const anchor = buildAnchor(heading);
      token.attrSet('id', anchor);
      parts.push({ href: `${own}#${anchor}`, heading, text: '' });
    } else if (
      (token.type === 'inline' && tokens[at - 1]?.type !== 'heading_open') ||
      token.type === 'fence'
    ) {
      const part = parts.at(-1);
      if (part) part.text += ` ${token.content.replace(/\]\([^)]*\)/g, ']').replace(/[[\]`*|]/g, '')}`;
    }
    // A wide code block scrolls, so it must be reachable with the keyboard.
    if (token.type === 'fence') token.attrSet('tabindex', '0');
    for (const child of token.children ?? []) {
      const [attribute, target] =
        child.type === 'image' ? ['src', child.attrGet('src')] : ['href', child.attrGet('href')];
      if (target === null) continue;
      const found = resolve(path, String(target), pages);
      if (found !== undefined) child.attrSet(attribute, found);
      else if (child.type === 'link_open') child.attrs = null;
    }
  }
  const [first] = parts;
  const summary = tokens.find(
    (token, at) => token.type === 'inline' && tokens[at - 1]?.type === 'paragraph_open',
  );
  const body = parser.renderer
    .render(tokens, parser.options, {})
    .replace(/<pre><code([^>]*?) tabindex="0"/g, '<pre tabindex="0"><code$1')
    .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return {
    title: first?.heading ?? path,
    summary: (summary?.children ?? [])
      .map(({ content, type }) => (type === 'softbreak' ? ' ' : content))
      .join(''),
    body,
    parts,
  };
}
