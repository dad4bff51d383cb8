import { type Html, html } from '../../components/html.ts';
import { createAttempts } from '../api/attempts.ts';
import { onSubmit } from '../api/form.ts';
import { cancelButton, openDialog } from '../signing/dialog.ts';

export interface ActionPrompt {
  title: string;
  /** Explanation of the action, and the fields that it needs. */
  words: Html;
  button: string;
  /** `true` if the action removes something. */
  danger?: boolean;
  /** Runs the action with the form input. The dialog shows a failure, and the reader can try again. */
  work(entered: FormData): Promise<void>;
}

/** Asks for confirmation, then runs the action. Returns `true` if the action succeeded. */
export async function ask({ title, words, button, danger = false, work }: ActionPrompt): Promise<boolean> {
  const dialog = openDialog();
  const attempts = createAttempts(show);
  let isDone = false;
  let sending: Promise<void> | undefined;
  const submit = onSubmit(async (form) => {
    const entered = new FormData(form);
    sending = attempts.run('Sending…', async () => {
      await work(entered);
      isDone = true;
    });
    await sending;
    if (isDone) dialog.close();
  });
  function show(): void {
    dialog.show(
      title,
      html`<form id="ask" class="fields" onSubmit=${submit}>${words}</form>${attempts.status()}`,
      html`<button type="submit" form="ask" class=${danger ? 'quiet danger' : undefined} disabled=${attempts.busy !== ''}>${button}</button>${cancelButton(dialog)}`,
    );
  }
  show();
  await dialog.closed;
  // A request that was sent before the dialog closed may still succeed.
  await sending;
  return isDone;
}

export const getFieldText = (entered: FormData, name: string): string =>
  String(entered.get(name) ?? '').trim();

interface Secret {
  title: string;
  words: Html;
  secret: string;
  /** Instructions below the secret. */
  after?: Html;
}

/** Shows a secret once, in a field to copy it from. The page drops it when the dialog is closed. */
export async function showOnce({ title, words, secret, after = '' }: Secret): Promise<void> {
  const dialog = openDialog();
  let copied = '';
  const copy = async () => {
    copied = await navigator.clipboard.writeText(secret).then(
      () => 'Copied',
      () => 'This browser does not allow copying here. Select the text instead.',
    );
    show();
  };
  function show(): void {
    // The value is set as a property of the field, so the markup of the page does not contain the secret.
    dialog.show(
      title,
      html`${words}<p class="fields"><label for="secret-once">Shown this once</label><input type="text" id="secret-once" class="mono" readonly value=${secret} onFocus=${(event: FocusEvent) => (event.currentTarget as HTMLInputElement).select()} /></p><p class="muted" role="status">${copied}</p>${after}`,
      html`<button type="button" onClick=${copy}>Copy</button><button type="button" class="quiet" onClick=${dialog.close}>I have copied it</button>`,
    );
  }
  show();
  await dialog.closed;
}
