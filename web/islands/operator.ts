import { attentionSection } from './operator/attention.ts';
import { confirmationsSection } from './operator/confirmations.ts';
import { dispatcherSection } from './operator/dispatcher.ts';
import { freezesSection, plansSection } from './operator/freezes-and-plans.ts';
import { hiddenSections } from './operator/hidden.ts';
import { keysSection } from './operator/keys.ts';
import { createListingsSection } from './operator/listings.ts';
import { quarantinesSection } from './operator/quarantines.ts';
import { reportsSection } from './operator/reports.ts';
import { runsSection, settleSection } from './operator/runs.ts';
import type { Page, Section } from './operator/section.ts';
import { settingsSection } from './operator/settings.ts';
import { sourcesSection } from './operator/sources.ts';
import { currentSession } from './portal/session.ts';
import { openPortal } from './portal/sign-in.ts';

/** The pages of the operator. Each has sections, and each section reads its own data. */

const place = document.querySelector<HTMLElement>('#operator');
if (place) {
  const { part = 'overview', network = '', networks = '' } = place.dataset;
  const page: Page = {
    network,
    networks: networks.split(','),
    refresh: (work) => attempts.run('Reading…', work),
  };
  const sections = createSections(part, page);
  const attempts = openPortal(place, {
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
      const quarantines = quarantinesSection(page);
      const reports = reportsSection(page, quarantines.quarantine);
      return [
        reports,
        quarantines,
        ...hiddenSections(page),
        confirmationsSection(page),
        createListingsSection(page),
      ];
    }
    case 'agent':
      return [settleSection(page), freezesSection(page), plansSection(page), runsSection(page)];
    case 'keys':
      return [keysSection(page)];
    case 'settings':
      return [settingsSection()];
    default: {
      const [sources, dispatcher] = [sourcesSection(), dispatcherSection()];
      return [attentionSection(sources, dispatcher), sources, dispatcher];
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
    if (document.hidden || currentSession()?.kind !== 'admin' || !isRead) return;
    attempt('', async () => void (await Promise.all(sections.map((section) => section.read()))));
  }, everyMs);
}
