import type { Report, Reports } from '@adaptor-marketplace/sdk';
import { adaptorPath, address, badge, empty, type Html, html, plain, time } from '../../components/index.ts';
import { request } from '../portal/session.ts';
import { actIn, createSection, moreButton, type Page, type Pages, type Section } from './section.ts';

const path = '/api/admin/reports';

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
export function reportsSection(
  page: Page,
  quarantine: (subject: string) => Promise<void>,
): Section<Pages<Report>> {
  async function load(cursor?: string): Promise<Pages<Report>> {
    const query = new URLSearchParams({ network: page.network, ...(cursor !== undefined && { cursor }) });
    const { reports, nextCursor } = await request<Reports>(`${path}?${query}`);
    return { items: reports, nextCursor };
  }

  const dismiss = ({ network, serviceType, publisher }: Report, upTo: number) =>
    actIn(section, page, {
      title: 'Dismiss its reports?',
      words: html`<p>The reports about <code class="quoted">${serviceType}</code> that you have read are deleted. Later ones stay.</p>`,
      button: 'Dismiss',
      work: async () => {
        const body = { network, serviceType, publisher, upTo };
        await request(`${path}/dismiss`, { method: 'POST', body });
      },
    });

  const row = (report: Report, newest: number, nowMs: number): Html => {
    const { network, serviceType, publisher, category, words, sentAtMs } = report;
    return html`<div class="allowed"><div>
        <h3>${categories[category]} <a href=${adaptorPath(network, serviceType, publisher)}><code>${plain(serviceType)}</code></a></h3>
        <p>${plain(words)} <span class="muted">${time(sentAtMs, nowMs)}, of publisher ${address(publisher)}</span></p>
      </div><div class="buttons"><button type="button" class="quiet danger" onClick=${() => quarantine(serviceType)}>Quarantine…</button>
        <button type="button" class="quiet" onClick=${() => dismiss(report, newest)}>Dismiss</button></div></div>`;
  };

  const section = createSection<Pages<Report>>({
    title: `Reports of readers on ${page.network}`,
    about: html`<p class="muted">Anyone can send a report, without a name. Check what it says before you act.</p>`,
    load: () => load(),
    show(pages) {
      const [first] = pages.items;
      if (!first) return empty('No reports', html`<p>Readers report listings on their pages.</p>`);
      const nowMs = Date.now();
      return html`${pages.items.map((report) => row(report, first.id, nowMs))}${moreButton(pages, page, load)}`;
    },
  });
  return section;
}
