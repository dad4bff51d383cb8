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

async function show(url: string): Promise<void> {
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking;
  results()?.classList.add('updating');
  try {
    const isShown = await replaceParts(url, ['results', 'rail'], signal);
    // The server's own page says what is wrong.
    if (isShown) history.replaceState(null, '', url);
    else location.assign(url);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    if (!signal.aborted) results()?.classList.remove('updating');
  }
}

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
