import { code, type Html, html } from '../../components/index.ts';
import { verifySnippet } from '../../words/webhook.ts';
import { promptFor } from '../signing/prompt.ts';

const secretBytes = 32;

/** Generates a secret in the format of Standard Webhooks. */
export const newSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(secretBytes))))}`;

/** Instructions next to a secret that is shown once. */
export const howToVerify: Html = html`<p>The host keeps it encrypted, and shows it to no one. Verify what you receive with it, for example with the package <code>standardwebhooks</code>:</p>
  ${code(verifySnippet)}`;

const hourMs = 3_600_000;
const times = [
  { ms: 24 * hourMs, words: 'for 24 hours more' },
  { ms: hourMs, words: 'for one hour more' },
  { ms: 7 * 24 * hourMs, words: 'for 7 days more' },
  { ms: 0, words: 'no longer: it has leaked' },
];

/** Asks how long the current secret stays valid. Returns undefined if the reader closes the dialog. */
export const askRotation = (): Promise<number | undefined> =>
  promptFor({
    title: 'Rotate the secret',
    button: 'Rotate',
    fields:
      () => html`<p>You get a new secret. While both are valid, each delivery has a signature by either, so your receivers can change one after the other.</p>
      <label for="keep">The present secret is valid</label>
      <select id="keep" name="keep">${times.map(({ ms, words }) => html`<option value=${String(ms)}>${words}</option>`)}</select>`,
    read: (entered) => ({ answer: Number(entered.get('keep')) }),
  });
