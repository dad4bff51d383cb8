import { address, empty, endTime, type Html, html, plain, time } from '../../components/index.ts';
import { ask, textOf } from '../portal/ask.ts';
import { request } from '../portal/session.ts';
import { type Page, type Section, sectionOf, table } from './section.ts';

interface Plan {
  owner: string;
  plan: string;
  grantedMs: number;
  endsMs: number | null;
}

const path = '/api/agent/plans';
const dayMs = 86_400_000;

/** Owners whose runs count by limits of their own. */
export function plansSection({ refresh }: Page): Section<Plan[]> {
  async function grant(): Promise<void> {
    const isDone = await ask({
      title: 'Grant a plan',
      words: html`<p>Runs of the owner’s wallets no longer count against the gas that all callers without a plan share. If AGENT_PAYWALL_URL is set, only owners with a plan run anything. A plan that the owner has is replaced.</p>
        <label for="owner">Owner</label>
        <input type="text" id="owner" name="owner" class="mono" required pattern="0x[0-9a-fA-F]{1,64}" autocomplete="off" spellcheck=${false} placeholder="0x…" />
        <label for="plan">Plan</label>
        <input type="text" id="plan" name="plan" required maxlength="64" autocomplete="off" aria-describedby="plan-hint" />
        <p class="hint" id="plan-hint">What you call it.</p>
        <label for="days">Days</label>
        <input type="number" id="days" name="days" min="1" max="36500" aria-describedby="days-hint" />
        <p class="hint" id="days-hint">Empty: until you end it.</p>`,
      button: 'Grant plan',
      async work(entered) {
        const days = textOf(entered, 'days');
        const body = {
          ...{ owner: textOf(entered, 'owner'), plan: textOf(entered, 'plan') },
          ...(days !== '' && { endsMs: Date.now() + Number(days) * dayMs }),
        };
        await request(path, { method: 'POST', body });
      },
    });
    if (isDone) await refresh(section.read);
  }

  async function end({ owner, plan }: Plan): Promise<void> {
    const isDone = await ask({
      title: 'End this plan?',
      words: html`<p>The plan ${plain(plan)} of ${address(owner)} ends now. Further runs count as those of a caller without a plan. Where AGENT_PAYWALL_URL is set, they are refused.</p>`,
      button: 'End the plan',
      danger: true,
      work: () => request(`${path}/${owner}`, { method: 'DELETE' }),
    });
    if (isDone) await refresh(section.read);
  }

  const rowOf = (one: Plan, nowMs: number): Html[] => [
    address(one.owner),
    plain(one.plan),
    time(one.grantedMs, nowMs),
    one.endsMs === null ? 'when you end it' : endTime(one.endsMs, nowMs),
    html`<button type="button" class="quiet danger" onClick=${() => end(one)}>End</button>`,
  ];

  const section = sectionOf<Plan[]>({
    title: 'Plans',
    about: html`<p class="actions"><button type="button" class="quiet" onClick=${grant}>Grant a plan</button></p>`,
    load: async () => (await request<{ plans: Plan[] }>(path)).plans,
    show(plans) {
      if (plans.length === 0)
        return empty(
          'No plan is active',
          html`<p>Without a plan, the gas of a day is shared with all other callers.</p>`,
        );
      const nowMs = Date.now();
      const columns = ['Owner', 'Plan', 'Granted', 'Ends', { name: 'End', isNumber: true }];
      return table(
        columns,
        plans.map((one) => rowOf(one, nowMs)),
      );
    },
  });
  return section;
}
