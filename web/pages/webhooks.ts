import { code } from '../components/code.ts';
import { type Html, html } from '../components/html.ts';
import { notice } from '../components/marks.ts';
import { table } from '../components/table.ts';
import type { Content, PageRequest } from '../frame/page.ts';
import { verifySnippet } from '../words/webhook.ts';

/** An event that a webhook receives, with the body that a receiver gets. */
export interface EventExample {
  name: string;
  words: string;
  /** `true` if a webhook can subscribe to the event. A test event needs no subscription: it is sent on request. */
  chosen: boolean;
  /** Fields of `data` in the body. */
  fields: readonly { name: string; words: string }[];
  body: unknown;
}

interface WebhookHost {
  events: readonly EventExample[];
  /** `true` if the host has a key-value store. Without one, it has no webhooks. */
  isOn: boolean;
  /** `true` if the host can store the secrets with which it signs deliveries. */
  signs: boolean;
}

/** Renders the element in which the script shows the portal of an API key. */
function portal(id: 'webhooks' | 'webhook', { isOn, signs, events }: WebhookHost, webhook?: string): Html {
  if (!isOn)
    return notice(
      'caution',
      'This host has no webhooks',
      html`<p>They need a key-value store, and this host has none. Its operator sets <code>REDIS_URL</code>, or <code>KV_REST_API_URL</code> with <code>KV_REST_API_TOKEN</code> (<a href="/docs/limits-and-keys#the-store">how</a>). <code>npm start</code> then runs the dispatcher too; a host that names its roles adds <code>dispatcher</code>.</p>
        <p>Without webhooks you can read the same events <a href="/docs/webhooks#read-the-events-by-cursor">by cursor</a> or <a href="/docs/webhooks#read-the-events-as-a-stream">as a stream</a>.</p>`,
    );
  const named = events.filter(({ chosen }) => chosen).map(({ name, words }) => ({ name, words }));
  return html`<div id=${id} class="webhooks" data-webhook=${webhook} data-signs=${String(signs)} data-events=${JSON.stringify(named)}>
      <div class="box" data-script><p data-loading>Loading the form…</p></div>
    </div>
    <noscript><div class="box"><p>Webhooks belong to an API key, so this page needs script to sign in with one. <a href="/docs/webhooks#subscribe">The same requests with curl</a> need none.</p></div></noscript>`;
}

const keyOwnership = html`<p>A webhook belongs to an API key. The operator of this host issues keys (<a href="/docs/limits-and-keys#api-keys">how</a>): ask them for one. A key is a secret, and every webhook of a key can be changed with it.</p>`;

/** The page of the webhooks of an API key, with an introduction. */
export function webhooksPage(host: WebhookHost, { networks }: PageRequest): Content {
  const rows = host.events.map(({ name, words }) => [
    html`<a href=${`/webhooks/events#${name}`}><code>${name}</code></a>`,
    words,
  ]);
  return {
    title: 'Webhooks',
    description: 'Have events about adaptors sent to your url, signed, and again until you have them.',
    ...(host.isOn && { islands: ['webhooks'] }),
    main: html`<h1>Webhooks</h1>
      <p class="lead">This host sends the events of the registry on ${networks.join(' and ')}, and its own about adaptors, to your url: signed, in order, and again until you have them.</p>
      ${portal('webhooks', host)}
      <section class="text gap"><h2>Where keys come from</h2>${keyOwnership}</section>
      <section class="part gap"><h2>Events</h2>${table(['Event', 'When it is sent'], rows)}</section>
      <section class="text"><h2>Verify what you receive</h2>
        <p>Anyone can send a request to your url. Check its signature with the secret of the webhook:</p>
        ${code(verifySnippet)}
        <p>An event can arrive twice: process each <code>id</code> once. <a href="/docs/webhooks">More about webhooks</a></p>
      </section>`,
  };
}

/** The page of one webhook with its deliveries, for the holder of its API key. */
export const webhookPage = (host: WebhookHost, { parameters: { webhookId } }: PageRequest): Content => ({
  title: `Webhook ${webhookId}`,
  description: 'The settings and the deliveries of a webhook.',
  ...(host.isOn && { islands: ['webhooks'] }),
  main: html`<p><a href="/webhooks">All webhooks</a></p>
    <h1>Webhook</h1>
    <p class="muted"><code>${webhookId}</code></p>
    ${portal('webhook', host, webhookId)}
    <section class="text gap"><h2>Whose it is</h2>${keyOwnership}</section>`,
});

export const webhookEventsPage = ({ events }: WebhookHost): Content => ({
  title: 'Events of webhooks',
  description: 'Every event that a webhook can receive, with an example of its body.',
  main: html`<p><a href="/webhooks">Webhooks</a></p>
    <h1>Events of webhooks</h1>
    <p class="lead">What a receiver gets: a POST request with a body like these. <a href="/docs/webhooks#what-you-receive">Its headers and signatures</a></p>
    ${events.map(
      ({ name, words, fields, body }) =>
        html`<section class="part gap" id=${name}><h2>${name}</h2><p>${words}</p>${code(JSON.stringify(body, null, 2), `Copy the body of ${name}`)}
          <dl class="facts">${fields.map((field) => html`<dt><code>${field.name}</code></dt><dd>${field.words}</dd>`)}</dl></section>`,
    )}
    <section class="text gap"><h2>All of them</h2>
      <p><code>id</code> names the event: it is the same at every attempt, and at every subscriber. <code>data</code> has the fields of the event, in camelCase, or null if an event of the chain could not be decoded; fields may be added to it. <code>timestampMs</code> is the time of the checkpoint, or the time at which this host added an event of its own.</p>
    </section>`,
});
