import type { Webhook } from '@adaptor-marketplace/sdk';
import {
  address,
  badge,
  counted,
  type Html,
  html,
  plain,
  type State,
  stat,
  time,
} from '../../components/index.ts';
import { describeOutcome, formatDuration, formatRate, pickErrorDetail } from '../../words/webhook.ts';
import type { Delivery, Statistics } from './api.ts';

/** Badges and figures of webhooks and deliveries in the portal. */

export function webhookBadge({ state, failingSinceMs }: Webhook): Html {
  if (state === 'paused') return badge('neutral', 'Paused');
  if (state === 'disabled') return badge('danger', 'Disabled');
  return failingSinceMs === null ? badge('good', 'Active') : badge('caution', 'Failing');
}

/** Subjects of the events of a webhook, as ` about …`; empty for all events. */
export function aboutWords({ wallet, serviceType, publisher }: Webhook): Html | '' {
  const parts = [
    ...(wallet === null ? [] : [html`what the wallet ${address(wallet)} has allowed`]),
    ...(serviceType === null ? [] : [html`the adaptor <code class="type">${serviceType}</code>`]),
    ...(publisher === null ? [] : [html`what the publisher ${address(publisher)} lists`]),
  ];
  if (parts.length === 0) return '';
  return html` about ${parts.map((part, at) => html`${at === 0 ? '' : ' and '}${part}`)}`;
}

const deliveryStates: Record<Delivery['state'], [State, string]> = {
  pending: ['caution', 'Waiting'],
  delivered: ['good', 'Delivered'],
  failed: ['danger', 'Failed'],
};

export const deliveryBadge = ({ state }: Delivery): Html => badge(...deliveryStates[state]);

/** The success rate, the time taken and the last failure of the last 24 hours. */
export function figures(one: Statistics | undefined, nowMs: number): Html {
  if (!one || one.attempts === 0) return html`<p class="muted">Nothing was sent in the last 24 hours.</p>`;
  const { attempts, delivered, medianMs, p95Ms, lastFailure } = one;
  const took = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));
  return html`<dl class="stats">
      ${stat('Success, last 24 hours', formatRate(delivered, attempts), `of ${counted(attempts, 'attempt')}`)}
      ${stat('Time taken, median', took(medianMs))}
      ${stat('95 of 100 within', took(p95Ms))}
    </dl>
    ${lastFailure === null ? '' : html`<p class="muted">Last failure ${time(lastFailure.startedMs, nowMs)}: ${describeOutcome(lastFailure)}. ${plain(pickErrorDetail(lastFailure) ?? '')}</p>`}`;
}
