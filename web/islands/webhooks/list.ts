import type { Webhook, Webhooks } from '@adaptor-marketplace/sdk';
import { empty, type Html, html, notice, time } from '../../components/index.ts';
import { onSubmit } from '../api/form.ts';
import { showOnce } from '../portal/ask.ts';
import { openPortal } from '../portal/sign-in.ts';
import { createWebhook, readStatistics, readWebhooks, type Statistics } from './api.ts';
import {
  extractFaults,
  type FieldFaults,
  readForm,
  readHostFacts,
  renderSubjectFields,
  renderWebhookFields,
} from './fields.ts';
import { openPart } from './part.ts';
import { howToVerify, newSecret } from './secret.ts';
import { aboutWords, figures, webhookBadge } from './words.ts';

const container = document.querySelector<HTMLElement>('#webhooks')!;
const { events, signs } = readHostFacts(container);
const query = new URLSearchParams(location.search);
const named = query.get('events')?.split(',');
/** The form at first: the events that the url names, or else all, and what they must be about. */
const first = {
  url: '',
  events: events.map(({ name }) => name).filter((name) => named?.includes(name) ?? true),
  wallet: '',
  serviceType: query.get('serviceType') ?? '',
  publisher: query.get('publisher') ?? '',
};

let { webhooks, missing }: Pick<Webhooks, 'webhooks' | 'missing'> = { webhooks: [], missing: [] };
let statistics = new Map<string, Statistics>();
let faults: FieldFaults = {};

async function read(): Promise<void> {
  const [found, rows] = await Promise.all([readWebhooks(), readStatistics()]);
  ({ webhooks, missing } = found);
  statistics = new Map(rows.map((row) => [row.id, row]));
}

async function add(form: HTMLFormElement): Promise<void> {
  const entered = readForm(form);
  const secret = signs ? newSecret() : undefined;
  let isAdded = false;
  faults = {};
  await attempts.run('Adding the webhook…', async () => {
    try {
      const { url, events, wallet, serviceType, publisher } = entered;
      await createWebhook({
        url,
        events,
        ...(wallet && { wallet }),
        ...(serviceType && { serviceType }),
        ...(publisher && { publisher }),
        ...(secret !== undefined && { secret }),
      });
    } catch (error) {
      faults = extractFaults(error);
      return;
    }
    isAdded = true;
    form.reset();
    await read();
  });
  const words = html`<p>It receives every event from now on. Open it to send a test event.</p>`;
  if (isAdded && secret !== undefined)
    await showOnce({ title: 'The webhook is added', words, secret, after: howToVerify });
}

function row(webhook: Webhook, nowMs: number): Html {
  const { id, url, events, createdMs, backlog } = webhook;
  return html`<li class="webhook" key=${id}>
    <h3><a href=${`/webhooks/${id}`}>${url}</a> ${webhookBadge(webhook)}</h3>
    <p class="muted">${events.join(', ')}${aboutWords(webhook)}. Added ${time(createdMs, nowMs)}.${backlog > 0 ? ` ${backlog} wait for their first attempt.` : ''}</p>
    ${figures(statistics.get(id), nowMs)}
  </li>`;
}

/** Lists the webhooks that the host has lost: it knows their ids alone. */
const missingNotice = (): Html =>
  notice(
    'caution',
    'This host has lost webhooks of this key',
    html`<p>They receive nothing until its operator restores the key-value store: ${missing.map((id) => html`<code key=${id}>${id}</code> `)}</p>`,
  );

function view(): Html {
  const nowMs = Date.now();
  const list =
    webhooks.length === 0
      ? empty('This key has no webhook yet', html`<p>Add one below.</p>`)
      : html`<ul>${webhooks.map((webhook) => row(webhook, nowMs))}</ul>`;
  return html`<section class="part"><h2>Your webhooks</h2>${missing.length === 0 ? '' : missingNotice()}${list}</section>
    <section class="part"><h2>Add a webhook</h2>
      ${signs ? '' : notice('caution', 'This host cannot sign what it sends', html`<p>Its operator has not set <code>MARKETPLACE_ADMIN_SECRET</code>, with which secrets are encrypted.</p>`)}
      <form class="fields box" onSubmit=${onSubmit(add)}>
        ${renderWebhookFields(events, first, faults)}
        ${renderSubjectFields(first, faults)}
        <p class="hint">Without these, it receives the events of all networks of this host, and of all listings: also of publishers who are not verified.</p>
        <p class="actions"><button type="submit" disabled=${attempts.busy !== ''}>Add webhook</button></p>
        ${attempts.status()}
      </form>
    </section>`;
}

function clear(): void {
  webhooks = [];
  missing = [];
  statistics = new Map();
  faults = {};
}

const { attempts, mount } = openPart(view);
openPortal(container, { kind: 'key', read, clear, content: () => html`<div ref=${mount}></div>` });
