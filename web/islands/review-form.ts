import { attest } from '@adaptor-marketplace/adaptor/transactions';
import type { StoredReviewText } from '@adaptor-marketplace/sdk';
import { render } from 'preact';
import { adaptorPath, type Html, html, plain } from '../components/index.ts';
import { getInputValue, onSubmit } from './api/form.ts';
import {
  ActionFailedError,
  allowOneAtATime,
  askApi,
  createSigningAttempts,
  getAccount,
  sign,
  siteNetwork,
  waitForConnection,
} from './signing/index.ts';

/** The form of a review: a score, and a text that the marketplace stores on Walrus. */

const container = document.querySelector<HTMLElement>('#review')!;
const { service = '', name = '' } = container.dataset;
const scores = [5, 4, 3, 2, 1];
/** Longest text that the marketplace stores, in bytes. */
const textBytesMax = 4_096;

const entered = { score: '', text: '' };
let isSigned = false;
const attempts = createSigningAttempts(show);

/** @throws ActionFailedError for input that the marketplace or the contract refuses */
function readEntered() {
  const { length } = new TextEncoder().encode(entered.text.trim());
  if (entered.score === '') throw new ActionFailedError('No score chosen', 'Choose a score from 1 to 5.');
  if (length > textBytesMax)
    throw new ActionFailedError(
      'The text is too long',
      `It has ${length} bytes. At most ${textBytesMax} are allowed.`,
    );
  return { score: Number(entered.score), text: entered.text.trim() };
}

async function storeText(text: string): Promise<string> {
  const body = { network: siteNetwork, text };
  return (await askApi<StoredReviewText>('/api/adaptors/review-texts', body)).commentUri;
}

const review = allowOneAtATime(() =>
  attempts.run('', async () => {
    const signer = getAccount()!.address;
    const { score, text } = readEntered();
    let commentUri: string | undefined;
    const executed = await sign({
      title: `Review ${name}`,
      signer,
      consequence: html`<p><strong>${score} of 5 for ${plain(name)}</strong>, by your address, for everyone to read. It pays only the gas.</p>
        ${text === '' ? '' : html`<p>The text is stored on Walrus, and the review names it.</p>`}`,
      append: async (tx, { registry }) => {
        commentUri ??= text === '' ? '' : await storeText(text);
        attest(tx, registry, { serviceType: service, score, commentUri });
      },
      after: html`<p>Your review is on chain. The page of the adaptor shows it in a moment.</p>`,
    });
    isSigned = executed !== undefined;
  }),
);

function form(): Html {
  const choice = (score: number) =>
    html`<label class="choice"><input type="radio" name="score" value=${score} checked=${entered.score === String(score)} onChange=${(
      event: Event,
    ) => {
      entered.score = getInputValue(event);
    }} /> ${score} of 5</label>`;
  return html`<form class="fields box" onSubmit=${onSubmit(review)}>
    <fieldset class="choices"><legend>Score</legend>${scores.map(choice)}</fieldset>
    <label for="text">Text (optional)</label>
    <textarea id="text" rows="6" aria-describedby="text-hint" value=${entered.text} onInput=${(
      event: Event,
    ) => {
      entered.text = getInputValue(event);
    }}></textarea>
    <p class="hint" id="text-hint">What worked, and what did not. At most ${textBytesMax} bytes. The text is public and permanent.</p>
    <p class="actions"><button type="submit" disabled=${attempts.busy !== ''}>Review it</button></p>
    ${attempts.status()}
  </form>`;
}

function content(): Html {
  if (!getAccount())
    return html`<div class="box"><p>Connect a wallet: a review is a transaction that you sign.</p><p><button type="button" data-connect>Connect</button></p></div>`;
  if (!isSigned) return form();
  return html`<div class="box"><p>Your review is on chain.</p><p><a class="button" href=${`${adaptorPath(siteNetwork, service)}#reviews`}>See it on the page of ${plain(name)}</a></p></div>`;
}

function show(): void {
  render(content() as never, container);
}

document.addEventListener('wallet', show);
container.replaceChildren();
await waitForConnection();
show();
