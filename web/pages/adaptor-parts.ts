import { formatCoinSymbol } from '@adaptor-marketplace/adaptor/names';
import { changeTable } from '../components/changes.ts';
import { type Html, html } from '../components/html.ts';
import { adaptorPath, explorerLink, publisherPath, reviewPath } from '../components/links.ts';
import { badge, empty, notice, tag } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { table } from '../components/table.ts';
import {
  address,
  count,
  counted,
  percent,
  type SupportedCoin,
  time,
  withShortIds,
} from '../components/values.ts';
import { type PageRequest, withSearch } from '../frame/page.ts';
import { listCoinNames } from '../words/coin-names.ts';
import {
  type Argument,
  describeArgument,
  describeOperation,
  formatOperationName,
  type KnownTypes,
  type Operation,
} from '../words/operation.ts';
import type { ListingData, Quarantine, Successor, Version } from './adaptor-data.ts';

const shownOperationsMax = 40;

/** Renders the name of a coin, with its type on hover. */
export const coinTag = ({ coinType, coinInfo }: SupportedCoin): Html =>
  html`<span title=${coinType}>${tag(plain(formatCoinSymbol(coinType, coinInfo)))}</span>`;

/** Renders what the adaptor may do with a wallet, an item for each operation. It comes first on the page. */
export function mayDo(
  operations: readonly Operation[],
  coins: readonly SupportedCoin[],
  fee: Html,
  types: KnownTypes,
): Html {
  const executable = operations.filter((one) => one.executable).slice(0, shownOperationsMax);
  const named = listCoinNames(coins);
  const items = executable.map(
    (one) =>
      html`<li><strong>${withShortIds(formatOperationName(one))}:</strong> ${withShortIds(describeOperation(one, named, types.objects).join(' '), types.packages)}</li>`,
  );
  return html`<section class="box" aria-labelledby="may-do">
    <h2 id="may-do">What it may do with your wallet</h2>
    ${
      items.length === 0
        ? html`<p>None of its operations can be run by this marketplace. Its code may still use what you grant to it.</p>`
        : html`<ul>${items}</ul>`
    }
    <p>These are the publisher's words. They are made from the manifest's call specs, which were checked against the code's signatures. They do not promise what the code does. What holds is your grant: in total it takes at most the coin and the amount that you grant, until you revoke it.</p>
    <p>Fee: ${fee}</p>
  </section>`;
}

export function feeWords(feeBps: number | null, recipient: string | null): Html {
  if (feeBps === null) return 'the manifest names none';
  if (feeBps === 0) return 'none, as the manifest says';
  const to = recipient === null ? '' : html`, to ${address(recipient)}`;
  return html`${percent(feeBps)} of the amount, as the manifest says${to}`;
}

export function operationsPart(operations: readonly Operation[], types: KnownTypes): Html {
  if (operations.length === 0) return empty('The manifest names no operation', '');
  const shown = operations.slice(0, shownOperationsMax);
  const rest = operations.length - shown.length;
  return html`<div>${shown.map((one) => operationPart(one, types))}</div>
    ${rest > 0 ? html`<p class="muted">${counted(rest, 'more operation')} in the manifest.</p>` : ''}`;
}

const argumentList = (args: readonly Argument[], types: KnownTypes): Html =>
  args.length === 0
    ? ''
    : html`<ol>${args.map((argument) => html`<li>${describeArgument(argument, types)}</li>`)}</ol>`;

function operationPart(one: Operation, types: KnownTypes): Html {
  const { kind, module, entry, executable, reason, call, calls } = one;
  const details = calls
    ? calls.map(
        (step, at) =>
          html`<p>Call ${at + 1}: <code>${plain(`${step.module}::${step.entry}`)}</code>${step.packageId === undefined ? '' : html` of the package ${address(step.packageId)}`}</p>${argumentList(step.args, types)}`,
      )
    : argumentList(call?.args ?? [], types);
  return html`<article class="op">
    <h3>${withShortIds(formatOperationName(one))} ${kind === null ? '' : tag(plain(kind))} <code>${plain(`${module ?? '?'}::${entry ?? '?'}`)}</code>
      ${executable ? '' : badge('caution', 'Cannot be run here')}</h3>
    ${executable ? '' : html`<p>${plain(reason?.detail ?? 'The marketplace cannot make a call of it.')}</p>`}
    ${executable ? details : ''}
  </article>`;
}

