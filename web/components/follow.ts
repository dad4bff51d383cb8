import { displayText } from '@adaptor-marketplace/adaptor/names';
import { type Html, html } from './html.ts';

/** A subject to follow: the listing of a publisher, or all of a publisher. */
interface Followed {
  /** Address of its Atom feed. */
  feed: string;
  network: string;
  name: string;
  publisher: string;
  /** Absent: all listings of the publisher. */
  serviceType?: string;
}

/** Events of webhooks about a listing that a reader of its page may want. */
const events = [
  'Updated',
  'Unlisted',
  'Quarantined',
  'QuarantineLifted',
  'PublisherVerified',
  'ClaimsWidened',
];

/** The query that fills the form of a new webhook: the events, and what they must be about. */
const webhookQuery = (publisher: string, serviceType: string | undefined) =>
  new URLSearchParams({
    events: events.join(','),
    ...(serviceType === undefined ? { publisher } : { serviceType, publisher }),
  });

/** Renders the ways to follow it: a feed, a webhook, and notifications of this browser. */
export const followPart = ({ feed, network, name, publisher, serviceType }: Followed): Html =>
  html`<aside class="follow" aria-labelledby="follow-title"><h2 id="follow-title">Follow</h2>
    <ul>
      <li><a href=${feed} type="application/atom+xml">Atom feed</a></li>
      <li><a href=${`/webhooks?${webhookQuery(publisher, serviceType)}`}>Webhook</a> <span class="muted">sends the events of ${serviceType === undefined ? 'its adaptors' : 'this adaptor'} to your server</span></li>
      <li data-script><button type="button" class="quiet" aria-pressed="false" data-watch data-network=${network} data-service=${serviceType} data-publisher=${publisher} data-name=${displayText(name)}>Notify me in this browser</button></li>
    </ul>
    <p class="muted" data-script>Notifications are shown while a page of this site is open.</p>
  </aside>`;
