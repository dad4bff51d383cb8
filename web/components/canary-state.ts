import { type Html, html } from './html.ts';
import { badge, type State } from './marks.ts';
import { time } from './values.ts';

/** States of simulated operations in the graph, with their state of a badge and their name. */
const states: Readonly<Record<string, readonly [State, word: string]>> = {
  UP: ['good', 'Up'],
  DEGRADED: ['caution', 'Degraded'],
  DOWN: ['danger', 'Down'],
  UNPROVEN: ['neutral', 'Unproven'],
};

export const readCanaryState = (state: string) => states[state] ?? (['neutral', state] as const);

/** Renders the state of an entry with its age. `UNPROVEN` says nothing about the entry, so it renders nothing. */
export function canaryBadge(state: string | null, sinceMs: number | null, nowMs: number): Html {
  if (state === null || state === 'UNPROVEN' || sinceMs === null) return '';
  const [mark, word] = readCanaryState(state);
  return html`<span>${badge(mark, `Simulations: ${word.toLowerCase()}`)} <span class="muted">since ${time(sinceMs, nowMs)}</span></span>`;
}
