import { recall } from './signing/remembered.ts';

/** The page of a wallet: its code is loaded for those who connect. */

const load = () => import('./wallet/page.ts');

if (recall() !== undefined) load();
document.addEventListener('wallet', load, { once: true });
document.querySelector('[data-connect]')?.addEventListener('click', () => {
  document.querySelector<HTMLElement>('#connect')?.click();
});
