import { type Html, html } from './html.ts';
import { copyButton } from './values.ts';

/** Renders a button that copies the code beside it, as it is when the reader presses it. */
export const copyCodeButton = (label = 'Copy code'): Html => copyButton('', label);

export const code = (text: string, label = 'Copy code'): Html =>
  html`<div class="code"><pre tabindex="0"><code>${text}</code></pre>${copyCodeButton(label)}</div>`;

/** Renders a text in which code stands between backticks. */
export const withCode = (text: string): Html =>
  text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));

interface Tab {
  name: string;
  body: Html;
}

/**
 * Tabs: one part shows at a time. They are radio buttons, so that they work without script: the arrow keys choose a
 * tab, and the tab key leads into the shown part.
 */
export function tabs(group: string, label: string, parts: readonly Tab[]): Html {
  const inputs = parts.map(
    ({ name }, at) =>
      html`<input type="radio" name=${group} id=${`${group}-${at}`} checked=${at === 0} /><label for=${`${group}-${at}`}>${name}</label>`,
  );
  const panels = parts.map(({ body }) => html`<div class="panel">${body}</div>`);
  return html`<fieldset class="tabs"><legend class="unseen">${label}</legend>${inputs}${panels}</fieldset>`;
}
