import type { Webhook } from '@adaptor-marketplace/sdk';
import { endTime, type Html, html, notice, time } from '../../components/index.ts';
import { RequestRefusedError } from '../api/ask.ts';
import { onSubmit } from '../api/form.ts';
import { ask, showOnce } from '../portal/ask.ts';
import { openPortal } from '../portal/sign-in.ts';
import {
  changeWebhook,
  deleteWebhook,
  readStatistics,
  readWebhooks,
  resendSince,
  type Statistics,
  sendTest,
} from './api.ts';
import { deliveryList } from './deliveries.ts';
import { extractFaults, type FieldFaults, readForm, readHostFacts, renderWebhookFields } from './fields.ts';
import { openPart } from './part.ts';
import { askRotation, howToVerify, newSecret } from './secret.ts';
import { aboutWords, figures, webhookBadge } from './words.ts';

/** One webhook: its state, its deliveries, and the settings that its owner can change. */

const container = document.querySelector<HTMLElement>('#webhook')!;
const id = container.dataset.webhook!;
const { events, signs } = readHostFacts(container);

/** Undefined if the key has no webhook with this id. */
let webhook: Webhook | undefined;
let statistics: Statistics | undefined;
let faults: FieldFaults = {};
/** Result of the last successful action, in words; empty if there is none. */
let done = '';

const deliveries = deliveryList({
  webhookId: id,
  isActive: () => webhook?.state === 'active',
  async onAttempts() {
    // If the read fails, the next delivery attempt or action reads it again.
    await read().catch(() => undefined);
    show();
  },
});

async function read(): Promise<void> {
  webhook = (await readWebhooks()).webhooks.find((one) => one.id === id);
  statistics = webhook && (await readStatistics(id))[0];
}

function clear(): void {
  [webhook, statistics, faults, done] = [undefined, undefined, {}, ''];
  deliveries.clear();
}

/** Runs an action on the webhook, then reads the webhook and its deliveries again. */
const runAction = (what: string, work: (one: Webhook) => Promise<string>) =>
  attempts.run(what, async () => {
    [done, faults] = ['', {}];
    try {
      done = await work(webhook!);
      await read();
    } catch (error) {
      // The webhook was deleted meanwhile.
      if (error instanceof RequestRefusedError && error.code === 'webhook_not_found') webhook = undefined;
      else throw error;
    }
    deliveries.poll();
  });

const setState = (state: 'active' | 'paused') =>
  runAction(state === 'active' ? 'Resuming…' : 'Pausing…', async () => {
    await changeWebhook(id, { state });
    return state === 'active'
      ? 'It is active again. What happened meanwhile was not queued: send it again below.'
      : 'It is paused. Events from now on are not queued.';
  });

const test = () =>
  runAction('Asking for a test event…', async () => {
    await sendTest(id);
    return 'A test event is on its way. It is listed with the deliveries.';
  });

async function rotate(): Promise<void> {
  const keepMs = webhook?.signing === 'ready' ? await askRotation() : 0;
  if (keepMs === undefined) return;
  const secret = newSecret();
  let isChanged = false;
  await runAction('Rotating the secret…', async () => {
    await changeWebhook(id, { secret, ...(keepMs > 0 && { keepPreviousSecretMs: keepMs }) });
    isChanged = true;
    return 'The secret is changed.';
  });
  if (!isChanged) return;
  const words =
    keepMs > 0
      ? html`<p>The previous secret is valid too. It ends ${endTime(Date.now() + keepMs, Date.now())}.</p>`
      : html`<p>It is the only valid secret from now on.</p>`;
  await showOnce({ title: 'The new secret', words, secret, after: howToVerify });
}

const endRotation = () =>
  runAction('Ending the rotation…', async () => {
    await changeWebhook(id, { keepPreviousSecretMs: 0 });
    return 'The previous secret is no longer valid.';
  });

async function remove(): Promise<void> {
  if (!webhook) return;
  const isDeleted = await ask({
    title: 'Delete this webhook?',
    words: html`<p>Nothing is sent to <code>${webhook.url}</code> from then on. Its deliveries, and what waits for it, are deleted too. This cannot be undone.</p>
      <p>To stop it for a while, pause it.</p>`,
    button: 'Delete',
    danger: true,
    work: () => deleteWebhook(id),
  });
  if (isDeleted) location.assign('/webhooks');
}

function save(form: HTMLFormElement): Promise<void> {
  const entered = readForm(form);
  return runAction('Saving…', async (one) => {
    const change = {
      ...(entered.url !== one.url && { url: entered.url }),
      ...(sorted(entered.events) !== sorted(one.events) && { events: entered.events }),
    };
    if (Object.keys(change).length === 0) return 'Nothing has changed.';
    try {
      await changeWebhook(id, change);
      return 'The settings are saved.';
    } catch (error) {
      faults = extractFaults(error);
      return '';
    }
  });
}

const sorted = (names: readonly string[]) => names.toSorted().join();

