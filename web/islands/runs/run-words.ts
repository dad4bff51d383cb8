import type { AgentRun, AgentRunStep } from '@adaptor-marketplace/sdk';
import { badge, type Html, html, plain, type State } from '../../components/index.ts';

const states: Record<AgentRun['state'], [State, string]> = {
  running: ['neutral', 'Running'],
  signed: ['neutral', 'Sent'],
  unknown: ['caution', 'Not known'],
  done: ['good', 'Done'],
  failed: ['danger', 'Failed'],
};

export const runBadge = ({ state }: Pick<AgentRun, 'state'>): Html => badge(...states[state]);

/** Labels of the steps, in the order of a run. */
const stepWords = new Map<AgentRunStep['step'], string>([
  ['validate', 'The request is read'],
  ['authorize', 'Your credential is checked'],
  ['guard', 'Limits and freezes are checked'],
  ['draft', 'The transaction is drafted'],
  ['check', 'It is checked against your request'],
  ['simulate', 'It is simulated on the chain node'],
  ['sign', 'The agent’s key signs it'],
  ['execute', 'It is sent to the chain'],
  ['confirm', 'The chain confirms it'],
]);

const stepStates: Record<AgentRunStep['status'], [State, string]> = {
  active: ['neutral', 'Now'],
  done: ['good', 'Done'],
  error: ['danger', 'Failed'],
};

/** Renders all steps, including those that have not started. */
export function stepList(steps: readonly AgentRunStep[]): Html {
  const latest = new Map(steps.map((step) => [step.step, step]));
  const rows = [...stepWords].map(([name, words]) => {
    const step = latest.get(name);
    return html`<li class="allowed"><div><p class=${step ? undefined : 'muted'}>${words}</p>${step?.detail ? html`<p class="muted">${plain(step.detail)}</p>` : ''}</div><p>${step ? badge(...stepStates[step.status]) : ''}</p></li>`;
  });
  return html`<ol class="steps">${rows}</ol>`;
}
