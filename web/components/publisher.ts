import { type Html, html } from './html.ts';
import { badge } from './marks.ts';
import { time } from './values.ts';

/** Renders the icon of a publisher. It proves nothing: the publisher chose it. */
export const publisherIcon = (path: string | null): Html =>
  path === null
    ? ''
    : html`<img class="publisher" src=${path} alt="" width="40" height="40" loading="lazy" />`;

/** A domain whose file names the publisher. */
export interface ProvenDomain {
  domain: string;
  lastSeenMs: number;
}

/** Renders a proven domain with the time at which its file was last seen. */
export const provenDomain = ({ domain, lastSeenMs }: ProvenDomain, nowMs: number): Html =>
  html`<p>${badge('good', domain)}</p><p class="muted">A file of this domain names the publisher. Last seen ${time(lastSeenMs, nowMs)}.</p>`;

/** Renders a SuiNS name, which was looked up both ways. */
export const suiName = (name: string): Html =>
  html`<code>${name}</code> <span class="muted">SuiNS name</span>`;
