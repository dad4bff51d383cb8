import { html } from '../../components/html.ts';
import { promptFor } from '../signing/prompt.ts';

/** Bound of the contract on a brief and on a note, in UTF-8. */
export const textBytesMax = 1_024;

/** Returns why a text cannot be a brief or a note; undefined if it can. */
export function findTextFault(text: string): string | undefined {
  const { length } = new TextEncoder().encode(text);
  if (text.trim() === '') return 'Enter a text.';
  if (length <= textBytesMax) return undefined;
  return `It is ${length} bytes long, and may be ${textBytesMax}. Put what is longer somewhere else, and link to it.`;
}

/** Prompts for the note that is submitted as work. Returns undefined if the reader closes the dialog. */
export const askNote = (): Promise<string | undefined> =>
  promptFor({
    title: 'Submit work',
    button: 'Continue',
    fields: (
      fault,
    ) => html`<p>Say where your work is, or what came out. The assessor reads it, and so can everyone.</p>
      <label for="text">Note</label>
      <textarea id="text" name="text" rows="5" aria-invalid=${fault ? 'true' : undefined} aria-describedby=${fault ? 'text-fault' : undefined}></textarea>
      ${fault === undefined ? '' : html`<p class="danger" id="text-fault">${fault}</p>`}`,
    read(entered) {
      const text = String(entered.get('text'));
      const fault = findTextFault(text);
      return fault === undefined ? { answer: text.trim() } : { fault };
    },
  });
