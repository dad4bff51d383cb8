import { type Html, html } from './html.ts';
import { copyButton } from './values.ts';

export const code = (text: string, label = 'Copy code'): Html =>
  html`<div class="code"><pre tabindex="0"><code>${text}</code></pre>${copyButton(text, label)}</div>`;

interface Tab {
  name: string;
  body: Html;
}

/** Tabs: one part shows at a time. They are radio buttons, so that they work without script. */
export function tabs(group: string, label: string, parts: readonly Tab[]): Html {
  const inputs = parts.map(
    ({ name }, at) =>
      html`<input type="radio" name=${group} id=${`${group}-${at}`} checked=${at === 0} /><label for=${`${group}-${at}`}>${name}</label>`,
  );
  const panels = parts.map(({ body }) => html`<div class="panel">${body}</div>`);
  return html`<fieldset class="tabs"><legend class="unseen">${label}</legend>${inputs}${panels}</fieldset>`;
}