const hourMs = 3_600_000;
const spans = [
  { ms: hourMs, words: 'the last hour' },
  { ms: 24 * hourMs, words: 'the last 24 hours' },
  { ms: 7 * 24 * hourMs, words: 'the last 7 days' },
  { ms: 30 * 24 * hourMs, words: 'the last 30 days' },
  { ms: Number.POSITIVE_INFINITY, words: 'all time' },
];

function replay(form: HTMLFormElement): Promise<void> {
  const ms = Number(new FormData(form).get('span'));
  return runAction('Collecting the events…', async () => {
    const count = await resendSince(id, Math.max(0, Date.now() - ms));
    return count === 1 ? '1 event is sent again.' : `${count} events are sent again.`;
  });
}

/** Renders the problems and pending work that the owner should know. */
function notices(one: Webhook, nowMs: number): Html {
  const { state, disabledReason, signing, previousSecretUntilMs, failingSinceMs, backlog } = one;
  return html`${state === 'disabled' ? notice('danger', 'It is disabled', html`<p>${disabledReason === 'gone' ? 'The receiver answered that it is gone (HTTP status 410).' : 'Every attempt of five days failed.'} Nothing is sent. Resume it when the receiver works again.</p>`) : ''}
    ${state === 'active' && failingSinceMs !== null ? notice('caution', 'The receiver fails', html`<p>No attempt has succeeded since the failure ${time(failingSinceMs, nowMs)}. After five days of failures the webhook is disabled.</p>`) : ''}
    ${signing === 'unreadable' ? notice('danger', 'Its secret can no longer be read', html`<p>The host’s admin secret has changed. Nothing is sent until you rotate the secret.</p>`) : ''}
    ${signing === 'none' ? notice('caution', 'Deliveries are not signed', html`<p>Receivers cannot know who sends them. Set a secret.</p>`) : ''}
    ${previousSecretUntilMs === null ? '' : notice('neutral', 'Two secrets are valid', html`<p>The previous one ends ${endTime(previousSecretUntilMs, nowMs)}. Once all receivers know the new one, end the rotation.</p><p><button type="button" class="quiet" disabled=${attempts.busy !== ''} onClick=${endRotation}>End the rotation</button></p>`)}
    ${backlog > 0 ? html`<p class="muted">${backlog === 1 ? '1 event waits' : `${backlog} events wait`} for a first attempt.</p>` : ''}`;
}

const missing = notice(
  'danger',
  'Your key has no webhook of this id',
  html`<p>It was deleted, or it belongs to another API key. <a href="/webhooks">See your webhooks</a>.</p>`,
);

function view(): Html {
  if (!webhook) return missing;
  const nowMs = Date.now();
  const { url, state, signing, createdMs } = webhook;
  const about = aboutWords(webhook);
  const button = (words: string, onClick: () => unknown, kind = 'quiet') =>
    html`<button type="button" class=${kind} disabled=${attempts.busy !== ''} onClick=${onClick}>${words}</button>`;
  return html`<section class="part"><h2>${url} ${webhookBadge(webhook)}</h2>
      <p class="muted">Added ${time(createdMs, nowMs)}.${about === '' ? '' : html` It receives only events${about}.`}</p>
      ${figures(statistics, nowMs)}
      ${notices(webhook, nowMs)}
      <p class="actions">
        ${state === 'active' ? button('Send a test event', test, '') : ''}
        ${state === 'active' ? button('Pause', () => setState('paused')) : button('Resume', () => setState('active'), '')}
        ${signs ? button(signing === 'none' ? 'Set a secret' : 'Rotate the secret', rotate) : ''}
      </p>
      ${attempts.status()}
      <div role="status">${done === '' ? '' : html`<p>${done}</p>`}</div>
    </section>
    <section class="part"><h2>Deliveries</h2><div ref=${deliveries.mount}></div></section>
    <section class="part"><h2>Send events again</h2>
      <form class="narrow" onSubmit=${onSubmit(replay)}>
        <div><label for="span">Events of</label><select id="span" name="span">${spans.map(({ ms, words }) => html`<option value=${String(ms)}>${words}</option>`)}</select></div>
        <button type="submit" class="quiet" disabled=${attempts.busy !== '' || state !== 'active'}>Send again</button>
      </form>
      <p class="muted">Also those that were delivered, and those of a pause. Your receiver knows them by their <code>id</code>.</p>
    </section>
    <section class="part"><h2>Settings</h2>
      <form class="fields box" onSubmit=${onSubmit(save)}>
        ${renderWebhookFields(events, webhook, faults)}
        <p class="hint">What waits is sent to the new url. Other events count from now on.</p>
        <p class="actions"><button type="submit" disabled=${attempts.busy !== ''}>Save</button></p>
      </form>
    </section>
    <section class="part"><h2>Delete</h2><p>Nothing is sent from then on, and its deliveries are deleted.</p><p class="actions">${button('Delete the webhook', remove, 'quiet danger')}</p></section>`;
}

const { attempts, show, mount } = openPart(view);
openPortal(container, { kind: 'key', read, clear, content: () => html`<div ref=${mount}></div>` });
