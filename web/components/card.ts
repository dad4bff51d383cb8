import { canaryBadge } from './canary-state.ts';
import { daily, sum } from './days.ts';
import { type Html, html } from './html.ts';
import { adaptorPath, publisherPath } from './links.ts';
import { badge, publisherBadge, type Rating, rating, tag } from './marks.ts';
import { plain } from './plain.ts';
import { sourceBadge } from './source-verdict.ts';
import { sparkline } from './sparkline.ts';
import { address, counted } from './values.ts';

export interface CardEntry {
  serviceType: string;
  publisher: string;
  publisherVerified: boolean;
  publisherEverVerified: boolean;
  manifest: {
    name: string;
    summary: string;
    category: string;
    glyph: string | null;
    deprecated: string | null;
  };
  reviews: Rating;
  usage: { actions: number };
  /** Distinct owners of the wallets that used it. */
  owners: number;
  newOwners: number;
  usageByDay: readonly { day: string; actions: number }[];
  sourceVerdict: string | null;
  canaryState: string | null;
  canarySinceMs: number | null;
  warnings: readonly unknown[];
  alikeNames: readonly unknown[];
}

/** GraphQL selection of the fields that a card shows of an entry. */
export const cardFields = `serviceType publisher publisherVerified publisherEverVerified manifest { name summary category glyph deprecated }
  reviews { count avg } usage { actions } owners newOwners usageByDay(days: 30) { day actions } sourceVerdict canaryState canarySinceMs warnings { code } alikeNames { serviceType }`;

/** Renders the glyph of the manifest or, without one, the initials of the name; at most two characters. */
export function glyph({ name, glyph: own }: { name: string; glyph: string | null }): Html {
  const initials = name
    .split(/[\s_-]+/)
    .map((word) => word.match(/[\p{L}\p{N}]/u)?.[0] ?? '')
    .join('');
  const text = Array.from(own ?? (initials.toUpperCase() || '?'))
    .slice(0, 2)
    .join('');
  return html`<span class="glyph" aria-hidden="true">${plain(text)}</span>`;
}

/** Describes all uses with the number of owners, because one person can have any number of wallets. */
function describeAllUses({ usage, owners, newOwners }: CardEntry): string {
  const uses = `${counted(usage.actions, 'use')} in all`;
  if (owners === 0) return uses;
  return `${uses}, by ${counted(owners, 'owner')}${newOwners === 0 ? '' : `, ${newOwners} of them new`}`;
}

interface CardList {
  /** Element of the entry's name, one level below the title of the list. */
  heading?: 'h2' | 'h3';
  /** `true` if the list may have several listings of a service. Without its publisher, a link leads to the shown one. */
  hasHidden?: boolean;
}

/** Renders an entry of the catalog as a list item. */
export function card(
  entry: CardEntry,
  network: string,
  nowMs: number,
  { heading = 'h2', hasHidden = false }: CardList = {},
): Html {
  const { serviceType, publisher, publisherVerified, manifest, reviews, usageByDay } = entry;
  const uses = daily(usageByDay, 30, nowMs, (row) => row?.actions ?? 0);
  const path = adaptorPath(network, serviceType, publisherVerified && !hasHidden ? undefined : publisher);
  return html`<li class="card">
    ${glyph(manifest)}
    <div class="about">
      <${heading}><a href=${path}>${plain(manifest.name)}</a></${heading}>
      <p>${plain(manifest.summary)}</p>
      <p class="meta">
        ${tag(plain(manifest.category))}
        ${publisherBadge(publisherVerified)}
        ${sourceBadge(entry.sourceVerdict)}
        ${canaryBadge(entry.canaryState, entry.canarySinceMs, nowMs)}
        ${manifest.deprecated === null ? '' : badge('caution', 'Deprecated')}
        <span>by ${address(publisher, publisherPath(network, publisher))}</span>
        ${entry.warnings.length > 0 ? badge('danger', 'Warning about its code') : ''}
        ${entry.alikeNames.length > 0 ? badge('caution', 'Name like another') : ''}
      </p>
    </div>
    <div class="figures">${
      entry.publisherEverVerified
        ? html`${sparkline(uses)}
      <p>${counted(sum(uses), 'use')} <span class="muted">in 30 days</span></p>
      <p class="muted">${describeAllUses(entry)}</p>
      <p>${rating(reviews)}</p>`
        : html`<p class="muted">Use and reviews belong to the <a href=${adaptorPath(network, serviceType)}>listing of the verified publisher</a></p>`
    }</div>
  </li>`;
}
