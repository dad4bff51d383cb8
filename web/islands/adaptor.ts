import { followPartLinks } from './live/part-links.ts';
import { follow, replaceParts } from './live/parts.ts';

/** Script of the page of an adaptor: it updates the page without reload, and verifies the manifest in the browser. */

const live = document.querySelector<HTMLElement>('[data-live="adaptor"]')?.dataset;
if (live) {
  const { chain, service, publisher } = live;
  const query = `subscription ($chain: Chain, $service: String, $publisher: String) {
    adaptorChanged(chain: $chain, serviceType: $service, publisher: $publisher, includeUnverified: true) { cursor }
  }`;
  follow(query, { chain, service, publisher }, () => {
    replaceParts(location.href, [
      'since',
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

followPartLinks();

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
