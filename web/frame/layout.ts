import { displayText } from '@adaptor-marketplace/adaptor/names';
import { type Html, html, render } from '../components/html.ts';
import { icon, iconDefinitions } from '../components/icons.ts';
import { count, distance } from '../components/values.ts';
import { headScript } from './head-script.ts';
import { type Content, type PageRequest, withSearch } from './page.ts';

export interface FrameData {
  version: string;
  /** Last indexed checkpoint and its time; null before the first checkpoint. */
  indexed: { checkpoint: number; checkpointAtMs: number } | null;
  /** Longest lag of the index, in seconds, before the frame calls it late. */
  maxLagSeconds: number;
  /** Urls of scripts and styles by the name of their source. */
  assets: ReadonlyMap<string, string>;
}

const sections = [
  { id: 'catalog', name: 'Catalog', path: '/' },
  { id: 'publish', name: 'Publish', path: '/publish' },
  { id: 'wallet', name: 'Wallet', path: '/wallet' },
  { id: 'agents', name: 'Agents', path: '/agents' },
  { id: 'jobs', name: 'Jobs', path: '/jobs' },
  { id: 'docs', name: 'Docs', path: '/docs/guides' },
] as const;

/** Removes the cursors of lists from a url: those of one network are positions in its own lists. */
const noCursors = { cursor: undefined, delegates: undefined, caps: undefined };

function networkSwitch({ network, networks, path, search }: PageRequest): Html {
  if (networks.length < 2) return html`<span class="network">${network}</span>`;
  const links = networks.map((one) => {
    // An adaptor's page exists on one network only.
    const target = path.startsWith('/a/')
      ? `/?network=${one}`
      : withSearch({ path, search }, { network: one, ...noCursors });
    return html`<a href=${target} aria-current=${one === network ? 'true' : undefined}>${one}</a>`;
  });
  return html`<nav class="network" aria-label="Network">${links}</nav>`;
}

function header(request: PageRequest, section: Content['section']): Html {
  const { network, networks, node } = request;
  const own = networks.length > 1 ? `?network=${network}` : '';
  const links = sections.map(
    ({ id, name, path }) =>
      html`<a href=${id === 'docs' ? path : path + own} aria-current=${id === section ? 'page' : undefined}>${name}</a>`,
  );
  return html`<header class="site"><div class="width">
    <a class="name" href=${`/${own}`}><svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true"><path fill="currentColor" d="M3 10h12v4h2v-4h12v12H17v-4h-2v4H3z"/></svg>Adaptor marketplace</a>
    <nav aria-label="Site">${links}</nav>
    ${
      section === 'catalog' && request.path === '/'
        ? ''
        : html`<form class="find" role="search" aria-label="Adaptors" action="/" method="get"><input type="search" name="q" maxlength="200" placeholder="Search adaptors" aria-label="Search adaptors" data-focus="slash" />${networks.length > 1 ? html`<input type="hidden" name="network" value=${network} />` : ''}</form>`
    }
    ${networkSwitch(request)}
    <button type="button" class="quiet connect" id="connect" data-script data-network=${network} data-node=${node.url} data-faucet=${node.faucetUrl}>Connect</button>
    <button type="button" class="theme" aria-label="Switch between light and dark"><svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path fill="currentColor" fill-rule="evenodd" d="M8 0a8 8 0 1 1 0 16A8 8 0 0 1 8 0zm0 2v12A6 6 0 0 0 8 2z"/></svg></button>
  </div></header>`;
}

function indexState({ indexed, maxLagSeconds }: FrameData, { network, nowMs }: PageRequest): Html {
  if (!indexed) return html`<p class="danger">${icon('danger')}${network} is not indexed yet</p>`;
  const { checkpoint, checkpointAtMs } = indexed;
  const behind = (nowMs - checkpointAtMs) / 1_000;
  const state = behind <= maxLagSeconds ? 'good' : behind <= 10 * maxLagSeconds ? 'caution' : 'danger';
  const word = { good: 'indexed', caution: 'indexed, but late', danger: 'index is far behind' }[state];
  return html`<p class=${state}>${icon(state)}${network} ${word}: checkpoint ${count(checkpoint)}, <time datetime=${new Date(checkpointAtMs).toISOString()}>${distance(checkpointAtMs, nowMs)}</time></p>`;
}

