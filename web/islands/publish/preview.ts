import type { Draft } from '@adaptor-marketplace/sdk';
import {
  address,
  card,
  type Html,
  html,
  notice,
  percent,
  plain,
  shortened,
  strangersLink,
} from '../../components/index.ts';
import { siteNetwork } from '../signing/index.ts';
import { detailFaults, detailFields, detailNames, enteredDetails } from './details.ts';
import type { PublishInput } from './draft.ts';

/** Renders the card as the catalog will show it, with the other facts of the adaptor's page. */
export function preview(entered: PublishInput, draft: Draft | undefined, publisher: string): Html {
  const { name, summary, category } = draft?.manifest ?? entered;
  const { glyph } = entered.details;
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
    },
    reviews: { count: 0, avg: null },
    usage: { actions: 0 },
    owners: 0,
    newOwners: 0,
    usageByDay: [],
    warnings: [],
    alikeNames: [],
  };
  return html`<div class="preview" aria-label="Preview of the card" role="group"><ul class="cards">${card(entry, siteNetwork, Date.now())}</ul>${details(entered)}</div>`;
}

/** Renders the optional fields that are not on the card. It leaves out invalid ones. */
function details({ details }: PublishInput): Html {
  const faults = detailFaults(details);
  const values = enteredDetails(details);
  const rows = detailNames.flatMap((name) => {
    const value = values[name];
    if (value === undefined || value === null || name === 'glyph' || name in faults) return [];
    const { label } = detailFields[name];
    if (typeof value === 'number') return [html`<dt>Fee</dt><dd>${percent(value)} of the amount</dd>`];
    const shown = name.endsWith('Url')
      ? strangersLink(value, label)
      : name === 'feeRecipient'
        ? address(value)
        : plain(value);
    return [html`<dt>${label}</dt><dd>${shown}</dd>`];
  });
  return rows.length === 0 ? '' : html`<dl class="facts">${rows}</dl>`;
}

type DraftedArgument = NonNullable<Draft['executableOps'][number]['calls']>[number]['args'][number];

function describeArgument(argument: DraftedArgument): string {
  if (argument.role === 'object') return `object ${shortened(argument.objectId)}`;
  if (argument.role !== 'pure') return argument.role;
  const { name, type, value } = argument;
  return value === undefined ? `${name}, from the caller` : `${name ?? type} = ${JSON.stringify(value)}`;
}

/** Renders the operations and warnings of a draft, for its publisher to review. */
export function draftWarnings(draft: Draft | undefined): Html {
  if (!draft) return '';
  const told = draft.warnings.filter(({ code }) => !['manifest_not_stored', 'already_listed'].includes(code));
  const ops = draft.executableOps.map(({ module, entry, label, kind, call, calls = [] }) => {
    const args = [...(call?.args ?? []), ...calls.flatMap((one) => one.args)];
    return html`<li><strong>${plain(label ?? entry)}</strong> <span class="muted">${kind}, <code>${module}::${entry}</code>: ${args.map(describeArgument).join('; ')}</span></li>`;
  });
  return html`<h3>Operations in the manifest</h3>
    ${ops.length === 0 ? html`<p class="muted">None: wallets can grant to the service, and this site cannot call it.</p>` : html`<ul class="list">${ops}</ul>`}
    ${told.map(({ detail, code }) => notice('caution', 'Look at this', html`<p>${detail} (<code>${code}</code>)</p>`))}`;
}
