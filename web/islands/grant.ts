import { recall } from './signing/remembered.ts';

/** Trial and grant of an adaptor. The code is loaded only for readers that connect a wallet. */

const load = () => import('./grant/form.ts');

if (recall() !== undefined) load();
document.addEventListener('wallet', load, { once: true });
document.querySelector('[data-connect]')?.addEventListener('click', () => {
  document.querySelector<HTMLElement>('#connect')?.click();
});