function footer(data: FrameData, request: PageRequest): Html {
  return html`<footer class="site"><div class="width">
    <div id="index-state">${indexState(data, request)}</div>
    <nav aria-label="For programs">
      <a href="/docs">API reference</a><a href="/api/adaptors/openapi.json">OpenAPI</a><a href="/graphql">GraphQL</a><a href="/sql">SQL</a><a href="/llms.txt">llms.txt</a><a href="/llms-full.txt">llms-full.txt</a><a href="/.well-known/api-catalog">API catalog</a><a href="/sitemap.xml">Sitemap</a><a href="/errors">Errors</a><a href="/webhooks">Webhooks</a><a href="/status">Status</a><a href="/operator">Operator</a>
    </nav>
    <p class="muted">Version ${data.version}. Listings are written by their publishers, who are strangers: read what an adaptor may do before you grant it anything.</p>
  </div></footer>`;
}

const localNote = html`<aside class="local" aria-label="This network"><p class="width">${icon('neutral')}Local network: its coins are worth nothing, and its wallets are toys. Nothing here is public.</p></aside>`;

/** Meta tags of the picture that other sites show with a link to the page. */
const pictureTags = (picture: string): Html =>
  html`<meta property="og:image" content=${picture} /><meta property="og:image:type" content="image/png" /><meta property="og:image:width" content="1200" /><meta property="og:image:height" content="630" /><meta name="twitter:card" content="summary_large_image" />`;

export function renderDocument(content: Content, request: PageRequest, data: FrameData): string {
  const { picture, feed, main, islands = [], worker, section, styles = [], scripts = [] } = content;
  // Title and description may quote strangers.
  const title = displayText(content.title);
  const description = content.description === undefined ? undefined : displayText(content.description);
  const asset = (name: string) => data.assets.get(name) ?? '';
  const modules = ['frame', ...islands].map(
    (name) => html`<script type="module" src=${asset(`${name}.ts`)}></script>`,
  );
  const full = title === 'Adaptor marketplace' ? title : `${title} · Adaptor marketplace`;
  const head = html`<meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${full}</title>
    ${description === undefined ? '' : html`<meta name="description" content=${description} />`}
    <meta property="og:title" content=${title} />
    <meta property="og:type" content="website" />
    ${description === undefined ? '' : html`<meta property="og:description" content=${description} />`}
    ${picture === undefined ? '' : pictureTags(picture)}
    <link rel="search" type="application/opensearchdescription+xml" title="Adaptors" href="/opensearch.xml" />
    <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
    ${feed === undefined ? '' : html`<link rel="alternate" type="application/atom+xml" href=${feed} />`}
    ${styles.map((href) => html`<link rel="stylesheet" href=${href} />`)}
    <link rel="stylesheet" href=${asset('site.css')} />
    <script dangerouslySetInnerHTML=${{ __html: headScript }}></script>
    ${worker === undefined ? '' : html`<meta name="worker" content=${asset(`${worker}.ts`)} />`}
    ${modules}`;
  const body = html`<a class="skip" href="#main">Skip to the content</a>
    ${iconDefinitions}
    ${header(request, section)}
    ${request.node.faucetUrl === undefined ? '' : localNote}
    <main id="main" class="width" tabindex="-1">${main}</main>
    ${footer(data, request)}
    <div id="toast" role="status" aria-live="polite"></div>
    ${scripts.map((src) => html`<script src=${src}></script>`)}`;
  return `<!doctype html>\n<html lang="en"><head>${render(head)}</head><body>${render(body)}</body></html>\n`;
}
