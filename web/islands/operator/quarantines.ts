import type { QuarantineRecord, Quarantines } from '@adaptor-marketplace/sdk';
import { address, badge, empty, type Html, html, plain, time } from '../../components/index.ts';
import { ask, getFieldText } from '../portal/ask.ts';
import { request } from '../portal/session.ts';
import { createSection, type Page, type Pages, renderMoreButton, type Section } from './section.ts';

const path = '/api/admin/quarantines';

const renderSubject = (subject: string): Html =>
  subject.includes('::') ? html`<code>${plain(subject)}</code>` : html`the publisher ${address(subject)}`;

/**
 * Renders the fields of a decision: its reason, and the operator's name.
 * @param hint who can read the reason
 */
export const renderDecisionFields = (hint: string): Html => html`<label for="reason">Reason</label>
  <input type="text" id="reason" name="reason" required maxlength="500" autocomplete="off" aria-describedby="reason-hint" />
  <p class="hint" id="reason-hint">${hint}</p>
  <label for="operator-name">Your name</label>
  <input type="text" id="operator-name" name="operator" required maxlength="64" autocomplete="name" aria-describedby="operator-name-hint" />
  <p class="hint" id="operator-name-hint">For the record. Only operators see it.</p>`;

interface QuarantinesSection extends Section<Pages<QuarantineRecord>> {
  /** Opens the form of a quarantine. Other sections call it with a subject that they show. */
  quarantine(subject: string): Promise<void>;
}

/** Creates the section with all quarantines of a network, and the forms that begin and end a quarantine. */
export function createQuarantinesSection(page: Page): QuarantinesSection {
  async function load(cursor?: string): Promise<Pages<QuarantineRecord>> {
    const query = new URLSearchParams({
      network: page.network,
      filter: 'all',
      ...(cursor !== undefined && { cursor }),
    });
    const { quarantines, nextCursor } = await request<Quarantines>(`${path}?${query}`);
    return { items: quarantines, nextCursor };
  }

  const buildDecision = (entered: FormData, subject: string) => ({
    network: page.network,
    subject,
    reason: getFieldText(entered, 'reason'),
    operator: getFieldText(entered, 'operator'),
  });

  async function quarantine(subject: string): Promise<void> {
    const isDone = await ask({
      title: 'Quarantine',
      words: html`<p>This marketplace no longer offers or runs it, also where a run is being prepared. Its own page stays, with your reason. The chain does not change: owners can revoke their grants, and others can still call the package.</p>
        <label for="subject">Service type or publisher</label>
        <input type="text" id="subject" name="subject" class="mono" required defaultValue=${subject} maxlength="512" autocomplete="off" spellcheck=${false} aria-describedby="subject-hint" />
        <p class="hint" id="subject-hint">A service type hides its listings. The address of a publisher hides all of theirs.</p>
        ${renderDecisionFields('Everyone can read it.')}`,
      button: 'Quarantine',
      danger: true,
      work: async (entered) => {
        const body = buildDecision(entered, getFieldText(entered, 'subject'));
        await request(path, { method: 'POST', body });
      },
    });
    if (isDone) await page.refresh(section.read);
  }

  async function release({ id, subject, reason }: QuarantineRecord): Promise<void> {
    const isDone = await ask({
      title: 'Release it?',
      words: html`<p>${renderSubject(subject)} is shown again as its checks allow. It is in quarantine because: ${plain(reason)}</p>
        ${renderDecisionFields('For the record.')}`,
      button: 'Release',
      work: async (entered) => {
        await request(`${path}/release`, {
          method: 'POST',
          body: { ...buildDecision(entered, subject), id },
        });
      },
    });
    if (isDone) await page.refresh(section.read);
  }

  const renderRow = (record: QuarantineRecord, nowMs: number): Html => {
    const { subject, reason, operator, sinceMs, released } = record;
    const state = released ? badge('neutral', 'Released') : badge('danger', 'In quarantine');
    const end = released
      ? html`<p>Released: ${plain(released.reason)} <span class="muted">${plain(released.operator)}, ${time(released.atMs, nowMs)}</span></p>`
      : '';
    const button = released
      ? ''
      : html`<button type="button" class="quiet" onClick=${() => release(record)}>Release</button>`;
    return html`<div class="allowed"><div>
        <h3>${state} ${renderSubject(subject)}</h3>
        <p>${plain(reason)} <span class="muted">${plain(operator)}, ${time(sinceMs, nowMs)}</span></p>${end}
      </div><div class="buttons">${button}</div></div>`;
  };

  const section = createSection<Pages<QuarantineRecord>>({
    title: `Quarantines of ${page.network}`,
    about: html`<p class="actions"><button type="button" class="quiet danger" onClick=${() => quarantine('')}>Quarantine…</button></p>`,
    load: () => load(),
    show(pages) {
      if (pages.items.length === 0)
        return empty(
          'Nothing is in quarantine',
          html`<p>Quarantine a listing or a publisher that harms users.</p>`,
        );
      const nowMs = Date.now();
      return html`${pages.items.map((record) => renderRow(record, nowMs))}${renderMoreButton(pages, page, load)}`;
    },
  });
  return { ...section, quarantine };
}
