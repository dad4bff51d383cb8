import type { WebhookAttempt } from '@adaptor-marketplace/sdk';
import {
  code,
  empty,
  type Html,
  html,
  notice,
  plain,
  table,
  time,
  visibleJson,
} from '../../components/index.ts';
import { describeOutcome, formatDuration, isOverdue, pickErrorDetail } from '../../words/webhook.ts';
import { type Delivery, readDeliveries, readDelivery, resendDelivery } from './api.ts';
import { openPart } from './part.ts';
import { deliveryBadge } from './words.ts';

/** Poll intervals: while a delivery is due, and otherwise. */
const pollMs = { due: 1_000, else: 5_000 };

/** Maximum number of characters that the page shows of a body. */
const shownMax = 20_000;

const states = [
  { value: '', words: 'All' },
  { value: 'pending', words: 'Waiting' },
  { value: 'delivered', words: 'Delivered' },
  { value: 'failed', words: 'Failed' },
];

interface DeliveryListOptions {
  webhookId: string;
  /** Returns `true` while the dispatcher sends to the webhook: it is neither paused nor disabled. */
  isActive(): boolean;
  /** Called if there were attempts since the last read. */
  onAttempts(): void;
}

/** The deliveries of a webhook, the newest first. They are polled while the page is visible. */
export function deliveryList({ webhookId, isActive, onAttempts }: DeliveryListOptions) {
  let state = '';
  let shown: Delivery[] = [];
  let older: string | undefined;
  let isRead = false;
  /** Bodies that the reader has opened, by delivery id. */
  const bodies = new Map<string, string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function read(): Promise<void> {
    const requestedState = state;
    const { deliveries, nextCursor } = await readDeliveries(webhookId, requestedState);
    // The reader has chosen another state meanwhile.
    if (requestedState !== state) return;
    const ids = new Set(deliveries.map(({ id }) => id));
    const oldestMs = deliveries.at(-1)?.createdMs ?? 0;
    const goesOn = nextCursor !== undefined && shown.some(({ id }) => ids.has(id));
    const rest = goesOn ? shown.filter(({ id, createdMs }) => !ids.has(id) && createdMs <= oldestMs) : [];
    if (!goesOn || rest.length === 0) older = nextCursor;
    shown = [...deliveries, ...rest];
    isRead = true;
  }

  async function readOlder(): Promise<void> {
    const { deliveries, nextCursor } = await readDeliveries(webhookId, state, older);
    const ids = new Set(shown.map(({ id }) => id));
    shown = [...shown, ...deliveries.filter(({ id }) => !ids.has(id))];
    older = nextCursor;
  }

  const attemptCount = () => shown.reduce((sum, { attempts }) => sum + attempts.length, 0);

  /** Reads the deliveries, and schedules the next read. */
  async function poll(): Promise<void> {
    clearTimeout(timer);
    if (document.visibilityState === 'visible' && part.attempts.busy === '') {
      // A failed read may succeed at the next poll. If the session has ended, the portal shows it.
      const before = attemptCount();
      const wasRead = isRead;
      await read().catch(() => undefined);
      part.show();
      if (wasRead && attemptCount() !== before) onAttempts();
    }
    if (!isShown) return;
    const nowMs = Date.now();
    const isDue = shown.some(({ dueMs }) => dueMs !== null && dueMs <= nowMs);
    clearTimeout(timer);
    timer = setTimeout(poll, isDue ? pollMs.due : pollMs.else);
  }

  function choose(event: Event): void {
    state = (event.currentTarget as HTMLSelectElement).value;
    [shown, isRead, older] = [[], false, undefined];
    part.attempts.run('Reading…', read);
  }

  async function resend({ id }: Delivery): Promise<void> {
    await part.attempts.run('Sending it again…', async () => {
      await resendDelivery(webhookId, id);
    });
    await poll();
  }

  async function showBody({ id }: Delivery): Promise<void> {
    if (bodies.has(id)) return;
    await part.attempts.run('Reading the body…', async () => {
      const { body } = await readDelivery(webhookId, id);
      bodies.set(id, body);
    });
  }

  function renderBody(id: string): Html {
    const body = bodies.get(id);
    if (body === undefined) return '';
    const text = visibleJson(body);
    return html`${code(text.slice(0, shownMax), 'Copy the body')}${text.length > shownMax ? html`<p class="muted">Cut after ${shownMax} characters. GET /api/adaptors/webhooks/${webhookId}/deliveries/${id} returns all of it.</p>` : ''}`;
  }

  function row(delivery: Delivery, nowMs: number): Html {
    const { id, event, network, createdMs, dueMs, attempts } = delivery;
    const open = ({ currentTarget }: Event) => {
      if ((currentTarget as HTMLDetailsElement).open) showBody(delivery);
    };
    return html`<li key=${id}><details onToggle=${open}>
      <summary>${deliveryBadge(delivery)} <code>${event}</code> <span class="muted">${network}, ${time(createdMs, nowMs)}${dueMs === null ? '' : html`, due ${time(dueMs, nowMs)}`}, ${attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}</span></summary>
      <div class="inside">
        ${attempts.length === 0 ? html`<p class="muted">Not attempted yet.</p>` : attemptTable(attempts, nowMs)}
        ${renderAnswers(attempts)}
        <h3>Body</h3>${renderBody(id)}
        <p class="actions"><button type="button" class="quiet" disabled=${part.attempts.busy !== '' || !isActive()} onClick=${() => resend(delivery)}>Send again</button>${isActive() ? '' : html`<span class="muted">Resume the webhook first.</span>`}</p>
      </div>
    </details></li>`;
  }

  function view(): Html {
    const nowMs = Date.now();
    const nothing =
      state === ''
        ? empty('Nothing was sent yet', html`<p>Send a test event, or wait for an event of the registry.</p>`)
        : empty('No delivery is in this state', html`<p>Choose another state.</p>`);
    const late = isActive() ? shown.find((one) => isOverdue(one, nowMs)) : undefined;
    return html`<div class="narrow filter"><label for="state">State</label> <select id="state" onChange=${choose}>${states.map(({ value, words }) => html`<option value=${value}>${words}</option>`)}</select></div>
      ${late ? notice('caution', 'What is due is not sent', html`<p>A delivery was due ${time(late.dueMs!, nowMs)}. Perhaps no dispatcher runs on this host: its operator adds the role <code>dispatcher</code> (<a href="/docs/webhooks#operate-the-dispatcher">how</a>).</p>`) : ''}
      ${!isRead || shown.length > 0 ? '' : nothing}
      <ul class="deliveries">${shown.map((one) => row(one, nowMs))}</ul>
      ${older === undefined ? '' : html`<p class="more"><button type="button" class="quiet" disabled=${part.attempts.busy !== ''} onClick=${() => part.attempts.run('Reading…', readOlder)}>Older deliveries</button></p>`}
      ${part.attempts.status()}`;
  }

  let isShown = false;
  const part = openPart(view, () => {
    isShown = true;
    poll();
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  });
  return {
    mount: part.mount,
    poll,
    clear() {
      [shown, isRead, older] = [[], false, undefined];
      bodies.clear();
    },
  };
}

