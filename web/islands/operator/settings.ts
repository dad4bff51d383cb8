import type { HostSettings } from '@adaptor-marketplace/sdk';
import { badge, type Html, html, table } from '../../components/index.ts';
import { request } from '../portal/session.ts';
import { createSection, type Section } from './section.ts';

type Setting = HostSettings['settings'][number];

function renderValue({ isSet, value }: Setting): Html {
  if (value === '[masked]') return badge('good', 'Set');
  if (value === '') return html`<span class="muted">not set</span>`;
  return html`<code class="quoted">${value}</code>${isSet ? '' : html` <span class="muted">default</span>`}`;
}

/** Creates the section with the settings of the gateway. Values of secrets are masked. */
export const createSettingsSection = (): Section<Setting[]> =>
  createSection<Setting[]>({
    title: 'Settings in force',
    about: html`<p class="muted">Those of the gateway that answered. Of secrets you see whether they are set; of urls that may hold a key, scheme and host. Change them in the environment or <code>.env</code>, and start again.</p>`,
    load: async () => (await request<HostSettings>('/api/admin/settings')).settings,
    show: (settings) =>
      table(
        ['Setting', 'Value'],
        settings.map((setting) => [
          html`<p><code>${setting.name}</code></p><p class="muted">${setting.meaning}</p>`,
          renderValue(setting),
        ]),
      ),
  });
