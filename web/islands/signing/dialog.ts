import { render } from 'preact';
import { type Html, html } from '../../components/html.ts';
import { plain } from '../../components/plain.ts';

/** A dialog over the page. */
export interface Dialog {
  /** @param title may have names that strangers wrote */
  show(title: string, body: Html, buttons?: Html): void;
  close(): void;
  isOpen(): boolean;
  /** When the reader or the page closes it. */
  closed: Promise<void>;
}

/** Opens a dialog. The focus goes back to where it was when it is closed. */
export function openDialog(): Dialog {
  const element = document.createElement('dialog');
  element.setAttribute('aria-labelledby', 'dialog-title');
  document.body.append(element);
  const closed = new Promise<void>((resolve) => {
    element.addEventListener('close', () => {
      render(null, element);
      element.remove();
      resolve();
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
      // Closed meanwhile, it stays so.
      if (element.isConnected && !element.open) element.showModal();
    },
  };
}
