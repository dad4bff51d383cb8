import { badge, empty, type Html, html, plain, shortened, time } from '../../components/index.ts';
import { ask, textOf } from '../portal/ask.ts';
import { request } from '../portal/session.ts';
import { networkField, type Page, type Section, sectionOf } from './section.ts';

interface Freeze {
  network: string;
  walletId: string;
  reason: string;
  frozenMs: number;
}

const path = '/api/agent/freezes';

/** What a freeze stops, as the end of a sentence. */
function scopeOf({ network, walletId }: Pick<Freeze, 'network' | 'walletId'>): string {
  const where = network === '*' ? 'on every network' : `on ${network}`;
  return walletId === '*' ? `any wallet ${where}` : `the wallet ${shortened(walletId)} ${where}`;
}

/** Where the agent signs nothing. */
export function freezesSection(page: Page): Section<Freeze[]> {
  async function freeze(): Promise<void> {
    const isDone = await ask({
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
        const walletId = textOf(entered, 'walletId') || '*';
        const body = { network: textOf(entered, 'network'), walletId, reason: textOf(entered, 'reason') };
        await request(path, { method: 'POST', body });
      },
    });
    if (isDone) await page.refresh(section.read);
  }

  async function lift({ network, walletId, reason }: Freeze): Promise<void> {
    const query = new URLSearchParams({ network, walletId });
    const isDone = await ask({
      title: 'Lift this freeze?',
      words: html`<p>The agent signs again for ${scopeOf({ network, walletId })}, unless another freeze holds. It was frozen because: ${plain(reason)}</p>`,
      button: 'Lift the freeze',
      work: () => request(`${path}?${query}`, { method: 'DELETE' }),
    });
    if (isDone) await page.refresh(section.read);
  }

  const row = (one: Freeze, nowMs: number): Html =>
    html`<div class="allowed"><div>
        <h3>${badge('caution', 'Frozen')} The agent signs nothing for ${scopeOf(one)}</h3>
        <p>${plain(one.reason)} <span class="muted">${time(one.frozenMs, nowMs)}</span></p>
      </div><div class="buttons"><button type="button" class="quiet" onClick=${() => lift(one)}>Lift</button></div></div>`;

  const section = sectionOf<Freeze[]>({
    title: 'Freezes',
    about: html`<p class="actions"><button type="button" class="quiet danger" onClick=${freeze}>Freeze…</button></p>`,
    load: async () => (await request<{ freezes: Freeze[] }>(path)).freezes,
    show(freezes) {
      if (freezes.length === 0)
        return empty(
          'Nothing is frozen',
          html`<p>Freeze a wallet, a network or everything when something is wrong.</p>`,
        );
      const nowMs = Date.now();
      return freezes.map((one) => row(one, nowMs));
    },
  });
  return section;
}
