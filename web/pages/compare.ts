import { daily, sum } from '../components/days.ts';
import { type Html, html } from '../components/html.ts';
import { adaptorPath, grantPath, publisherPath, strangersLink } from '../components/links.ts';
import { badge, empty, notice, publisherBadge, type Rating, rating, tag } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { address, count, counted, type SupportedCoin, time, withShortIds } from '../components/values.ts';
import {
  type Content,
  graphPage,
  noServiceType,
  type PageRequest,
  readServiceType,
  toChain,
  withSearch,
} from '../frame/page.ts';
import type { Connection } from '../frame/paging.ts';
import { listCoinNames } from '../words/coin-names.ts';
import { findKnownTypes, type TypedAdaptor, typeFields } from '../words/object-types.ts';
import { describeOperation, formatOperationName, operationFields } from '../words/operation.ts';
import { coinTag, feeWords } from './adaptor-parts.ts';
import { linkCertificate } from './certificate-part.ts';

/** An adaptor as the page compares it with another one. */
interface Compared extends TypedAdaptor {
  publisher: string;
  publisherVerified: boolean;
  version: number;
  updatedAtMs: number;
  firstListedAtMs: number;
  manifest: {
    name: string;
    summary: string;
    category: string;
    deprecated: string | null;
    supportedCoins: readonly string[] | null;
    feeBps: number | null;
    feeRecipient: string | null;
    docsUrl: string | null;
    repoUrl: string | null;
    auditUrl: string | null;
  };
  coins: readonly SupportedCoin[];
  warnings: readonly { detail: string }[];
  alikeNames: readonly unknown[];
  pending: { version: number } | null;
  usage: { actions: number; uniqueVaults: number; lastActionMs: number | null };
  owners: number;
  newOwners: number;
  usageByDay: readonly { day: string; actions: number }[];
  reviews: Rating & { verifiedCount: number; verifiedAvg: number | null };
}

interface Choice {
  serviceType: string;
  publisher: string;
  manifest: { name: string; summary: string; deprecated: string | null };
}

interface CompareData {
  a: Compared | null;
  b: Compared | null;
  /** Adaptors to choose from. */
  choices: Connection<Choice>;
}

const fields = `serviceType publisher publisherVerified version updatedAtMs firstListedAtMs
  manifest { name summary category deprecated supportedCoins feeBps feeRecipient docsUrl repoUrl auditUrl }
  coins { coinType coinInfo { symbol decimals } }
  operations { ${operationFields} }
  warnings { detail } alikeNames { serviceType } pending { version }
  usage { actions uniqueVaults lastActionMs } owners newOwners usageByDay(days: 30) { day actions }
  reviews { count avg verifiedCount verifiedAvg } ${typeFields}`;

const readNames = (search: URLSearchParams) =>
  (['a', 'b'] as const).map((key) => readServiceType(search, key));

const operationsMax = 20;
const coinsMax = 12;

function operationList(adaptor: Compared): Html {
  const { operations, coins } = adaptor;
  const executable = operations.filter((one) => one.executable);
  if (executable.length === 0) return 'None of its operations can be run by this marketplace.';
  const { objects, packages } = findKnownTypes(adaptor);
  const named = listCoinNames(coins);
  const items = executable.slice(0, operationsMax).map((one) => {
    const sentences = describeOperation(one, named, objects);
    return html`<li><strong>${withShortIds(formatOperationName(one))}:</strong> ${withShortIds(sentences.join(' '), packages)}</li>`;
  });
  const rest = executable.length - items.length;
  return html`<ul>${items}</ul>${rest > 0 ? html`<p class="muted">${counted(rest, 'more operation')}</p>` : ''}`;
}

function coinList({ coins, manifest }: Compared): Html {
  if (coins.length === 0) return 'any';
  const shown = coins.slice(0, coinsMax);
  const rest = (manifest.supportedCoins ?? []).length - shown.length;
  return html`${shown.map((coin) => html`${coinTag(coin)} `)}${rest > 0 ? html`<span class="muted">${counted(rest, 'more coin')}</span>` : ''}`;
}

function renderCodeVerdict({ warnings }: Compared): Html {
  if (warnings.length === 0) return html`<p>${badge('good', 'No warning about its code')}</p>`;
  return html`${badge('danger', 'Do not grant to it')}${warnings.map(({ detail }) => html`<p>${plain(detail)}</p>`)}`;
}

