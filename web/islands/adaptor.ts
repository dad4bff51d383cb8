import type { State } from '../components/marks.ts';
import { describeVerification } from '../words/verified.ts';
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

async function verify(url: string, shown: string): Promise<[words: string, state: State]> {
  const answer = await fetch(url, { headers: { accept: 'application/json' } });
  if (!answer.ok) return [`The manifest cannot be read: HTTP status ${answer.status}.`, 'caution'];
  const { adaptor } = await answer.json();
  if (!adaptor) return ['The marketplace no longer has the manifest. Reload the page.', 'caution'];
  const { hashManifest } = await import('./manifest-hash.ts');
  const { manifest, manifestHash: current } = adaptor;
  return describeVerification({ shown, computed: hashManifest(manifest), current });
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
