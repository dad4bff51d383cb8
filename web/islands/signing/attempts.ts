import { type Html, html } from '../../components/html.ts';
import { chainIds } from './chain.ts';
import { failureNotice, refusalOf } from './failure.ts';

/** What a form is doing now, and what failed last. */
export interface Attempts {
  busy: string;
  failure: Html;
  /** Does something that may fail. The form shows what it is in words, and then why it failed. */
  attempt(what: string, work: () => Promise<void>): Promise<void>;
  /** Both, as the form shows them. */
  status(): Html;
}

/** @param show renders the form again */
export function attemptsOf(show: () => void): Attempts {
  const attempts: Attempts = {
    ...{ busy: '', failure: '' },
    async attempt(what, work) {
      attempts.busy = what;
      attempts.failure = '';
      show();
      try {
        await work();
      } catch (error) {
        attempts.failure = failureNotice(refusalOf(error, await chainIds().catch(() => undefined)));
      }
      attempts.busy = '';
      show();
    },
    status: () =>
      html`<div class="status" role="status">${attempts.busy === '' ? '' : html`<p class="muted">${attempts.busy}</p>`}</div>${attempts.failure}`,
  };
  return attempts;
}