function useCell({ usage, usageByDay, owners, newOwners }: Compared, nowMs: number): Html {
  const recent = sum(daily(usageByDay, 30, nowMs, (row) => row?.actions ?? 0));
  return html`<p>${counted(recent, 'use')} in 30 days</p>
    <p>${counted(usage.actions, 'use')} in all, by ${counted(usage.uniqueVaults, 'wallet')}</p>
    <p>${counted(owners, 'owner')}${newOwners === 0 ? '' : `, ${count(newOwners)} of them new`}</p>
    <p class="muted">${usage.lastActionMs === null ? 'Not used yet' : html`Last used ${time(usage.lastActionMs, nowMs)}`}</p>`;
}

function reviewCell({ reviews }: Compared): Html {
  const { verifiedAvg, verifiedCount } = reviews;
  return html`<p>${rating(reviews)}</p>${
    verifiedAvg === null
      ? ''
      : html`<p>${verifiedAvg.toFixed(1)} of 5 by the ${counted(verifiedCount, 'author')} who used it before</p>`
  }`;
}

function linkCell({ docsUrl, repoUrl, auditUrl }: Compared['manifest']): Html {
  const links = [
    [docsUrl, 'Documentation'],
    [repoUrl, 'Source code'],
    [auditUrl, 'Audit'],
  ] as const;
  const shown = links.flatMap(([url, name]) =>
    url === null ? [] : [html`<p>${strangersLink(url, name)}</p>`],
  );
  return shown.length === 0 ? 'none' : shown;
}

/** The rows of the comparison: what a reader weighs first comes first. */
function rows({ network, nowMs }: PageRequest): readonly [name: string, cell: (one: Compared) => Html][] {
  return [
    [
      'What it does',
      ({ manifest }) => html`<p>${tag(plain(manifest.category))}</p><p>${plain(manifest.summary)}</p>`,
    ],
    ['What it may do with your wallet', operationList],
    ['Coins', coinList],
    ['Fee', ({ manifest }) => feeWords(manifest.feeBps, manifest.feeRecipient)],
    [
      'Publisher',
      ({ publisher, publisherVerified }) =>
        html`<p>${address(publisher, publisherPath(network, publisher))}</p><p>${publisherBadge(publisherVerified)}</p>`,
    ],
    [
      'Code',
      (one) =>
        html`${renderCodeVerdict(one)}<p>${linkCertificate(adaptorPath(network, one.serviceType))}</p>`,
    ],
    [
      'Listing',
      ({
        manifest,
        alikeNames,
        pending,
      }) => html`${manifest.deprecated === null ? '' : html`<p>${badge('caution', 'Deprecated')} ${plain(manifest.deprecated)}</p>`}
        ${alikeNames.length === 0 ? '' : html`<p>${badge('caution', 'Name like another')}</p>`}
        ${pending === null ? '' : html`<p>${badge('caution', `Version ${pending.version} is not verified yet`)}</p>`}
        <p>${badge('good', 'Manifest has its hash')}</p>`,
    ],
    ['Use', (one) => useCell(one, nowMs)],
    ['Reviews', reviewCell],
    [
      'Age',
      ({ version, firstListedAtMs, updatedAtMs }) =>
        html`<p>First listed ${time(firstListedAtMs, nowMs)}</p><p>Version ${version}, ${time(updatedAtMs, nowMs)}</p>`,
    ],
    ['Links of the publisher', ({ manifest }) => linkCell(manifest)],
    [
      'Next',
      ({ serviceType, publisherVerified, manifest }) =>
        html`<p><a href=${adaptorPath(network, serviceType)}>Read its listing</a></p>${
          publisherVerified && manifest.deprecated === null
            ? html`<p><a href=${grantPath(network, serviceType)}>Try it</a></p>`
            : ''
        }`,
    ],
  ];
}

