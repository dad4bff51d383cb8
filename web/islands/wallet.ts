import { recall } from './signing/remembered.ts';

/** The page of a wallet. The wallet code is loaded only for readers that connect a wallet. */

const load = () => import('./wallet/page.ts');

if (recall() !== undefined) load();
document.addEventListener('wallet', load, { once: true });
document.querySelector('[data-connect]')?.addEventListener('click', () => {
  document.querySelector<HTMLElement>('#connect')?.click();
});
