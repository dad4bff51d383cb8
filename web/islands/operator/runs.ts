import type { AgentRun, AgentRuns } from '@adaptor-marketplace/sdk';
import {
  address,
  copyButton,
  empty,
  type Html,
  html,
  plain,
  shortened,
  table,
  time,
} from '../../components/index.ts';
import { getFieldText } from '../portal/ask.ts';
import { request } from '../portal/session.ts';
import { runBadge } from '../runs/run-words.ts';
import { actIn, createSection, type Page, type Pages, renderMoreButton, type Section } from './section.ts';

const createLoader =
  (filter: 'all' | 'unknown') =>
  async (cursor?: string): Promise<Pages<AgentRun>> => {
    const query = new URLSearchParams({ filter, ...(cursor !== undefined && { cursor }) });
    const { runs, nextCursor } = await request<AgentRuns>(`/api/admin/runs?${query}`);
    return { items: runs, nextCursor };
  };

export const loadUnknownRuns = createLoader('unknown');

const renderDigest = ({ digest }: AgentRun): Html =>
  digest === null
    ? html`<span class="muted">not signed</span>`
    : html`<span class="id"><code title=${digest}>${shortened(digest)}</code>${copyButton(digest, 'Copy the digest')}</span>`;

/** Runs that may or may not have executed. The operator looks them up in another archive, and records the outcome. */
export function createSettleSection(page: Page): Section<Pages<AgentRun>> {
  const settle = ({ id, digest, reserved }: AgentRun): Promise<void> =>
    actIn(section, page, {
      title: `Settle run ${id}`,
      words: html`<p>Look up its digest in an explorer or another archive first: <code class="quoted">${digest ?? 'none'}</code></p>
        <fieldset class="choices"><legend>How did it end?</legend>
          <label class="choice"><input type="radio" name="outcome" value="executed" required /> It executed: what it set aside counts as spent.</label>
          <label class="choice"><input type="radio" name="outcome" value="not_executed" required /> It did not execute: what it set aside is released, and its caller reads that nothing was spent. Be sure of it.</label>
        </fieldset>
        ${reserved.map(({ coinType, amount }, at) => html`<label for=${`spent-${at}`}>Spent of ${shortened(coinType)}, in base units, if it executed</label><input type="text" inputmode="numeric" pattern="[0-9]+" id=${`spent-${at}`} name=${`spent-${at}`} defaultValue=${amount} title=${coinType} />`)}
        <label for="note">How you know</label>
        <input type="text" id="note" name="note" required maxlength="500" autocomplete="off" aria-describedby="note-hint" />
        <p class="hint" id="note-hint">The callers of the wallet see it. A run is settled once: you cannot take it back.</p>`,
      button: 'Settle this run',
      async work(entered) {
        const outcome = getFieldText(entered, 'outcome');
        const spent = reserved.flatMap(({ coinType, amount }, at) => {
          const given = getFieldText(entered, `spent-${at}`);
          return given === '' || given === amount ? [] : [{ coinType, amount: given }];
        });
        const body = {
          outcome,
          note: getFieldText(entered, 'note'),
          ...(outcome === 'executed' && spent.length > 0 && { spent }),
        };
        await request(`/api/agent/runs/${id}/settle`, { method: 'POST', body });
      },
    });

  const renderRow = (run: AgentRun, nowMs: number): Html =>
    html`<div class="allowed"><div>
        <h3>Run ${run.id}: ${plain(run.action)} ${runBadge(run)} <span class="muted">${run.network}</span></h3>
        <p>It was signed ${time(run.startedMs, nowMs)}, and no configured node can say whether it executed. Its wallet runs nothing until you settle it.</p>
        <p class="muted">Digest ${renderDigest(run)}, wallet ${address(run.walletId)}, owner ${address(run.owner)}.</p>
      </div><div class="buttons"><button type="button" onClick=${() => settle(run)}>Settle</button></div></div>`;

  const section = createSection<Pages<AgentRun>>({
    title: 'Runs to settle',
    load: () => loadUnknownRuns(),
    show(pages) {
      if (pages.items.length === 0)
        return empty(
          'No run waits for you',
          html`<p>A run is listed here if it was signed, and no node can say whether it executed.</p>`,
        );
      const nowMs = Date.now();
      return html`${pages.items.map((run) => renderRow(run, nowMs))}${renderMoreButton(pages, page, loadUnknownRuns)}`;
    },
  });
  return section;
}

export function createRunsSection(page: Page): Section<Pages<AgentRun>> {
  const load = createLoader('all');
  const renderRow = (run: AgentRun, nowMs: number): Html[] => {
    const { detail } = run.steps.at(-1) ?? {};
    return [
      html`<p>${run.id}</p><p class="muted">${run.network}</p>`,
      html`<p>${plain(run.action)}</p><p class="muted">${address(run.walletId)}</p>`,
      html`${runBadge(run)}${run.code === null ? '' : html`<p class="muted">${plain(detail ?? run.code)}</p>`}`,
      renderDigest(run),
      time(run.startedMs, nowMs),
    ];
  };
  return createSection<Pages<AgentRun>>({
    title: 'Runs of all wallets',
    load: () => load(),
    show(pages) {
      if (pages.items.length === 0)
        return empty(
          'No run yet',
          html`<p>What the agent of this host does for its wallets is listed here.</p>`,
        );
      const nowMs = Date.now();
      const rows = pages.items.map((run) => renderRow(run, nowMs));
      const columns = ['Run', 'Action', 'State', 'Digest', { number: 'Started' }];
      return html`${table(columns, rows)}${renderMoreButton(pages, page, load)}`;
    },
  });
}