function comparison(a: Compared, b: Compared, request: PageRequest): Content {
  const { network } = request;
  const head = (one: Compared) =>
    html`<th scope="col"><a href=${adaptorPath(network, one.serviceType)}>${plain(one.manifest.name)}</a></th>`;
  const change = (key: 'a' | 'b', { manifest }: Compared) =>
    html`<a href=${withSearch(request, { [key]: undefined })}>Replace ${plain(manifest.name)}</a>`;
  return {
    title: `${a.manifest.name} and ${b.manifest.name}`,
    description:
      'Two adaptors side by side: what they may do with a wallet, their verdicts, use and reviews.',
    section: 'catalog',
    main: html`<h1>${plain(a.manifest.name)} and ${plain(b.manifest.name)}</h1>
      <p class="lead">Two adaptors side by side, from what the chain and the manifests say of them.</p>
      <nav class="jump" aria-label="Other adaptors">${change('a', a)}${change('b', b)}</nav>
      <table class="compare"><thead><tr><td></td>${head(a)}${head(b)}</tr></thead><tbody>${rows(request).map(
        ([name, cell]) => html`<tr><th scope="row">${name}</th><td>${cell(a)}</td><td>${cell(b)}</td></tr>`,
      )}</tbody></table>
      <p class="muted">The sentences about operations are made from the manifests' call specs, which were checked against the code's signatures. What holds is your grant: in total an adaptor takes at most the coin and the amount that you grant.</p>`,
  };
}

function choosing({ a, b, choices }: CompareData, request: PageRequest): Content {
  const { search, network } = request;
  const [chosen, key] = a ? ([a, 'b'] as const) : ([b, 'a'] as const);
  const names = readNames(search);
  // The same adaptor twice is one that is chosen, and another one that is not.
  const missing = names.find(
    (named, at) => named !== undefined && ![a, b][at] && (at === 0 || named !== names[0]),
  );
  const malformed = (['a', 'b'] as const)
    .map((name, at) => (names[at] === undefined ? search.get(name) : null))
    .find(Boolean);
  const items = choices.edges
    .filter(({ node }) => node.serviceType !== chosen?.serviceType)
    .map(
      ({ node }) =>
        html`<li><a href=${withSearch(request, { [key]: node.serviceType, q: undefined })}>${plain(node.manifest.name)}</a> <span class="muted">by ${address(node.publisher)}</span>${node.manifest.deprecated === null ? '' : html` ${badge('caution', 'Deprecated')}`}<p>${plain(node.manifest.summary)}</p></li>`,
    );
  const hidden = Object.entries({
    network: search.get('network') ?? undefined,
    [key === 'a' ? 'b' : 'a']: chosen?.serviceType,
  }).map(([name, value]) =>
    value === undefined ? '' : html`<input type="hidden" name=${name} value=${value} />`,
  );
  return {
    title: 'Compare adaptors',
    description:
      'Two adaptors side by side: what they may do with a wallet, their verdicts, use and reviews.',
    section: 'catalog',
    main: html`<h1>Compare adaptors</h1>
      <p class="lead">${chosen ? html`Compare <a href=${adaptorPath(network, chosen.serviceType)}>${plain(chosen.manifest.name)}</a> with another adaptor.` : 'Choose the first of two adaptors.'}</p>
      ${missing === undefined ? '' : notice('caution', `The catalog of ${network} does not show this adaptor`, html`<p><code>${missing}</code></p>`)}
      ${malformed ? notice('caution', 'This is not a service type', html`<p><code>${plain(malformed.slice(0, 200))}</code></p>`) : ''}
      <form class="search" role="search" action="/compare" method="get" aria-label="Adaptors to compare">
        <label class="unseen" for="q">Search adaptors</label>
        <input type="search" id="q" name="q" value=${search.get('q') ?? ''} maxlength="200" placeholder="Search by name, integrator or what it does" autocomplete="off" />
        ${hidden}
        <button type="submit">Search</button>
      </form>
      ${items.length === 0 ? empty('No other adaptor matches', html`<p>Use fewer words.</p>`) : html`<ul class="choices-list">${items}</ul>`}`,
  };
}

/** The page that shows two adaptors side by side, or lets the reader choose them. */
export const comparePage = graphPage<CompareData>({
  path: '/compare',
  document: `query Compare($chain: Chain!, $a: String!, $b: String!, $filter: AdaptorFilter!) {
    a: adaptor(chain: $chain, serviceType: $a) { ${fields} }
    b: adaptor(chain: $chain, serviceType: $b) { ${fields} }
    choices: adaptors(chain: $chain, filter: $filter, first: 20) {
      edges { node { serviceType publisher manifest { name summary deprecated } } }
    }
  }`,
  variables({ search, network }) {
    const [a, b] = readNames(search);
    return {
      chain: toChain(network),
      a: a ?? noServiceType,
      b: b === undefined || b === a ? noServiceType : b,
      filter: { q: search.get('q') || undefined },
    };
  },
  render: (data, request) =>
    data.a && data.b ? comparison(data.a, data.b, request) : choosing(data, request),
});
