import { recall } from './signing/remembered.ts';

/** Only their owner sees runs. The code is loaded only for readers that connect a wallet. */

const load = () => (document.querySelector('#run') ? import('./runs/watch.ts') : import('./runs/list.ts'));

if (recall() !== undefined) load();
document.addEventListener('wallet', load, { once: true });
document.querySelector('[data-connect]')?.addEventListener('click', () => {
  document.querySelector<HTMLElement>('#connect')?.click();
});
