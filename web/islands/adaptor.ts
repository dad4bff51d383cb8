import { say } from './api/toast.ts';
import { follow, replaceParts } from './live/parts.ts';

/** The page of an adaptor: it changes without reload, and its manifest can be verified here. */

const live = document.querySelector<HTMLElement>('[data-live="adaptor"]')?.dataset;
if (live) {
  const { chain, service, publisher } = live;
  const query = `subscription ($chain: Chain, $service: String, $publisher: String) {
    adaptorChanged(chain: $chain, serviceType: $service, publisher: $publisher, includeUnverified: true) { cursor }
  }`;
  follow(query, { chain, service, publisher }, () => {
    replaceParts(location.href, [
      'warnings',
      'offer',
      'use',
      'reviews',
      'versions',
      'events',
      'facts',
      'index-state',
    ]).catch(() => undefined);
  });
}

async function verify(url: string, registered: string): Promise<[word: string, state: string]> {
  const answer = await fetch(url, { headers: { accept: 'application/json' } });
  if (!answer.ok) return [`The manifest cannot be read: HTTP status ${answer.status}.`, 'caution'];
  const { adaptor } = await answer.json();
  const { hashManifest } = await import('./manifest-hash.ts');
  const hash = hashManifest(adaptor.manifest);
  if (hash === registered) return ['This browser computed the same hash from the manifest.', 'good'];
  return [`This browser computed another hash: ${hash}. Do not trust this page.`, 'danger'];
}

/** Follows a link that changes one part of the page, without a page load. */
document.addEventListener('click', async (event) => {
  const { target, ctrlKey, metaKey, shiftKey } = event;
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[data-part]') : null;
  if (!link || ctrlKey || metaKey || shiftKey) return;
  event.preventDefault();
  const { href, dataset, textContent } = link;
  const { part = '' } = dataset;
  // `replaceParts` does not replace a part that has the focus.
  link.blur();
  const isShown = await replaceParts(href, [part]).catch(() => undefined);
  if (isShown === undefined) return say('This site does not answer. Look whether you are online.');
  if (!isShown) return location.assign(href);
  history.replaceState(null, '', href);
  const links = [...document.querySelectorAll<HTMLElement>(`a[data-part="${part}"]`)];
  links.find((one) => one.textContent === textContent)?.focus();
});

document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>('[data-verify]') : null;
  const out = document.querySelector('#verified');
  if (!button || !out) return;
  button.disabled = true;
  const { verify: url = '', hash = '' } = button.dataset;
  const [word, state] = await verify(url, hash).catch(
    () => ['The marketplace cannot be reached.', 'caution'] as const,
  );
  out.textContent = word;
  out.className = state;
  button.disabled = false;
});
