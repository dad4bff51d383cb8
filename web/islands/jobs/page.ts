import type { JobAct } from '../../words/job.ts';
import { say } from '../api/toast.ts';
import { replaceParts } from '../live/parts.ts';
import { getAccount, waitForConnection } from '../signing/connection.ts';
import { actOnJob } from './actions.ts';

/** Shows the actions on a job that the connected wallet may take. */

const findJob = () => document.querySelector<HTMLElement>('#job');

function showOwnSteps(): void {
  const address = getAccount()?.address;
  for (const button of document.querySelectorAll<HTMLElement>('#job [data-act]')) {
    const { by } = button.dataset;
    button.hidden = address === undefined || (by !== '' && by !== address);
  }
  const hint = document.querySelector<HTMLElement>('[data-connect-hint]');
  if (hint) hint.hidden = address !== undefined;
}

document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>('#job [data-act]') : null;
  const { job: jobId, status } = findJob()?.dataset ?? {};
  if (!button || jobId === undefined || status === undefined) return;
  if (!(await actOnJob(button.dataset.act as JobAct, jobId, status))) return;
  // The button loses the focus, because `replaceParts` leaves out a part that has it.
  document.querySelector<HTMLElement>('#main')?.focus();
  const isShown = await replaceParts(location.href, ['job', 'index-state']).catch(() => false);
  if (!isShown) say('This site does not answer. Reload the page to see the job as it is now.');
  showOwnSteps();
});
document.addEventListener('wallet', showOwnSteps);
document.addEventListener('replaced', showOwnSteps);
await waitForConnection();
showOwnSteps();
