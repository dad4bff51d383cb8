import { type Html, html } from '../../components/html.ts';
import { attemptsWith } from '../api/attempts.ts';
import { openDialog } from '../signing/dialog.ts';

interface Question {
  title: string;
  /** What will happen, and the fields of what must be entered. */
  words: Html;
  button: string;
  /** It takes something away. */
  danger?: boolean;
  /** Does it, with what was entered. What fails shows in the dialog, and can be tried again. */
  work(entered: FormData): Promise<void>;
}

/** Asks before something is done, and does it. Returns whether it was done. */
export async function ask({ title, words, button, danger = false, work }: Question): Promise<boolean> {
  const dialog = openDialog();
  const trying = attemptsWith(show);
  let isDone = false;
  let sending: Promise<void> | undefined;
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    const entered = new FormData(event.currentTarget as HTMLFormElement);
    sending = trying.attempt('Sending…', async () => {
      await work(entered);
      isDone = true;
    });
    await sending;
    if (isDone) dialog.close();
  };
  function show(): void {
    dialog.show(
      title,
      html`<form id="ask" class="fields" onSubmit=${onSubmit}>${words}</form>${trying.status()}`,
      html`<button type="submit" form="ask" class=${danger ? 'quiet danger' : undefined} disabled=${trying.busy !== ''}>${button}</button><button type="button" class="quiet" onClick=${dialog.close}>Cancel</button>`,
    );
  }
  show();
  await dialog.closed;
  // Closed meanwhile, what was sent may still be done.
  await sending;
  return isDone;
}

/** What was entered in a field, without spaces around it. */
export const textOf = (entered: FormData, name: string): string => String(entered.get(name) ?? '').trim();

interface Secret {
  title: string;
  words: Html;
  secret: string;
  /** What to do with it. */
  after?: Html;
}

/** Shows a secret once, in a field to copy it from. It is gone when the dialog is closed. */
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
    // The value is a property of the field: the markup of the page does not have it.
    dialog.show(
      title,
      html`${words}<p class="fields"><label for="secret-once">Shown this once</label><input type="text" id="secret-once" class="mono" readonly value=${secret} onFocus=${(event: FocusEvent) => (event.currentTarget as HTMLInputElement).select()} /></p><p class="muted" role="status">${copied}</p>${after}`,
      html`<button type="button" onClick=${copy}>Copy</button><button type="button" class="quiet" onClick=${dialog.close}>I have copied it</button>`,
    );
  }
  show();
  await dialog.closed;
}
