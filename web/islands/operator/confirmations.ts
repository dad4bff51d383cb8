import type { HostConfirmations } from '@adaptor-marketplace/sdk';
import {
  adaptorPath,
  address,
  badge,
  changeTable,
  counted,
  empty,
  type Html,
  html,
  plain,
  time,
} from '../../components/index.ts';
import { ActionFailedError, send } from '../api/ask.ts';
import { getFieldText } from '../portal/ask.ts';
import { request } from '../portal/session.ts';
import { actIn, createSection, type Page, type Pages, renderMoreButton, type Section } from './section.ts';

type Confirmation = HostConfirmations['confirmations'][number];

const states = {
  confirmed: () => badge('good', 'Confirmed'),
  changed: () => badge('caution', 'Changed since'),
  not_shown: () => badge('danger', 'Not in the catalog'),
} as const;

const path = '/api/agent/adaptors';

export async function loadConfirmations(cursor?: string): Promise<Pages<Confirmation>> {
  const query = cursor === undefined ? '' : `?${new URLSearchParams({ cursor })}`;
  const { confirmations, nextCursor } = await request<HostConfirmations>(`/api/admin/confirmations${query}`);
  return { items: confirmations, nextCursor };
}

const consequence = html`<p>Runs of wallets that no lock on chain holds to bounds call an adaptor only at the version that you confirmed. Confirm it once you have read its code and its manifest.</p>`;

/** Adaptors that the operator confirmed, and updates that suspend a confirmation. */
export function createConfirmationsSection(page: Page): Section<Pages<Confirmation>> {
  function confirm({ confirmed, shown, changes }: Confirmation): Promise<void> {
    const { network, serviceType } = confirmed;
    return actIn(section, page, {
      title: `Confirm version ${shown!.version} of ${shown!.name.slice(0, 64)}?`,
      words: html`${consequence}
        <p>${counted(changes.length, 'field')} changed. The manifest has the hash <code class="quoted">${shown!.manifestHash}</code>.</p>`,
      button: 'Confirm this version',
      work: async () => {
        const { manifestHash } = shown!;
        await request(path, { method: 'POST', body: { network, serviceType, manifestHash } });
      },
    });
  }

  function remove({ confirmed: { network, serviceType } }: Confirmation): Promise<void> {
    const query = new URLSearchParams({ network, serviceType });
    return actIn(section, page, {
      title: 'Remove the confirmation?',
      words: html`<p>Runs of wallets that no lock on chain holds to bounds no longer call <code class="quoted">${serviceType}</code>. You can confirm it again.</p>`,
      button: 'Remove',
      danger: true,
      work: () => request(`${path}?${query}`, { method: 'DELETE' }),
    });
  }

  const add = (): Promise<void> =>
    actIn(section, page, {
      title: 'Confirm an adaptor',
      words: html`${consequence}
        <label for="serviceType">Service type</label>
        <input type="text" id="serviceType" name="serviceType" class="mono" required maxlength="960" autocomplete="off" spellcheck=${false} placeholder="0x…::module::Witness" />
        <label for="manifestHash">Manifest hash</label>
        <input type="text" id="manifestHash" name="manifestHash" class="mono" required pattern="[0-9a-f]{64}" maxlength="64" autocomplete="off" spellcheck=${false} aria-describedby="hash-hint" />
        <p class="hint" id="hash-hint">Of the version that you read: 64 hex digits, on the adaptor’s page. If the listing has another one by now, nothing is confirmed.</p>`,
      button: 'Confirm this version',
      async work(entered) {
        const { network } = page;
        const serviceType = getFieldText(entered, 'serviceType');
        const listing = await send<{ serviceType: string; adaptor: object | null }>(
          `/api/adaptors/${encodeURIComponent(serviceType)}?${new URLSearchParams({ network })}`,
          { cache: 'no-store' },
        );
        if (!listing.adaptor)
          throw new ActionFailedError(
            'The catalog does not have it',
            `No adaptor ${serviceType} is listed on ${network}.`,
          );
        const body = {
          network,
          serviceType: listing.serviceType,
          manifestHash: getFieldText(entered, 'manifestHash'),
        };
        await request(path, { method: 'POST', body });
      },
    });

  function row(one: Confirmation, nowMs: number): Html {
    const { confirmed, shown, state, changes } = one;
    const { network, serviceType, confirmedMs } = confirmed;
    const name = shown ? plain(shown.name) : html`<code class="quoted">${serviceType}</code>`;
    const what =
      state === 'not_shown'
        ? 'The catalog shows no adaptor of this service type, so runs do not call it.'
        : state === 'changed'
          ? html`Updated ${time(shown!.updatedMs, nowMs)} to version ${shown!.version}. Until you confirm it, runs that need a confirmation do not call it.`
          : html`Runs that need a confirmation call version ${shown!.version}.`;
    return html`<div class="allowed"><div>
        <h3><a href=${adaptorPath(network, serviceType)}>${name}</a> ${states[state]()} <span class="muted">${network}</span></h3>
        <p>${what}</p>
        <p class="muted">Publisher ${address((shown ?? confirmed).publisher)}, package ${address((shown ?? confirmed).packageId)}, confirmed ${time(confirmedMs, nowMs)}.</p>
        ${changes.length === 0 ? '' : html`<details><summary>${counted(changes.length, 'change')} since you confirmed it</summary>${changeTable(changes)}</details>`}
      </div>
      <div class="buttons">${state === 'changed' ? html`<button type="button" onClick=${() => confirm(one)}>Confirm the update</button>` : ''}<button type="button" class="quiet danger" onClick=${() => remove(one)}>Remove</button></div>
    </div>`;
  }

  const section = createSection<Pages<Confirmation>>({
    title: 'Confirmed adaptors',
    about: html`<p class="muted">An update of a listing suspends its confirmation.</p><p class="actions"><button type="button" class="quiet" onClick=${add}>Confirm an adaptor</button></p>`,
    load: loadConfirmations,
    show(pages) {
      if (pages.items.length === 0)
        return empty(
          'No adaptor is confirmed',
          html`<p>The agent calls adaptors within the lock of each wallet. Where a wallet has none, it calls those that you confirm.</p>`,
        );
      const nowMs = Date.now();
      const order = (one: Confirmation) => (one.state === 'confirmed' ? 1 : 0);
      const rows = pages.items.toSorted((a, b) => order(a) - order(b)).map((one) => row(one, nowMs));
      return html`${rows}${renderMoreButton(pages, page, loadConfirmations)}`;
    },
  });
  return section;
}
