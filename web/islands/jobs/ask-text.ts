import { type Html, html } from '../../components/html.ts';
import { openDialog } from '../signing/dialog.ts';

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
export async function askText({ title, words, label }: TextPrompt): Promise<string | undefined> {
  const dialog = openDialog();
  let answer: string | undefined;
  const submit = (event: Event) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget as HTMLFormElement).get('text'));
    const fault = textFault(text);
    if (fault !== undefined) return show(fault);
    answer = text.trim();
    dialog.close();
  };
  function show(fault?: string): void {
    const form = html`<form id="text-form" class="fields" onSubmit=${submit}>
      ${words}
      <label for="text">${label}</label>
      <textarea id="text" name="text" rows="5" aria-invalid=${fault ? 'true' : undefined} aria-describedby=${fault ? 'text-fault' : undefined}></textarea>
      ${fault === undefined ? '' : html`<p class="danger" id="text-fault">${fault}</p>`}
    </form>`;
    dialog.show(
      title,
      form,
      html`<button type="submit" form="text-form">Continue</button><button type="button" class="quiet" onClick=${dialog.close}>Cancel</button>`,
    );
  }
  show();
  await dialog.closed;
  return answer;
}
