import { recall } from './signing/remembered.ts';

/** Trying and granting: the code is loaded for those who connect. */

const load = () => import('./grant/form.ts');

if (recall() !== undefined) load();
document.addEventListener('wallet', load, { once: true });
document.querySelector('[data-connect]')?.addEventListener('click', () => {
  document.querySelector<HTMLElement>('#connect')?.click();
});
