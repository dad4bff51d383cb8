import { render } from 'preact';
import { html, notice } from '../components/index.ts';
import { askApi } from './api/ask.ts';
import { createAttempts } from './api/attempts.ts';
import { onSubmit } from './api/form.ts';

/** The form by which a reader reports a listing to the operator. */

const form = document.querySelector<HTMLFormElement>('#report');
const button = form?.querySelector('button');
const state = form?.querySelector('#report-state');
let isSent = false;

function show(): void {
  if (button) button.disabled = attempts.busy !== '' || isSent;
  const sent = notice('good', 'Reported', html`<p>The operator will read it.</p>`);
  if (state) render((isSent ? sent : attempts.status()) as never, state);
}

const attempts = createAttempts(show);

form?.addEventListener(
  'submit',
  onSubmit(({ dataset: { network, service: serviceType, publisher } }) => {
    const entered = new FormData(form);
    const [category, words] = [entered.get('category'), entered.get('words')];
    attempts.run('Sending…', async () => {
      await askApi('/api/adaptors/reports', { network, serviceType, publisher, category, words });
      isSent = true;
    });
  }),
);
// A submission before this script is loaded would leave the page.
show();
