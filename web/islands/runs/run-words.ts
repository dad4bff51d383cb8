import { badge, type Html, html, plain, type State } from '../../components/index.ts';

/** A line of a run's stream. */
export interface Step {
  step: string;
  status: 'active' | 'done' | 'error';
  code?: string;
  detail?: string;
  digest?: string;
}

/** As the API answers it. */
export interface Run {
  id: string;
  network: string;
  walletId: string;
  action: string;
  state: 'running' | 'signed' | 'unknown' | 'done' | 'failed';
  digest: string | null;
  code: string | null;
  gasCharged: string | null;
  startedMs: number;
  endedMs: number | null;
  reserved: { coinType: string; amount: string }[];
  steps: Step[];
}

const states: Record<Run['state'], [State, string]> = {
  running: ['neutral', 'Running'],
  signed: ['neutral', 'Sent'],
  unknown: ['caution', 'Not known'],
  done: ['good', 'Done'],
  failed: ['danger', 'Failed'],
};

export const runBadge = ({ state }: Pick<Run, 'state'>): Html => badge(...states[state]);

/** The steps in their order, as a reader would say them. */
const stepWords = new Map([
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

const stepStates: Record<Step['status'], [State, string]> = {
  active: ['neutral', 'Now'],
  done: ['good', 'Done'],
  error: ['danger', 'Failed'],
};

/** All steps, also those that are still to come. */
export function stepList(steps: readonly Step[]): Html {
  const latest = new Map(steps.map((step) => [step.step, step]));
  const rows = [...stepWords].map(([name, words]) => {
    const step = latest.get(name);
    return html`<li class="allowed"><div><p class=${step ? undefined : 'muted'}>${words}</p>${step?.detail ? html`<p class="muted">${plain(step.detail)}</p>` : ''}</div><p>${step ? badge(...stepStates[step.status]) : ''}</p></li>`;
  });
  return html`<ol class="steps">${rows}</ol>`;
}
