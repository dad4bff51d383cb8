import { follow, replaceParts } from './live/parts.ts';
import { recall } from './signing/remembered.ts';

/** Lists and pages of jobs change without reload. The code of wallets is loaded for those who connect. */

const deadlinePauseMs = 1_000;

const live = document.querySelector<HTMLElement>('[data-live]')?.dataset;
if (live) {
  const { chain, job: jobId } = live;
  const query =
    'subscription ($chain: Chain, $jobId: String) { jobChanged(chain: $chain, jobId: $jobId) { cursor } }';
  const parts = [jobId === undefined ? 'results' : 'job', 'index-state'];
  const refresh = async () => {
    const isShown = await replaceParts(location.href, parts).catch(() => false);
    if (isShown) document.dispatchEvent(new Event('replaced'));
  };
  follow(query, { chain, jobId }, refresh);
  // At its deadline other things can happen to a job, and the chain says nothing then.
  setInterval(() => {
    const { due } = document.querySelector<HTMLElement>('#job')?.dataset ?? {};
    if (due !== undefined && Date.now() > Number(due)) refresh();
  }, deadlinePauseMs);
  if (jobId !== undefined) {
    const load = () => import('./jobs/page.ts');
    if (recall() !== undefined) load();
    document.addEventListener('wallet', load, { once: true });
  }
}
document.addEventListener('click', ({ target }) => {
  if (!(target instanceof Element) || !target.closest('[data-connect]')) return;
  document.querySelector<HTMLElement>('#connect')?.click();
});
