import type { ApiKey, ApiKeys, IssuedApiKey } from '@adaptor-marketplace/sdk';
import { count, empty, type Html, html, plain, table, time } from '../../components/index.ts';
import { ask, getFieldText, showOnce } from '../portal/ask.ts';
import { request } from '../portal/session.ts';
import { actIn, createSection, type Page, type Section } from './section.ts';

const path = '/api/adaptors/keys';

export function createKeysSection(page: Page): Section<ApiKey[]> {
  async function issue(): Promise<void> {
    const issued: IssuedApiKey[] = [];
    await ask({
      title: 'Issue an API key',
      words: html`<p>Who has the key gets its limit instead of the one for everyone, makes webhooks, and asks SQL where that is on. The key is shown once.</p>
        <label for="integrator">Integrator</label>
        <input type="text" id="integrator" name="integrator" required maxlength="64" autocomplete="off" aria-describedby="integrator-hint" />
        <p class="hint" id="integrator-hint">Listings and usage are attributed to this name.</p>
        <label for="ratePerMin">Requests a minute</label>
        <input type="number" id="ratePerMin" name="ratePerMin" required min="1" max="1000000" defaultValue="600" />
        <label for="label">Label</label>
        <input type="text" id="label" name="label" maxlength="200" autocomplete="off" aria-describedby="label-hint" />
        <p class="hint" id="label-hint">Optional: a name for yourself.</p>`,
      button: 'Issue key',
      async work(entered) {
        const label = getFieldText(entered, 'label');
        const body = {
          integrator: getFieldText(entered, 'integrator'),
          ratePerMin: Number(entered.get('ratePerMin')),
          ...(label !== '' && { label }),
        };
        issued.push(await request(path, { method: 'POST', body }));
      },
    });
    const made = issued.pop();
    if (!made) return;
    await showOnce({
      title: 'The key is issued',
      words: html`<p>Give it to ${plain(made.integrator)} over a channel that you trust. This host stores only its hash, and cannot show it again.</p>`,
      secret: made.key,
    });
    await page.refresh(section.read);
  }

  const revoke = ({ id, integrator, label }: ApiKey): Promise<void> =>
    actIn(section, page, {
      title: 'Revoke this API key?',
      words: html`<p>The next request with the key of ${plain(integrator)}${label === undefined ? '' : html` (${plain(label)})`} is refused. Its webhooks go on until you delete them. A revoked key cannot be restored: you would issue another one.</p>`,
      button: 'Revoke key',
      danger: true,
      work: () => request(`${path}/${encodeURIComponent(id)}`, { method: 'DELETE' }),
    });

  const renderRow = (key: ApiKey, nowMs: number): Html[] => [
    html`<p>${plain(key.integrator)}</p>${key.label === undefined ? '' : html`<p class="muted">${plain(key.label)}</p>`}`,
    html`<code>${key.id}</code>`,
    count(key.ratePerMin),
    time(key.createdMs, nowMs),
    html`<button type="button" class="quiet danger" onClick=${() => revoke(key)} aria-label=${`Revoke ${key.id}`}>Revoke</button>`,
  ];

  const section = createSection<ApiKey[]>({
    title: 'API keys',
    about: html`<p class="actions"><button type="button" onClick=${issue}>Issue a key</button></p>`,
    load: async () => (await request<ApiKeys>(path)).keys,
    show(keys) {
      if (keys.length === 0)
        return empty(
          'No API key yet',
          html`<p>Integrators get a higher limit and webhooks with a key of yours.</p>`,
        );
      const nowMs = Date.now();
      const rows = keys.map((key) => renderRow(key, nowMs));
      const numbers = ['Requests a minute', 'Issued', 'Revoke'].map((number) => ({ number }));
      return html`${table(['Integrator', 'Id', ...numbers], rows)}<p class="muted">The key-value store has the hash of each key, never the key.</p>`;
    },
  });
  return section;
}
