import { render } from 'preact';
import { html } from '../components/html.ts';
import { notice } from '../components/marks.ts';
import { follow, replaceParts } from './live/parts.ts';

/** Searches while the reader types, and updates the catalog without a reload. The url holds the state. */

const form = document.querySelector<HTMLFormElement>('form.search');
const results = () => document.querySelector('#results');
const typingMs = 150;
let typing: ReturnType<typeof setTimeout> | undefined;
let asking: AbortController | undefined;

function buildUrl(of: HTMLFormElement): string {
  const search = new URLSearchParams();
  for (const [name, value] of new FormData(of)) {
    if (typeof value === 'string' && value !== '') search.append(name, value);
  }
  const text = search.toString();
  return text === '' ? '/' : `/?${text}`;
}

/** Shows beside the results how the search goes. */
function tell(state: unknown): void {
  const place = document.querySelector<HTMLElement>('#search-state');
  if (place) render(state as never, place);
}

/** Time after which a reader wonders if anything happens. */
const silentMs = 300;
/** Search that the site did not answer. Its results are still those of an earlier one. */
let unanswered: string | undefined;

async function show(url: string): Promise<void> {
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking;
  unanswered = undefined;
  results()?.classList.add('updating');
  const waiting = setTimeout(() => tell(html`<p class="muted">Searching…</p>`), silentMs);
  try {
    const isShown = await replaceParts(url, ['results', 'rail'], signal);
    // The server's own page says what is wrong.
    if (!isShown) return location.assign(url);
    history.replaceState(null, '', url);
    results()?.classList.remove('updating', 'outdated');
    tell('');
  } catch {
    if (signal.aborted) return;
    unanswered = url;
    results()?.classList.replace('updating', 'outdated');
    tell(noAnswer);
  } finally {
    clearTimeout(waiting);
  }
}

const noAnswer = notice(
  'caution',
  'This search has no answer yet',
  html`<p>The site does not answer: what you see below is an earlier search. Look whether you are online.</p>
    <p class="actions"><button type="button" class="quiet" onClick=${showUnanswered}>Try again</button></p>`,
);

function showUnanswered(): void {
  if (unanswered !== undefined) show(unanswered);
}
addEventListener('online', showUnanswered);

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
    replaceParts(location.href, ['results', 'index-state']).catch(() => undefined);
  });
}
