import type { Draft } from '@adaptor-marketplace/sdk';
import {
  card,
  type Html,
  html,
  percent,
  plain,
  strangersLink,
  wholeId,
  wholeType,
} from '../../components/index.ts';
import { siteNetwork } from '../signing/index.ts';
import {
  type Details,
  detailFields,
  detailNames,
  findDetailFaults,
  toBasisPoints,
  toDetails,
} from './details.ts';
import type { PublishInput } from './draft.ts';

/** Renders the card as the catalog will show it, with the other facts of the adaptor's page. */
export function preview(entered: PublishInput, draft: Draft | undefined, publisher: string): Html {
  const { name, summary, category } = draft?.manifest ?? entered;
  const shown = draft ? toDetails(draft.manifest) : entered.details;
  const { glyph, deprecated } = shown;
  const unverified = draft?.warnings.some(({ code }) => code === 'publisher_not_verified') ?? false;
  const entry = {
    serviceType: entered.witness,
    publisher,
    publisherVerified: !unverified,
    publisherEverVerified: !unverified,
    manifest: {
      name: name || 'Name',
      summary: summary || 'Summary',
      category: category || 'Other',
      glyph: glyph.trim() || null,
      deprecated: deprecated.trim() || null,
    },
    reviews: { count: 0, avg: null },
    usage: { actions: 0 },
    owners: 0,
    newOwners: 0,
    usageByDay: [],
    sourceVerdict: null,
    canaryState: null,
    canarySinceMs: null,
    warnings: [],
    alikeNames: [],
  };
  return html`<div class="preview" aria-label="Preview of the card" role="group"><ul class="cards">${card(entry, siteNetwork, Date.now())}</ul>${facts(shown, draft)}</div>`;
}

/** Renders the facts that are not on the card. It leaves out invalid ones. */
function facts(details: Details, draft: Draft | undefined): Html {
  const faults = findDetailFaults(details);
  const fact = (label: string, shown: Html) => html`<dt>${label}</dt><dd>${shown}</dd>`;
  const rows = detailNames.flatMap((name) => {
    const text = details[name].trim();
    if (text === '' || name === 'glyph' || name in faults) return [];
    const { label, isMultiline } = detailFields[name];
    if (name === 'feeBps') return [fact('Fee', html`${percent(toBasisPoints(text))} of the amount`)];
    if (name.endsWith('Url')) return [fact(label, strangersLink(text, label))];
    if (isMultiline)
      return [
        fact(
          label,
          text.split('\n').map((line) => html`<p>${plain(line)}</p>`),
        ),
      ];
    return [fact(label, name === 'feeRecipient' ? wholeId(text) : plain(text))];
  });
  const { serviceType, packageId, supportedCoins = [] } = draft?.manifest ?? {};
  if (serviceType !== undefined) rows.push(fact('Service', wholeType(serviceType)));
  if (packageId !== undefined) rows.push(fact('Package', wholeId(packageId)));
  if (supportedCoins.length > 0)
    rows.push(
      fact(
        'Coins',
        supportedCoins.map((coin) => html`<p>${coin === '*' ? 'any' : wholeType(coin)}</p>`),
      ),
    );
  return rows.length === 0 ? '' : html`<dl class="facts">${rows}</dl>`;
}
