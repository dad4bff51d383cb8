import { type Html, html } from '../../components/html.ts';
import { promptFor } from '../signing/prompt.ts';

/** Longest brief or note that the contract accepts, in bytes. */
export const textBytesMax = 1_024;

/** Returns why the contract would refuse a text; undefined if it is valid. */
export function textFault(text: string): string | undefined {
  const { length } = new TextEncoder().encode(text);
  if (text.trim() === '') return 'Enter a text.';
  if (length <= textBytesMax) return undefined;
  return `It is ${length} bytes long, and may be ${textBytesMax}. Put what is longer somewhere else, and link to it.`;
}

interface TextPrompt {
  title: string;
  words: Html;
  label: string;
}

/** Asks for a text that goes on chain. Returns undefined if the reader closes the dialog. */
export const askText = ({ title, words, label }: TextPrompt): Promise<string | undefined> =>
  promptFor({
    title,
    button: 'Continue',
    fields: (fault) => html`${words}
      <label for="text">${label}</label>
      <textarea id="text" name="text" rows="5" aria-invalid=${fault ? 'true' : undefined} aria-describedby=${fault ? 'text-fault' : undefined}></textarea>
      ${fault === undefined ? '' : html`<p class="danger" id="text-fault">${fault}</p>`}`,
    read(entered) {
      const text = String(entered.get('text'));
      const fault = textFault(text);
      return fault === undefined ? { answer: text.trim() } : { fault };
    },
  });
