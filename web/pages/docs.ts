import { type Html, html, raw } from '../components/html.ts';
import { empty } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import type { Content } from '../frame/page.ts';
import { hostMark, type RenderedDocument } from '../words/markdown.ts';
import type { DocumentSearch, SearchHit } from '../words/search.ts';

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
      'sdk',
      'cli',
      'api',
      'graphql',
      'live',
      'webhooks',
      'agents',
      'agent-run',
      'mcp',
      'explain',
      'limits-and-keys',
      'errors',
      'compatibility',
    ],
  },
  {
    title: 'Contracts',
    names: ['registry', 'wallet', 'rules', 'agents', 'escrow', 'adaptors', 'protocols'].map(
      (name) => `contracts/${name}`,
    ),
  },
  { title: 'Analyse', names: ['analytics', 'tables', 'parquet'] },
  {
    title: 'Operate',
    names: [
      'operations',
      'kubernetes',
      'moderation',
      'public-networks',
      'monitoring',
      'operate-the-agent',
      'rotate-secrets',
      'rebuild',
      'settings',
      'ranking',
      'security',
      'incidents',
      'reliability',
      'performance',
      'scaling',
      'citus',
      'benchmarks',
    ],
  },
  {
    title: 'Work on the code',
    names: [
      'contributing',
      'architecture',
      'catalog',
      'certificates',
      'source-verification',
      'style',
      'releasing',
      'decisions',
      'changelog',
      'report-a-vulnerability',
    ],
  },
];
/** Name of a document in `groups`. */
const parseName = (href: string) => (href === '/docs' ? 'api' : href.slice('/docs/'.length));

function groupDocuments(documents: readonly DocumentAt[]): { title: string; documents: DocumentAt[] }[] {
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
    ${groupDocuments(documents).map((group) => html`<h2>${group.title}</h2>${group.documents.map(link)}`)}
  </nav>`;
}

/** Maximum number of headings of the contents that show at once. Longer contents open on a click. */
const openMax = 12;

/** Renders the links to the parts of a document. A document of one part has none. */
function contents({ parts }: DocumentAt): Html {
  const listed = parts.filter(({ level }) => level === 2);
  if (listed.length < 2) return '';
  return html`<details class="contents" open=${listed.length <= openMax}>
    <summary>On this page</summary>
    <ul>${listed.map(({ href, heading }) => html`<li><a href=${href.slice(href.indexOf('#'))}>${heading}</a></li>`)}</ul>
  </details>`;
}

/** Renders the links to the documents before and after one, in the order of the navigation. */
function neighbors(document: DocumentAt, documents: readonly DocumentAt[]): Html {
  const all = groupDocuments(documents).flatMap((group) => group.documents);
  const at = all.findIndex(({ href }) => href === document.href);
  if (at < 0) return '';
  const link = (one: DocumentAt | undefined, rel: string, word: string) =>
    one && html`<a href=${one.href} rel=${rel}><span class="muted">${word}</span>${one.title}</a>`;
  return html`<nav class="neighbors" aria-label="Neighbors">${link(all[at - 1], 'prev', 'Previous')}${link(all[at + 1], 'next', 'Next')}</nav>`;
}

/** Address in examples of a request that names no valid host. */
const exampleOrigin = 'https://marketplace.example';

/** @param origin scheme and host of the site, which stand for `{base_url}` */
export function documentPage(
  document: DocumentAt,
  documents: readonly DocumentAt[],
  origin: string,
): Content {
  const body = document.renderBody().replaceAll(hostMark, origin || exampleOrigin);
  const end = body.indexOf('</h1>') + '</h1>'.length;
  return {
    title: document.title,
    description: document.summary.slice(0, 300),
    section: 'docs',
    main: html`<div class="docs">
      <article class="text">${raw(body.slice(0, end))}${contents(document)}${raw(body.slice(end))}${neighbors(document, documents)}</article>
      <div class="beside">${navigation(documents, document.href)}</div>
    </div>`,
  };
}

const hitItem = ({ href, title, heading, excerpt }: SearchHit): Html =>
  html`<li><a href=${href}>${heading === title ? title : `${title}: ${heading}`}</a><p class="muted">${excerpt}</p></li>`;

/** The page of all documents or, with a search, of the matching parts. */
export function guidesPage(documents: readonly DocumentAt[], search: DocumentSearch, q: string): Content {
  const { hits, areSimilar } = search(q);
  const list = groupDocuments(documents).map(
    (group) => html`<section class="part"><h2 class="gap">${group.title}</h2><ul class="hits">
      ${group.documents.map(({ href, title, summary }) => html`<li><a href=${href}>${title}</a><p class="muted">${summary}</p></li>`)}
    </ul></section>`,
  );
  const found =
    hits.length === 0
      ? empty('No document has all these words', html`<p><a href="/docs/guides">See all documents</a></p>`)
      : html`${areSimilar ? html`<p>No document has “${plain(q)}”. These have similar words.</p>` : ''}<ul class="hits">${hits.map(hitItem)}</ul>`;
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
