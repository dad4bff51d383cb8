import { distance, shortened } from '../components/values.ts';
import { store } from './api/storage.ts';
import { recall } from './signing/remembered.ts';

/** Script of every page: colour mode, copy buttons, relative times, and the key that focuses the search. */

const root = document.documentElement;

document.querySelector('.theme')?.addEventListener('click', () => {
  const isDark =
    root.dataset.theme === 'dark' ||
    (!root.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = isDark ? 'light' : 'dark';
  store('theme', root.dataset.theme);
  document.dispatchEvent(new Event('theme'));
});

const toast = document.querySelector('#toast');
let hiding: ReturnType<typeof setTimeout> | undefined;

function say(text: string): void {
  if (!toast) return;
  clearTimeout(hiding);
  toast.textContent = text;
  toast.classList.add('shown');
  hiding = setTimeout(() => toast.classList.remove('shown'), 2_500);
}

document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-copy]') : null;
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? '');
    say('Copied');
  } catch {
    say('This browser does not allow copying here. Select the text instead.');
  }
});

// Pages have buttons that stand for the one in the header.
document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('[data-connect]')) connectButton?.click();
});

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]'))
    return;
  const field = document.querySelector<HTMLInputElement>('[data-focus="slash"]');
  if (!field) return;
  event.preventDefault();
  field.focus();
});

setInterval(() => {
  for (const shown of document.querySelectorAll('time')) {
    const text = distance(Date.parse(shown.dateTime), Date.now());
    if (shown.textContent !== text) shown.textContent = text;
  }
}, 30_000);

/** The wallet code is loaded when the reader connects, and on pages that use a wallet. */
const connectButton = document.querySelector<HTMLButtonElement>('#connect');

function showAddress(): void {
  const address = recall();
  if (!connectButton) return;
  connectButton.textContent = address === undefined ? 'Connect' : shortened(address);
  connectButton.title = address ?? '';
}
showAddress();
document.addEventListener('wallet', showAddress);
connectButton?.addEventListener('click', async () => {
  connectButton.disabled = true;
  try {
    const { showWallets } = await import('./signing/connect-dialog.ts');
    connectButton.disabled = false;
    await showWallets();
  } catch {
    connectButton.disabled = false;
    say('The code of wallets could not be loaded. Reload the page.');
  }
});
