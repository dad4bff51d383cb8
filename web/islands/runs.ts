import { recall } from './signing/remembered.ts';

/** Runs are shown to their owners: the code is loaded for those who connect. */

const load = () => (document.querySelector('#run') ? import('./runs/watch.ts') : import('./runs/list.ts'));

if (recall() !== undefined) load();
document.addEventListener('wallet', load, { once: true });
document.querySelector('[data-connect]')?.addEventListener('click', () => {
  document.querySelector<HTMLElement>('#connect')?.click();
});