/** Renders, in place of use or reviews, that the listing of an unverified publisher has none. */
export const belongsToVerified = (title: string, serviceType: string, network: string): Html =>
  empty(
    title,
    html`<p>Use and reviews belong to the service type. Listings whose publisher is or was verified show them. <a href=${adaptorPath(network, serviceType)}>See the listing that the catalog shows</a>, if there is one.</p>`,
  );

/** Returns `true` if the url selects verified reviews: those by addresses that used the service before. */
export const showsVerifiedReviews = (search: URLSearchParams): boolean =>
  search.get('reviews') === 'verified';

/** Renders links between all reviews and the verified ones, if they differ. */
function reviewFilter(
  { count: all, verifiedCount }: NonNullable<ListingData['reviews']>,
  request: PageRequest,
): Html {
  const isVerified = showsVerifiedReviews(request.search);
  if (!isVerified && (verifiedCount === 0 || verifiedCount === all)) return '';
  const link = (words: string, value: string | undefined, isCurrent: boolean) =>
    html`<a href=${`${withSearch(request, { reviews: value })}#reviews`} data-part="reviews" aria-current=${isCurrent ? 'true' : undefined}>${words}</a>`;
  return html`<nav class="jump" aria-label="Which reviews">${link(`All (${count(all)})`, undefined, !isVerified)}${link(`Verified (${count(verifiedCount)})`, 'verified', isVerified)}</nav>`;
}

/** Characters of a review's text on the page. The reviews of a page may have 4 kB each. */
const reviewTextMax = 300;

/** Renders the start of a review's text, in the words of its author: no links, no markup. */
function reviewText(text: string, serviceType: string, network: string): Html {
  const characters = [...text];
  const isCut = characters.length > reviewTextMax;
  const shown = isCut ? `${characters.slice(0, reviewTextMax).join('').trimEnd()}…` : text;
  const whole = `/api/adaptors/${encodeURIComponent(serviceType)}/reviews?network=${network}`;
  const rest = isCut ? html` <a href=${whole} rel="nofollow">Whole text</a>` : '';
  return html`<blockquote class="review-text"><bdi>${shown}</bdi>${rest}</blockquote>`;
}

export function reviewsPart(listing: ListingData, request: PageRequest): Html {
  const { latestReviews, reviews, publisherEverVerified, serviceType } = listing;
  const { edges } = latestReviews;
  const { network, nowMs } = request;
  if (!publisherEverVerified)
    return belongsToVerified('This listing has no reviews of its own', serviceType, network);
  const write = html`<p><a href=${reviewPath(network, serviceType)}>Write a review</a></p>`;
  const filter = reviews === null ? '' : reviewFilter(reviews, request);
  if (edges.length === 0 && showsVerifiedReviews(request.search))
    return html`${filter}${empty('No author of a review has used it before', '')}`;
  if (edges.length === 0)
    return empty(
      'No reviews yet',
      html`<p>Anyone can rate a service on chain. A review is verified if its author used the service before.</p>${write}`,
    );
  const rows = edges.map(({ node }) => [
    `${node.score} of 5`,
    html`${address(node.attester)}${node.text === null ? '' : reviewText(node.text, serviceType, network)}`,
    node.verified ? badge('good', 'Used it before') : badge('neutral', 'Not verified'),
    time(node.timestampMs, nowMs),
  ]);
  const verified =
    reviews !== null && reviews.verifiedAvg !== null
      ? html`<p>${reviews.verifiedAvg.toFixed(1)} of 5 by the ${counted(reviews.verifiedCount, 'author')} who used it before.</p>`
      : '';
  const words = edges.some(({ node }) => node.text !== null)
    ? html`<p class="muted">The texts are the reviewers’ own words. This marketplace has not checked them.</p>`
    : '';
  return html`${verified}${filter}${words}${table(['Score', 'By', 'Verified', { number: 'When' }], rows)}${write}`;
}

const changesMax = 60;
function versionPart({ version, listed, changes, timestampMs }: Version, nowMs: number): Html {
  const shown = changes.filter(({ path }) => path !== 'version').slice(0, changesMax);
  const what = listed
    ? changes.length === 0
      ? 'first registration'
      : counted(shown.length, 'change')
    : 'unlisted';
  const head = html`<strong>Version ${version}</strong> <span class="muted">${what}, ${time(timestampMs, nowMs)}</span>`;
  if (shown.length === 0)
    return html`<details><summary>${head}</summary><p>Nothing to compare it with.</p></details>`;
  return html`<details><summary>${head}</summary>${changeTable(shown)}</details>`;
}

export const versionsPart = ({ versions }: ListingData, nowMs: number): Html =>
  html`<div class="versions">${versions.edges.map(({ node }) => versionPart(node, nowMs))}</div>`;

