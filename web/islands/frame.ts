import { distance, shortened } from '../components/values.ts';
import { loadingWallets } from '../frame/head-script.ts';
import { loadPart } from './api/load-part.ts';
import { store } from './api/storage.ts';
import { keepSaying, say } from './api/toast.ts';
import { listenToForgetting, recall } from './signing/remembered.ts';
import { isWatching } from './watch/watched.ts';

/** Script of every page: colour mode, copy buttons, relative times, the key that focuses the search, and the connection. */

const root = document.documentElement;

document.querySelector('.theme')?.addEventListener('click', () => {
  const isDark =
    root.dataset.theme === 'dark' ||
    (!root.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = isDark ? 'light' : 'dark';
  store('theme', root.dataset.theme);
  document.dispatchEvent(new Event('theme'));
});

document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-copy]') : null;
  if (!button) return;
  // A button without a text copies the code beside it.
  const code = button.parentElement?.querySelector('code');
  const text = button.dataset.copy || code?.title || code?.textContent;
  try {
    await navigator.clipboard.writeText(text ?? '');
    say('Copied');
  } catch {
    say('This browser does not allow copying here. Select the text instead.');
  }
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
listenToForgetting(showAddress);

let isOpening = false;

/** Opens the dialog of wallets. The button stays enabled: a disabled one would lose the focus. */
async function openWallets(): Promise<void> {
  if (isOpening) return;
  isOpening = true;
  connectButton?.setAttribute('aria-busy', 'true');
  const dialog = await loadPart(loadingWallets, () => import('./signing/connect-dialog.ts'));
  connectButton?.removeAttribute('aria-busy');
  isOpening = false;
  await dialog?.showWallets();
}
// Pages have buttons that stand for the one in the header.
document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('#connect, [data-connect]')) openWallets();
});
if (isWatching()) import('./watch/notify.ts').then(({ notifyOfWatched }) => notifyOfWatched());
root.dataset.ready = '';
// The reader clicked before this script was loaded.
if (root.dataset.asked === 'connect') openWallets();

let stopSayingOffline = () => {};
function sayOffline(): void {
  stopSayingOffline();
  if (!navigator.onLine) stopSayingOffline = keepSaying('You are offline. What you see may be old.');
}
addEventListener('offline', sayOffline);
addEventListener('online', sayOffline);
sayOffline();
