import { render } from 'preact';
import { html } from '../components/html.ts';
import { notice } from '../components/marks.ts';
import { follow, replaceParts } from './live/parts.ts';
import { orderSearches } from './live/searches.ts';

/** Searches while the reader types, and replaces the results without a reload. The url has the search in its query. */

const form = document.querySelector<HTMLFormElement>('form.search');
const findResults = () => document.querySelector('#results');
const typingMs = 150;
let typing: ReturnType<typeof setTimeout> | undefined;
const searches = orderSearches();

function buildUrl(search: HTMLFormElement): string {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(search)) {
    if (typeof value === 'string' && value !== '') query.append(name, value);
  }
  const text = query.toString();
  return text === '' ? '/' : `/?${text}`;
}

function showState(state: unknown): void {
  const container = document.querySelector<HTMLElement>('#search-state');
  if (container) render(state as never, container);
}

/** Time after which a search that has no response yet shows that it runs. */
const noticeDelayMs = 300;
/** Url of the latest search if it failed. The page still shows the results of an earlier search. */
let failedUrl: string | undefined;

const show = (url: string): Promise<void> => searches.search((signal) => showSearch(url, signal));

async function showSearch(url: string, signal: AbortSignal): Promise<void> {
  failedUrl = undefined;
  findResults()?.classList.add('updating');
  const waiting = setTimeout(() => showState(html`<p class="muted">Searching…</p>`), noticeDelayMs);
  try {
    const isShown = await replaceParts(url, ['results', 'rail'], signal);
    // The page that the server returns for an invalid search says what is wrong.
    if (!isShown) return location.assign(url);
    history.replaceState(null, '', url);
    findResults()?.classList.remove('updating', 'outdated');
    showState('');
  } catch {
    if (signal.aborted) return;
    failedUrl = url;
    findResults()?.classList.replace('updating', 'outdated');
    showState(failedNotice);
  } finally {
    clearTimeout(waiting);
  }
}

const failedNotice = notice(
  'caution',
  'This search has no answer yet',
  html`<p>The site does not answer: what you see below is an earlier search. Check that you are online.</p>
    <p class="actions"><button type="button" class="quiet" onClick=${retry}>Try again</button></p>`,
);

function retry(): void {
  if (failedUrl !== undefined) show(failedUrl);
}
addEventListener('online', retry);

form?.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(() => show(buildUrl(form)), typingMs);
});
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  clearTimeout(typing);
  show(buildUrl(form));
});

const chain = document.querySelector<HTMLElement>('[data-live]')?.dataset.chain;
if (chain) {
  follow('subscription ($chain: Chain) { adaptorChanged(chain: $chain) { cursor } }', { chain }, () => {
    searches
      .refresh((signal) => replaceParts(location.href, ['results', 'index-state'], signal))
      .catch(() => undefined);
  });
}