export function eventsPart({ events }: ListingData, { nowMs, node: { explorerUrl } }: PageRequest): Html {
  const rows = events.edges.map(({ node }) => [
    node.name,
    address(node.sender, explorerLink(explorerUrl, 'account', node.sender)),
    address(node.txDigest, explorerLink(explorerUrl, 'tx', node.txDigest)),
    time(node.timestampMs, nowMs),
  ]);
  return table(['Event', 'Sender', 'Transaction', { number: 'When' }], rows);
}

/** Renders what a quarantine means for a reader. It takes the place of what the page offers otherwise. */
export const quarantineNotice = (
  { reason, sinceMs }: Quarantine,
  { network, nowMs }: Pick<PageRequest, 'network' | 'nowMs'>,
): Html =>
  notice(
    'danger',
    'In quarantine: do not grant to it',
    html`<p>The operator of this marketplace holds this adaptor in quarantine since ${time(sinceMs, nowMs)}: ${plain(reason)}</p>
      <p>This marketplace neither offers nor runs it. The chain is not changed: what you granted holds until you <a href=${`/wallet?network=${network}`}>revoke it</a>.</p>`,
  );

/** Renders the reason of a deprecation, with a link to the successor if the catalog shows it. */
export const deprecationNotice = (
  reason: string | null,
  successor: Successor | null,
  network: string,
): Html =>
  reason === null
    ? ''
    : notice(
        'caution',
        'Deprecated by its publisher',
        html`<p>${plain(reason)}</p>${
          successor === null
            ? ''
            : html`<p>The publisher names a successor: <a href=${adaptorPath(network, successor.serviceType)}>${plain(successor.manifest.name)}</a>. Read what it may do before you grant to it.</p>`
        }`,
      );

/** Renders warnings that a reader must see before they trust the listing. */
export function warnings(
  { status, reason, quarantined, adaptor, publishedBy }: ListingData,
  { network, nowMs }: PageRequest,
): Html {
  const isHidden = status !== 'SHOWN';
  return html`${quarantined ? quarantineNotice(quarantined, { network, nowMs }) : ''}${
    isHidden && !quarantined
      ? notice(
          status === 'PUBLISHER_UNVERIFIED' ? 'danger' : 'caution',
          status === 'PUBLISHER_UNVERIFIED'
            ? 'The publisher is not verified'
            : 'The catalog does not show this listing',
          html`<p>${plain(reason ?? 'The catalog shows another listing of the service.')}</p>
            ${status === 'PUBLISHER_UNVERIFIED' ? html`<p>A stranger can list the package of someone else with a fee of their own. <a href=${`/a/${network}/${adaptor?.serviceType ?? ''}`}>See the listing that the catalog shows</a>, if there is one.</p>` : ''}`,
        )
      : ''
  }
  ${adaptor ? deprecationNotice(adaptor.manifest.deprecated, adaptor.successor, network) : ''}
  ${(adaptor?.warnings ?? []).map(({ detail }) => notice('danger', 'Do not grant to it: its code is not safe', html`<p>${plain(detail)}</p>`))}
  ${
    adaptor && adaptor.manifestWarnings.length > 0
      ? notice(
          'caution',
          'Some of its manifest is shown otherwise than published',
          html`<ul>${adaptor.manifestWarnings.map(({ path, detail }) => html`<li><code>${path}</code>: ${detail}</li>`)}</ul>`,
        )
      : ''
  }
  ${
    adaptor && adaptor.alikeNames.length > 0
      ? notice(
          'caution',
          'Other adaptors have a name like this one',
          html`<ul>${adaptor.alikeNames.map(({ name, publisher, serviceType, usage }) => html`<li><a href=${`/a/${network}/${serviceType}`}>${plain(name)}</a> by ${address(publisher, publisherPath(network, publisher))}, ${counted(usage.actions, 'use')}</li>`)}</ul>`,
        )
      : ''
  }
  ${
    adaptor?.pending
      ? notice(
          'caution',
          `Version ${adaptor.pending.version} is not verified yet`,
          html`<p>This page shows the last verified version. ${adaptor.pending.state === 'unreachable' ? 'The manifest of the newer one cannot be fetched.' : 'The newer one is being checked.'}</p>`,
        )
      : ''
  }
  ${publishedBy.verified || isHidden ? '' : notice('caution', 'The publisher is not verified', html`<p>It neither published a package of its listings nor owns its UpgradeCap.</p>`)}`;
}
