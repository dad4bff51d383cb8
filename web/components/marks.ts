import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import { count, counted } from './values.ts';

export type State = 'good' | 'caution' | 'danger' | 'neutral';

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
  return html`<span class="rating">${icon('star')}${avg.toFixed(1)} <span class="muted">of 5, ${counted(count, 'review')}</span></span>`;
}

export const stat = (label: string, value: Html, unit = ''): Html =>
  html`<div class="stat"><dt>${label}</dt><dd>${value}${unit === '' ? '' : html`<span class="unit"> ${unit}</span>`}</dd></div>`;

/** Renders how many people there are, with how many of them are new: `5 (2 new)`. */
export const peopleStat = (label: string, all: number, fresh: number): Html =>
  stat(label, count(all), fresh === 0 ? '' : `(${count(fresh)} new)`);

/** Renders a placeholder for an empty list, with the next thing to do. */
export const empty = (title: string, next: Html): Html =>
  html`<div class="empty"><p class="title">${title}</p>${next}</div>`;
