import { type Html, html } from '../../components/html.ts';
import { RequestRefusedError } from '../api/ask.ts';

interface WebhookInput {
  url: string;
  events: string[];
  /** Id of a wallet; empty for none. */
  wallet: string;
  /** Service type of an adaptor; empty for all. */
  serviceType: string;
  /** Address of a publisher; empty for all. */
  publisher: string;
}

/** Texts that explain what is wrong with a field, by its name. */
export type FieldFaults = Partial<Record<keyof WebhookInput, string>>;

interface EventDescription {
  name: string;
  words: string;
}

/** Reads the attributes that the server wrote to the element of the portal. */
export function readHostFacts(portal: HTMLElement): { events: EventDescription[]; signs: boolean } {
  const { events = '[]', signs } = portal.dataset;
  return { events: JSON.parse(events), signs: signs === 'true' };
}

export function renderWebhookFields(
  events: readonly EventDescription[],
  entered: Pick<WebhookInput, 'url' | 'events'>,
  faults: FieldFaults,
): Html {
  const renderFault = (name: keyof FieldFaults) =>
    faults[name] === undefined ? '' : html`<p class="danger" id=${`${name}-fault`}>${faults[name]}</p>`;
  const buildFaultId = (name: keyof FieldFaults) => (faults[name] === undefined ? '' : ` ${name}-fault`);
  return html`<label for="url">Url</label>
    <input type="text" inputmode="url" id="url" name="url" maxlength="2048" required autocomplete="off" spellcheck="false" placeholder="https://you.example/hooks/adaptors" defaultValue=${entered.url} aria-invalid=${faults.url === undefined ? undefined : 'true'} aria-describedby=${`url-hint${buildFaultId('url')}`} />
    <p class="hint" id="url-hint">It must lead to a public address. Redirects are not followed.</p>
    ${renderFault('url')}
    <fieldset class="choices" aria-describedby=${buildFaultId('events').trim() || undefined}><legend>Events</legend>
      ${events.map(({ name, words }) => html`<label class="choice"><input type="checkbox" name="events" value=${name} defaultChecked=${entered.events.includes(name)} /> <code>${name}</code> <span class="muted">${words}</span></label>`)}
    </fieldset>
    ${renderFault('events')}`;
}

/** Fields that only a new webhook has, because they cannot be changed: label, placeholder, hint and longest text. */
const subjects = {
  wallet: [
    'Only about what a wallet has allowed',
    '0x…, or empty for all',
    'Id of a wallet. You then hear only of adaptors that it has granted to.',
    66,
  ],
  serviceType: [
    'Only about one adaptor',
    '0x…::module::Type, or empty for all',
    'Its service type. You then hear of this adaptor alone.',
    512,
  ],
  publisher: [
    'Only about one publisher',
    '0x…, or empty for all',
    'Its address. You then hear only of adaptors that it lists.',
    66,
  ],
} as const;

/** Renders the fields that filter the events by subject. */
export const renderSubjectFields = (entered: WebhookInput, faults: FieldFaults): Html =>
  html`${(Object.keys(subjects) as (keyof typeof subjects)[]).map((name) => {
    const [label, placeholder, hint, lengthMax] = subjects[name];
    const { [name]: fault } = faults;
    return html`<label for=${`only-${name}`}>${label}</label>
    <input type="text" id=${`only-${name}`} name=${name} maxlength=${lengthMax} autocomplete="off" spellcheck="false" placeholder=${placeholder} defaultValue=${entered[name]} aria-invalid=${fault === undefined ? undefined : 'true'} aria-describedby=${`${name}-hint${fault === undefined ? '' : ` ${name}-fault`}`} />
    <p class="hint" id=${`${name}-hint`}>${hint} It cannot be changed later.</p>
    ${fault === undefined ? '' : html`<p class="danger" id=${`${name}-fault`}>${fault}</p>`}`;
  })}`;

export function readForm(form: HTMLFormElement): WebhookInput {
  const data = new FormData(form);
  const read = (name: string) => String(data.get(name) ?? '').trim();
  return {
    url: read('url'),
    events: data.getAll('events').map(String),
    wallet: read('wallet'),
    serviceType: read('serviceType'),
    publisher: read('publisher'),
  };
}

/**
 * Extracts the faults that an error of the API reports for fields of the form.
 * @throws the error itself if it reports none
 */
export function extractFaults(error: unknown): FieldFaults {
  const found: FieldFaults = {};
  for (const { path, message } of error instanceof RequestRefusedError ? error.errors : []) {
    const [, name] = /^body\.(url|events|wallet|serviceType|publisher)\b/.exec(path) ?? [];
    if (name !== undefined)
      found[name as keyof FieldFaults] ??= `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
  }
  if (Object.keys(found).length === 0) throw error;
  return found;
}
