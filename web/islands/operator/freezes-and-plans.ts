import type { AgentFreeze, AgentFreezes, AgentPlan, AgentPlans } from '@adaptor-marketplace/sdk';
import { dayMs } from '../../components/days.ts';
import {
  address,
  badge,
  empty,
  endTime,
  type Html,
  html,
  plain,
  table,
  time,
  wholeId,
} from '../../components/index.ts';
import { getFieldText } from '../portal/ask.ts';
import { request } from '../portal/session.ts';
import { actIn, createSection, networkField, type Page, type Section } from './section.ts';

const freezesPath = '/api/agent/freezes';

/** Describes the scope of a freeze, as the end of a sentence. */
function renderScope({ network, walletId }: Pick<AgentFreeze, 'network' | 'walletId'>): Html {
  const where = network === '*' ? 'on every network' : `on ${network}`;
  return walletId === '*' ? `any wallet ${where}` : html`the wallet ${wholeId(walletId)} ${where}`;
}

/** Freezes: wallets and networks for which the agent signs nothing. */
export function createFreezesSection(page: Page): Section<AgentFreeze[]> {
  const freeze = (): Promise<void> =>
    actIn(section, page, {
      title: 'Freeze',
      words: html`<p>The agent signs nothing for what you freeze until you lift it. Runs that are being prepared stop too. A transaction that is signed already is still settled. Owners can use their wallets by themselves.</p>
        ${networkField(page, 'All networks')}
        <label for="walletId">Wallet</label>
        <input type="text" id="walletId" name="walletId" class="mono" pattern="0x[0-9a-fA-F]{1,64}" autocomplete="off" spellcheck=${false} aria-describedby="wallet-hint" />
        <p class="hint" id="wallet-hint">Id of one wallet. Empty: all wallets.</p>
        <label for="reason">Reason</label>
        <input type="text" id="reason" name="reason" required maxlength="500" autocomplete="off" aria-describedby="reason-hint" />
        <p class="hint" id="reason-hint">Callers see it.</p>`,
      button: 'Freeze',
      danger: true,
      async work(entered) {
        const walletId = getFieldText(entered, 'walletId') || '*';
        const body = {
          network: getFieldText(entered, 'network'),
          walletId,
          reason: getFieldText(entered, 'reason'),
        };
        await request(freezesPath, { method: 'POST', body });
      },
    });

  function lift({ network, walletId, reason, frozenMs }: AgentFreeze): Promise<void> {
    const query = new URLSearchParams({ network, walletId, frozenMs: String(frozenMs) });
    return actIn(section, page, {
      title: 'Lift this freeze?',
      words: html`<p>The agent signs again for ${renderScope({ network, walletId })}, unless another freeze holds. It was frozen because: ${plain(reason)}</p>`,
      button: 'Lift the freeze',
      work: () => request(`${freezesPath}?${query}`, { method: 'DELETE' }),
    });
  }

  const renderRow = (one: AgentFreeze, nowMs: number): Html =>
    html`<div class="allowed"><div>
        <h3>${badge('caution', 'Frozen')} The agent signs nothing for ${renderScope(one)}</h3>
        <p>${plain(one.reason)} <span class="muted">${time(one.frozenMs, nowMs)}</span></p>
      </div><div class="buttons"><button type="button" class="quiet" onClick=${() => lift(one)}>Lift</button></div></div>`;

  const section = createSection<AgentFreeze[]>({
    title: 'Freezes',
    about: html`<p class="actions"><button type="button" class="quiet danger" onClick=${freeze}>Freeze…</button></p>`,
    load: async () => (await request<AgentFreezes>(freezesPath)).freezes,
    show(freezes) {
      if (freezes.length === 0)
        return empty(
          'Nothing is frozen',
          html`<p>Freeze a wallet, a network or everything when something is wrong.</p>`,
        );
      const nowMs = Date.now();
      return freezes.map((one) => renderRow(one, nowMs));
    },
  });
  return section;
}

const plansPath = '/api/agent/plans';

/** Plans: owners whose runs have their own limits. */
export function createPlansSection(page: Page): Section<AgentPlan[]> {
  const grant = (): Promise<void> =>
    actIn(section, page, {
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
        const days = getFieldText(entered, 'days');
        const body = {
          owner: getFieldText(entered, 'owner'),
          plan: getFieldText(entered, 'plan'),
          ...(days !== '' && { endsMs: Date.now() + Number(days) * dayMs }),
        };
        await request(plansPath, { method: 'POST', body });
      },
    });

  const end = ({ owner, plan, grantedMs }: AgentPlan): Promise<void> =>
    actIn(section, page, {
      title: 'End this plan?',
      words: html`<p>The plan ${plain(plan)} of ${address(owner)} ends now. Further runs count as those of a caller without a plan. Where AGENT_PAYWALL_URL is set, they are refused.</p>`,
      button: 'End the plan',
      danger: true,
      work: () => request(`${plansPath}/${owner}?grantedMs=${grantedMs}`, { method: 'DELETE' }),
    });

  const renderRow = (one: AgentPlan, nowMs: number): Html[] => [
    address(one.owner),
    plain(one.plan),
    time(one.grantedMs, nowMs),
    one.endsMs === null ? 'when you end it' : endTime(one.endsMs, nowMs),
    html`<button type="button" class="quiet danger" onClick=${() => end(one)}>End</button>`,
  ];

  const section = createSection<AgentPlan[]>({
    title: 'Plans',
    about: html`<p class="actions"><button type="button" class="quiet" onClick=${grant}>Grant a plan</button></p>`,
    load: async () => (await request<AgentPlans>(plansPath)).plans,
    show(plans) {
      if (plans.length === 0)
        return empty(
          'No plan is active',
          html`<p>Without a plan, the gas of a day is shared with all other callers.</p>`,
        );
      const nowMs = Date.now();
      const columns = ['Owner', 'Plan', 'Granted', 'Ends', { number: 'End' }];
      return table(
        columns,
        plans.map((one) => renderRow(one, nowMs)),
      );
    },
  });
  return section;
}
