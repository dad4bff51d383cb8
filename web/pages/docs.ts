import { type Html, html, raw } from '../components/html.ts';
import { empty } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import type { Content } from '../frame/page.ts';
import type { RenderedDocument } from '../words/markdown.ts';
import { type SearchHit, searchDocuments } from '../words/search.ts';

/** A document with the address of its page. */
export interface DocumentAt extends RenderedDocument {
  href: string;
}

/** Order of the documents, by reader. Documents that are not listed come last. */
const groups: readonly { title: string; names: readonly string[] }[] = [
  { title: 'Start', names: ['project', 'build-an-adaptor', 'publishing', 'localnet'] },
  {
    title: 'Build a client',
    names: [
      ...['sdk', 'cli', 'api', 'graphql', 'live', 'webhooks', 'agents', 'agent-run', 'mcp'],
      ...['limits-and-keys', 'errors', 'compatibility'],
    ],
  },
  {
    title: 'Contracts',
    names: ['registry', 'wallet', 'rules', 'agents', 'escrow', 'adaptors', 'protocols'].map(
      (name) => `contracts/${name}`,
    ),
  },
  { title: 'Analyse', names: ['analytics', 'tables'] },
  { title: 'Operate', names: ['operations', 'settings', 'ranking', 'security', 'performance', 'benchmarks'] },
  {
    title: 'Work on the code',
    names: ['contributing', 'architecture', 'style', 'decisions', 'changelog', 'report-a-vulnerability'],
  },
];
/** Name of a document in `groups`. */
const parseName = (href: string) => (href === '/docs' ? 'api' : href.slice('/docs/'.length));

function grouped(documents: readonly DocumentAt[]): { title: string; documents: DocumentAt[] }[] {
  const own = documents.filter(({ href }) => !/^\/docs\/(decisions\/|guides$)/.test(href));
  const known = groups.map(({ title, names }) => ({
    title,
    documents: names.flatMap((name) => own.find(({ href }) => parseName(href) === name) ?? []),
  }));
  const rest = own.filter((one) => !known.some((group) => group.documents.includes(one)));
  return rest.length === 0 ? known : [...known, { title: 'More', documents: rest }];
}

const searchForm = (q: string): Html =>
  html`<form class="search" role="search" aria-label="Documents" action="/docs/guides" method="get">
    <label class="unseen" for="docs-q">Search the documents</label>
    <input type="search" id="docs-q" name="q" value=${q} maxlength="200" placeholder="Search the documents" />
    <button type="submit">Search</button>
  </form>`;

/** Renders the list of all documents next to the current one. */
function navigation(documents: readonly DocumentAt[], current: string): Html {
  const link = ({ href, title }: DocumentAt) =>
    html`<a href=${href} aria-current=${href === current ? 'page' : undefined}>${title}</a>`;
  return html`<nav aria-label="Documents">
    <a href="/docs/guides" aria-current=${current === '/docs/guides' ? 'page' : undefined}>All documents</a>
    <a href="/graphql">GraphQL explorer</a><a href="/graphql/schema">GraphQL schema</a><a href="/errors">Error codes</a>
    ${grouped(documents).map((group) => html`<h2>${group.title}</h2>${group.documents.map(link)}`)}
  </nav>`;
}

export const documentPage = (document: DocumentAt, documents: readonly DocumentAt[]): Content => ({
  title: document.title,
  description: document.summary.slice(0, 300),
  section: 'docs',
  main: html`<div class="docs">
    <article class="text">${raw(document.body)}</article>
    <div class="beside">${navigation(documents, document.href)}</div>
  </div>`,
});

const hitItem = ({ href, title, heading, excerpt }: SearchHit): Html =>
  html`<li><a href=${href}>${heading === title ? title : `${title}: ${heading}`}</a><p class="muted">${excerpt}</p></li>`;

/** The page of all documents or, with a search, of the matching parts. */
export function guidesPage(documents: readonly DocumentAt[], q: string): Content {
  const { hits, corrected } = searchDocuments(documents, q);
  const list = grouped(documents).map(
    (group) => html`<section class="part"><h2 class="gap">${group.title}</h2><ul class="hits">
      ${group.documents.map(({ href, title, summary }) => html`<li><a href=${href}>${title}</a><p class="muted">${summary}</p></li>`)}
    </ul></section>`,
  );
  const found =
    hits.length === 0
      ? empty('No document has all these words', html`<p><a href="/docs/guides">See all documents</a></p>`)
      : html`${corrected === undefined ? '' : html`<p>No document has “${plain(q)}”. These have “${corrected}”.</p>`}<ul class="hits">${hits.map(hitItem)}</ul>`;
  return {
    title: q === '' ? 'Documents' : `${q}: documents`,
    description: 'Guides for wallet apps, publishers, operators, analysts and agents.',
    section: 'docs',
    main: html`<div class="docs">
      <div><h1>Documents</h1>${searchForm(q)}${q === '' ? list : found}</div>
      <div class="beside">${navigation(documents, '/docs/guides')}</div>
    </div>`,
  };
}
