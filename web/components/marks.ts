import { type Html, html } from './html.ts';
import { counted } from './values.ts';

export type State = 'good' | 'caution' | 'danger' | 'neutral';

const shapes: Record<State, string> = {
  good: 'M8 0a8 8 0 1 1 0 16A8 8 0 0 1 8 0zm3.5 5L7 9.5 4.5 7 3.3 8.2 7 12l5.7-5.8z',
  caution: 'M8 .5 16 15H0zM7 6v4h2V6zm0 5.3v1.9h2v-1.9z',
  danger: 'M5 0h6l5 5v6l-5 5H5l-5-5V5zm2 3.5v5.6h2V3.5zm0 7v2h2v-2z',
  neutral: 'M8 0a8 8 0 1 1 0 16A8 8 0 0 1 8 0zm0 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2z',
};

export const icon = (state: State): Html =>
  html`<svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path fill-rule="evenodd" fill="currentColor" d=${shapes[state]} /></svg>`;

/** Renders a state as a word with an icon, so that the state does not depend on colour. */
export const badge = (state: State, word: string): Html =>
  html`<span class=${`badge ${state}`}>${icon(state)}${word}</span>`;

export const publisherBadge = (verified: boolean): Html =>
  verified ? badge('good', 'Verified publisher') : badge('caution', 'Unverified publisher');

export const tag = (word: Html): Html => html`<span class="tag">${word}</span>`;

/** Renders a message that the reader must not miss. */
export const notice = (state: State, title: string, body: Html): Html =>
  html`<div class=${`notice ${state}`}>${icon(state)}<div><p class="title">${title}</p>${body}</div></div>`;

export interface Rating {
  count: number;
  avg: number | null;
}

export function rating({ count, avg }: Rating): Html {
  if (avg === null) return html`<span class="muted">No reviews</span>`;
  return html`<span class="rating"><svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path fill="currentColor" d="m8 1 2.1 4.6 5 .6-3.7 3.4 1 5L8 12.1 3.6 14.6l1-5L.9 6.2l5-.6z"/></svg>${avg.toFixed(1)} <span class="muted">of 5, ${counted(count, 'review')}</span></span>`;
}

export const stat = (label: string, value: Html, unit = ''): Html =>
  html`<div class="stat"><dt>${label}</dt><dd>${value}${unit === '' ? '' : html`<span class="unit"> ${unit}</span>`}</dd></div>`;

/** Renders a placeholder for an empty list, with the next thing to do. */
export const empty = (title: string, next: Html): Html =>
  html`<div class="empty"><p class="title">${title}</p>${next}</div>`;
