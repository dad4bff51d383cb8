import { createAttentionSection } from './operator/attention.ts';
import { createConfirmationsSection } from './operator/confirmations.ts';
import { createDispatcherSection } from './operator/dispatcher.ts';
import { createFreezesSection, createPlansSection } from './operator/freezes-and-plans.ts';
import { createHiddenSections } from './operator/hidden.ts';
import { createKeysSection } from './operator/keys.ts';
import { createListingsSection } from './operator/listings.ts';
import { createQuarantinesSection } from './operator/quarantines.ts';
import { createReportsSection } from './operator/reports.ts';
import { createRunsSection, createSettleSection } from './operator/runs.ts';
import type { Page, Section } from './operator/section.ts';
import { createSettingsSection } from './operator/settings.ts';
import { createSourcesSection } from './operator/sources.ts';
import { getCurrentSession } from './portal/session.ts';
import { openPortal } from './portal/sign-in.ts';

/** The pages of the operator. Each has sections, and each section reads its own data. */

const container = document.querySelector<HTMLElement>('#operator');
if (container) {
  const { part = 'overview', network = '', networks = '' } = container.dataset;
  const page: Page = {
    network,
    networks: networks.split(','),
    refresh: (work) => attempts.run('Reading…', work),
  };
  const sections = createSections(part, page);
  const attempts = openPortal(container, {
    kind: 'admin',
    read: async () => void (await Promise.all(sections.map((section) => section.read()))),
    clear: () => {
      for (const section of sections) section.clear();
    },
    content: () => sections.map((section) => section.content()),
  });
  if (part === 'overview') followSources(sections, attempts.run);
}

function createSections(part: string, page: Page): Section[] {
  switch (part) {
    case 'listings': {
      const quarantines = createQuarantinesSection(page);
      const reports = createReportsSection(page, quarantines.quarantine);
      return [
        reports,
        quarantines,
        ...createHiddenSections(page),
        createConfirmationsSection(page),
        createListingsSection(page),
      ];
    }
    case 'agent':
      return [
        createSettleSection(page),
        createFreezesSection(page),
        createPlansSection(page),
        createRunsSection(page),
      ];
    case 'keys':
      return [createKeysSection(page)];
    case 'settings':
      return [createSettingsSection()];
    default: {
      const [sources, dispatcher] = [createSourcesSection(), createDispatcherSection()];
      return [createAttentionSection(sources, dispatcher), sources, dispatcher];
    }
  }
}

/** Reads the sections again every 10 s while the page is visible. Rates are measured between two reads. */
function followSources(
  sections: readonly Section[],
  attempt: (what: string, work: () => Promise<void>) => Promise<void>,
): void {
  const everyMs = 10_000;
  setInterval(() => {
    const isRead = sections.every((section) => section.data() !== undefined);
    if (document.hidden || getCurrentSession()?.kind !== 'admin' || !isRead) return;
    attempt('', async () => void (await Promise.all(sections.map((section) => section.read()))));
  }, everyMs);
}
