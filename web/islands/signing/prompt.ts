import { type Html, html } from '../../components/html.ts';
import { onSubmit } from '../api/form.ts';
import { cancelButton, openDialog } from './dialog.ts';

interface Prompt<Answer> {
  title: string;
  /** Words of the button that submits the form. */
  button: string;
  /** @param fault what is wrong with the submitted input */
  fields(fault: string | undefined): Html;
  read(entered: FormData): PromptResult<Answer> | Promise<PromptResult<Answer>>;
}

type PromptResult<Answer> = { answer: Answer } | { fault: string };

/** Asks for input in a dialog until it is valid. Returns undefined if the reader closes the dialog. */
export async function promptFor<Answer>(prompt: Prompt<Answer>): Promise<Answer | undefined> {
  const dialog = openDialog();
  let answer: Answer | undefined;
  const submit = onSubmit(async (form) => {
    const result = await prompt.read(new FormData(form));
    if ('fault' in result) return show(result.fault);
    answer = result.answer;
    dialog.close();
  });
  function show(fault?: string): void {
    dialog.show(
      prompt.title,
      html`<form id="prompt" class="fields" onSubmit=${submit}>${prompt.fields(fault)}</form>`,
      html`<button type="submit" form="prompt">${prompt.button}</button>${cancelButton(dialog)}`,
    );
  }
  show();
  await dialog.closed;
  return answer;
}
