import { type Html, html } from '../../components/html.ts';
import { notice } from '../../components/marks.ts';
import { ActionFailedError } from './ask.ts';
import { focusFirst } from './focus.ts';

/** State of a form: the work in progress and the last failure. */
export interface Attempts {
  busy: string;
  failure: Html;
  /** Runs work that may fail. The form shows `what` until it ends and, if it fails, why. */
  run(what: string, work: () => Promise<void>): Promise<void>;
  status(): Html;
}

/**
 * @param show renders the form again
 * @param explain turns an error into the refusal that the form shows
 */
export function createAttempts(
  show: () => void,
  explain: (error: unknown) => ActionFailedError | Promise<ActionFailedError> = plainRefusal,
): Attempts {
  const attempts: Attempts = {
    busy: '',
    failure: '',
    async run(what, work) {
      const focused = document.activeElement;
      attempts.busy = what;
      attempts.failure = '';
      show();
      try {
        await work();
      } catch (error) {
        attempts.failure = failureNotice(await explain(error));
      }
      attempts.busy = '';
      show();
      // A button that is disabled meanwhile, or gone, loses the focus.
      if (focused !== document.body) focusFirst([focused, document.querySelector('#main')]);
    },
    status: () =>
      html`<div class="status" role="status">${attempts.busy === '' ? '' : html`<p class="muted">${attempts.busy}</p>`}</div>${attempts.failure === '' ? '' : html`<div role="alert">${attempts.failure}</div>`}`,
  };
  return attempts;
}

function plainRefusal(error: unknown): ActionFailedError {
  if (error instanceof ActionFailedError) return error;
  return new ActionFailedError(
    'It did not work',
    `${String(error).slice(0, 500)} Reload the page, and try again.`,
  );
}

export const failureNotice = ({ title, message }: ActionFailedError): Html =>
  notice('danger', title, html`<p>${message}</p>`);