function attemptTable(attempts: readonly WebhookAttempt[], nowMs: number): Html {
  const rows = attempts.map((one) => [
    one.number,
    time(one.startedMs, nowMs),
    html`<p>${describeOutcome(one)}</p>${pickErrorDetail(one) === null ? '' : html`<p class="muted">${plain(pickErrorDetail(one)!)}</p>`}`,
    one.status ?? '–',
    formatDuration(one.durationMs),
  ]);
  return table(['Attempt', 'Started', 'Outcome', 'Status', { number: 'Took' }], rows);
}

/** Renders the responses of the receiver. A stranger wrote them, and the dispatcher stores only their beginning. */
function renderAnswers(attempts: readonly WebhookAttempt[]): Html {
  return attempts.map(({ number, response }, at) => {
    // Equal consecutive responses are shown once.
    if (!response || attempts[at + 1]?.response === response) return '';
    const first = attempts.slice(0, at).findLast((one) => one.response !== response)?.number ?? 0;
    const which = first + 1 === number ? `attempt ${number}` : `attempts ${first + 1} to ${number}`;
    const lines = response.split('\n').map((line) => html`<p>${plain(line)}</p>`);
    return html`<h3>Answer to ${which}</h3><div class="answer" tabindex="0">${lines}</div>`;
  });
}
