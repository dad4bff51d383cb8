import { type Html, html } from '../../components/index.ts';
import { getInputValue } from '../api/form.ts';
import { type Details, detailFields, detailNames, findDetailFaults } from './details.ts';

/** `true` if the reader opened the fields. They then stay open when the last text is removed. */
let wasOpened = false;

/** Renders the optional fields. They are open if one has a text, so that they hide nothing of the manifest. */
export function detailsPart(details: Details, enter: (details: Details) => void): Html {
  const faults = findDetailFaults(details);
  const isOpen = wasOpened || detailNames.some((name) => details[name] !== '');
  const onToggle = (event: Event) => {
    wasOpened = (event.currentTarget as HTMLDetailsElement).open;
  };
  const fields = detailNames.map((name) => {
    const { label, hint, placeholder, isMultiline } = detailFields[name];
    const fault = faults[name];
    const onInput = (event: Event) => enter({ ...details, [name]: getInputValue(event) });
    const attributes = {
      id: name,
      name,
      value: details[name],
      placeholder,
      autocomplete: 'off',
      spellcheck: false,
      'aria-describedby': `${name}-hint`,
      'aria-invalid': fault === undefined ? undefined : 'true',
      onInput,
    };
    const control = isMultiline
      ? html`<textarea ...${attributes} rows="2"></textarea>`
      : html`<input type="text" ...${attributes} />`;
    return html`<label for=${name}>${label}</label>${control}
      <p id=${`${name}-hint`} class=${fault === undefined ? 'hint' : 'danger'}>${fault ?? hint}</p>`;
  });
  return html`<details open=${isOpen} onToggle=${onToggle}><summary>Links, fee, source, profile and more, all optional</summary><div class="fields">${fields}</div></details>`;
}
