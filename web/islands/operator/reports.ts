import type { Report, Reports } from '@adaptor-marketplace/sdk';
import { adaptorPath, address, badge, empty, type Html, html, plain, time } from '../../components/index.ts';
import { request } from '../portal/session.ts';
import { actIn, createSection, type Page, type Pages, renderMoreButton, type Section } from './section.ts';

const path = '/api/admin/reports';
/** Maximum number of reports that one request dismisses. */
const dismissedMax = 100;

const categories: Record<Report['category'], Html> = {
  malicious: badge('danger', 'Malicious'),
  misleading: badge('caution', 'Misleading'),
  broken: badge('caution', 'Broken'),
  other: badge('neutral', 'Other'),
};

/**
 * Reports of readers about the listings of a network.
 * @param quarantine asks for a quarantine of a service type; it resolves when the dialog is closed
 */
export function createReportsSection(
  page: Page,
  quarantine: (subject: string) => Promise<void>,
): Section<Pages<Report>> {
  async function load(cursor?: string): Promise<Pages<Report>> {
    const query = new URLSearchParams({ network: page.network, ...(cursor !== undefined && { cursor }) });
    const { reports, nextCursor } = await request<Reports>(`${path}?${query}`);
    return { items: reports, nextCursor };
  }

  /** Dismisses the shown reports about a listing. The operator has not read those on pages that are not loaded. */
  const dismiss = (one: Report, shown: readonly Report[]) =>
    actIn(section, page, {
      title: 'Dismiss its reports?',
      words: html`<p>The reports about <code class="quoted">${one.serviceType}</code> that this page shows are deleted. Others stay.</p>`,
      button: 'Dismiss',
      work: async () => {
        const about = shown.filter(
          ({ serviceType, publisher }) => serviceType === one.serviceType && publisher === one.publisher,
        );
        const ids = about.slice(0, dismissedMax).map(({ id }) => id);
        await request(`${path}/dismiss`, { method: 'POST', body: { ids } });
      },
    });

  const row = (report: Report, shown: readonly Report[], nowMs: number): Html => {
    const { network, serviceType, publisher, category, words, sentAtMs } = report;
    return html`<div class="allowed"><div>
        <h3>${categories[category]} <a href=${adaptorPath(network, serviceType, publisher)}><code>${plain(serviceType)}</code></a></h3>
        <p>${plain(words)} <span class="muted">${time(sentAtMs, nowMs)}, of publisher ${address(publisher)}</span></p>
      </div><div class="buttons"><button type="button" class="quiet danger" onClick=${() => quarantine(serviceType)}>Quarantine…</button>
        <button type="button" class="quiet" onClick=${() => dismiss(report, shown)}>Dismiss</button></div></div>`;
  };

  const section = createSection<Pages<Report>>({
    title: `Reports of readers on ${page.network}`,
    about: html`<p class="muted">Anyone can send a report, without a name. Check what it says before you act.</p>`,
    load: () => load(),
    show(pages) {
      const { items } = pages;
      if (items.length === 0)
        return empty('No reports', html`<p>Readers report listings on their pages.</p>`);
      const nowMs = Date.now();
      return html`${items.map((report) => row(report, items, nowMs))}${renderMoreButton(pages, page, load)}`;
    },
  });
  return section;
}
