import type { DispatcherState, Webhook, Webhooks } from '@adaptor-marketplace/sdk';
import {
  badge,
  count,
  counted,
  empty,
  type Html,
  html,
  plain,
  stat,
  table,
  time,
} from '../../components/index.ts';
import { request } from '../portal/session.ts';
import { createSection, type Section } from './section.ts';

export interface Dispatching {
  state: DispatcherState;
  webhooks: Webhook[];
}

const isTroubled = ({ state, signing, backlog, failingSinceMs }: Webhook) =>
  state === 'disabled' || signing === 'unreadable' || failingSinceMs !== null || backlog > 0;

function renderTrouble({ state, disabledReason, signing, failingSinceMs }: Webhook, nowMs: number): Html {
  if (state === 'disabled')
    return badge('danger', disabledReason === 'gone' ? 'Disabled: receiver is gone' : 'Disabled: failing');
  if (signing === 'unreadable') return badge('danger', 'Its secret cannot be decrypted');
  if (failingSinceMs !== null)
    return html`${badge('caution', 'Failing')} <span class="muted">since ${time(failingSinceMs, nowMs)}</span>`;
  return badge('neutral', state === 'paused' ? 'Paused' : 'Catching up');
}

/** State of the dispatchers, and the webhooks that do not receive their events. */
export const createDispatcherSection = (): Section<Dispatching> =>
  createSection<Dispatching>({
    title: 'Webhook dispatcher',
    async load() {
      const [state, { webhooks }] = await Promise.all([
        request<DispatcherState>('/api/admin/dispatcher'),
        request<Webhooks>('/api/adaptors/webhooks'),
      ]);
      return { state, webhooks };
    },
    show({ state: { heads, subscriptions, lastTakenMs, retries }, webhooks }) {
      const nowMs = Date.now();
      const waiting = webhooks.reduce((sum, { backlog }) => sum + backlog, 0);
      const troubled = webhooks.filter(isTroubled);
      const positions = Object.entries(heads).map(([network, at]) =>
        stat(`Last event of ${network}`, at === null ? 'none' : count(at), at === null ? '' : 'checkpoint'),
      );
      const figures = html`<dl class="stats">
        ${stat('Webhooks', count(webhooks.length))}
        ${stat('Events waiting', count(waiting))}
        ${stat('To be sent again', count(retries.waiting))}
        ${stat('Overdue', count(retries.overdue), 'for over a minute')}
        ${stat('Being sent to now', count(subscriptions.leased))}
        ${positions}
      </dl>
      <p class="muted">${lastTakenMs === null ? 'No dispatcher has sent anything yet.' : html`A dispatcher last took up work ${time(lastTakenMs, nowMs)}.`}${retries.oldestDueMs === null ? '' : html` The oldest delivery to be sent again is due ${time(retries.oldestDueMs, nowMs)}.`}${subscriptions.missing === 0 ? '' : ` The key-value store has lost ${counted(subscriptions.missing, 'webhook')}.`}</p>`;
      if (troubled.length === 0)
        return html`${figures}${empty('Every webhook has its events', html`<p>Webhooks that fail or lag are listed here.</p>`)}`;
      const rows = troubled.map((webhook) => [
        html`<code>${webhook.id}</code>`,
        html`<span class="quoted">${plain(webhook.url)}</span>`,
        html`<code>${webhook.owner ?? ''}</code>`,
        renderTrouble(webhook, nowMs),
        count(webhook.backlog),
      ]);
      const columns = ['Webhook', 'Url', 'API key', 'State', { number: 'Waiting' }];
      return html`${figures}${table(columns, rows)}`;
    },
  });
