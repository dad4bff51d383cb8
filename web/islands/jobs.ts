import { follow, replaceParts } from './live/parts.ts';
import { loadWhenConnected } from './signing/remembered.ts';

/** Updates job pages without a reload. The wallet code is loaded only for readers that connect a wallet. */

const deadlineCheckMs = 1_000;
/** Pause between reads of a page while the deadline has passed by the browser's clock, but not yet by the server's. */
const repeatPauseMs = 10_000;

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
  // The next steps of a job change at its deadline, and the chain emits no event for that.
  let lastReadMs = 0;
  setInterval(() => {
    const { due } = document.querySelector<HTMLElement>('#job')?.dataset ?? {};
    const nowMs = Date.now();
    if (due === undefined || nowMs <= Number(due) || nowMs < lastReadMs + repeatPauseMs) return;
    lastReadMs = nowMs;
    refresh();
  }, deadlineCheckMs);
  if (jobId !== undefined) loadWhenConnected(() => import('./jobs/page.ts'));
}
