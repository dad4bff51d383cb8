import { render } from 'preact';
import { type Html, html } from '../../components/html.ts';
import { plain } from '../../components/plain.ts';
import { focusFirst } from '../api/focus.ts';
import { endPreparing } from './one-at-a-time.ts';

/** A dialog over the page. */
interface Dialog {
  /** @param title may contain names that strangers wrote */
  show(title: string, body: Html, buttons?: Html): void;
  close(): void;
  isOpen(): boolean;
  /** Resolves when the reader or the page closes the dialog. */
  closed: Promise<void>;
}

export const cancelButton = ({ close }: Dialog): Html =>
  html`<button type="button" class="quiet" onClick=${close}>Cancel</button>`;

/** Opens a dialog. When it is closed, the focus returns to the element that had it before, or to one that stands for it. */
export function openDialog(): Dialog {
  const opener = document.activeElement;
  const element = document.createElement('dialog');
  element.setAttribute('aria-labelledby', 'dialog-title');
  document.body.append(element);
  const closed = new Promise<void>((resolve) => {
    element.addEventListener('close', () => {
      render(null, element);
      element.remove();
      resolve();
      // Code that waits for the dialog may enable or replace the button first.
      setTimeout(() => returnFocus(opener));
    });
  });
  const close = () => element.close();
  return {
    closed,
    close,
    isOpen: () => element.isConnected,
    show(title, body, buttons = html`<button type="button" class="quiet" onClick=${close}>Close</button>`) {
      const content = html`<h2 id="dialog-title" tabindex="-1">${plain(title)}</h2>
        <div class="body" aria-live="polite">${body}</div>
        <div class="buttons">${buttons}</div>`;
      render(content as never, element);
      // A dialog that was closed meanwhile stays closed.
      if (!element.isConnected) return;
      endPreparing();
      if (!element.open) element.showModal();
      // The button that had the focus may be gone.
      focusFirst([element.querySelector('h2')]);
    },
  };
}

/** Focuses the opener, unless something has the focus. If it is gone or disabled: the connect button, or the content. */
function returnFocus(opener: Element | null): void {
  const others = [opener?.closest('[data-connect]') && '#connect', '#main'];
  focusFirst([opener, ...others.map((selector) => (selector ? document.querySelector(selector) : null))]);
}
