import { recall } from './signing/remembered.ts';

/** The form that hires an agent. The code is loaded only for readers that connect a wallet. */

const load = () => import('./jobs/hire-form.ts');

if (recall() !== undefined) load();
document.addEventListener('wallet', load, { once: true });
document.querySelector('[data-connect]')?.addEventListener('click', () => {
  document.querySelector<HTMLElement>('#connect')?.click();
});
