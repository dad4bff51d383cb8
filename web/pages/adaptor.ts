import { findCommit } from '@adaptor-marketplace/adaptor/manifest';
import { glyph } from '../components/card.ts';
import { code, tabs } from '../components/code.ts';
import { followPart } from '../components/follow.ts';
import { type Html, html } from '../components/html.ts';
import {
  adaptorFeedPath,
  adaptorPath,
  comparePath,
  explorerLink,
  grantPath,
  publisherPath,
  reportPath,
  strangersLink,
} from '../components/links.ts';
import { publisherBadge, rating, tag } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { provenDomain, publisherIcon, suiName } from '../components/publisher.ts';
import { sincePart } from '../components/since.ts';
import { isSourceVerified, sourceBadge } from '../components/source-verdict.ts';
import { nameType } from '../components/type-names.ts';
import { address, copyButton, counted, time } from '../components/values.ts';
import { type Content, graphPage, type PageRequest, toChain } from '../frame/page.ts';
import { findKnownTypes } from '../words/object-types.ts';
import { hasRole } from '../words/operation.ts';
import { type ListingData, listingDocument } from './adaptor-data.ts';
import {
  coinTag,
  eventsPart,
  feeWords,
  mayDo,
  operationsPart,
  reviewsPart,
  showsVerifiedReviews,
  versionsPart,
  warnings,
} from './adaptor-parts.ts';
import { usePart, useRange } from './adaptor-use.ts';
import { canaryPart } from './canary-part.ts';
import { widenedNotice } from './certificate-diff-part.ts';
import { codeCanDo } from './certificate-part.ts';
import { readRange } from './ranges.ts';
import { sourcePart } from './source-part.ts';

type Entry = NonNullable<ListingData['adaptor']>;

const part = (id: string, title: string, body: Html): Html =>
  html`<section class="part" id=${id} aria-labelledby=${`${id}-title`}><h2 id=${`${id}-title`}>${title}</h2>${body}</section>`;

const fact = (name: string, value: Html): Html => html`<dt>${name}</dt><dd>${value}</dd>`;

/** Renders code that uses the adaptor. It contains only values that were checked to be ids or identifiers. */
function snippets({ serviceType, operations }: Entry, { network, origin }: PageRequest): Html {
  const [first] = operations.filter(({ executable }) => executable);
  const path = `/api/adaptors/${serviceType}?network=${network}`;
  const sdk = `import { createMarketplace } from '@adaptor-marketplace/sdk';

const market = createMarketplace({ baseUrl: '${origin}' });
const { adaptor } = await market.api.getAdaptor({
  path: { serviceType: '${serviceType}' },
  query: { network: '${network}' },
});
console.log(adaptor.manifest.name, adaptor.manifest.ops);`;
  const takes = (role: string) => first !== undefined && hasRole(first, role);
  const amounts = [takes('amount') ? ' --amount 1000000' : '', takes('minOut') ? ' --min-out 1' : ''].join(
    '',
  );
  const call = `npx adaptor-marketplace call ${first?.entry ?? ''} --url ${origin} \\
  --service '${serviceType}' \\
  --wallet "$WALLET"${amounts}`;
  const client = { mcpServers: { marketplace: { type: 'http', url: `${origin}/mcp` } } };
  return tabs('code', 'Code that uses the adaptor', [
    { name: 'SDK', body: code(sdk) },
    ...(first ? [{ name: 'CLI', body: code(call) }] : []),
    { name: 'curl', body: code(`curl '${origin}${path}'`) },
    { name: 'MCP', body: code(JSON.stringify(client, null, 2)) },
  ]);
}

function linksPart({ docsUrl, appUrl, repoUrl, auditUrl, source }: Entry['manifest']): Html {
  const links = [
    [docsUrl, 'Documentation'],
    [appUrl, 'App'],
    [repoUrl, 'Source code'],
    [auditUrl, 'Audit'],
  ] as const;
  const shown = links.flatMap(([url, name]) =>
    url === null ? [] : [html`<li>${strangersLink(url, name)}</li>`],
  );
  if (shown.length === 0 && source === null) return '';
  return html`<section><h2>Links of the publisher</h2><ul>${shown}${source === null ? '' : html`<li>${commitLink(source)}</li>`}</ul></section>`;
}

/** Renders the commit that a manifest names. It is a link on hosts whose pages are known. */
function commitLink({ repository, commit, path }: NonNullable<Entry['manifest']['source']>): Html {
  const page = findCommit({ repository, commit, ...(path !== null && { path }) })?.page;
  const words = html`Source at <code title=${commit}>${commit.slice(0, 10)}</code>${path === null ? '' : html` in <code>${plain(path)}</code>`}`;
  if (page !== undefined) return strangersLink(page, words);
  return html`${words} <span class="muted host">${plain(repository)}</span>`;
}

function rail(listing: ListingData, { network, nowMs, node }: PageRequest): Html {
  const { adaptor, publisher, publishedBy, registered, serviceType } = listing;
  const { packageId, manifestHash, manifestUri, version } = adaptor ?? registered;
  const api = `/api/adaptors/${serviceType}?network=${network}&publisher=${publisher}`;
  const verify = adaptor
    ? html`<p data-script><button type="button" class="quiet" data-verify=${api} data-hash=${manifestHash}>Verify the hash</button> <span id="verified" role="status"></span></p>`
    : '';
  return html`<aside aria-label="Facts">
    <section><h2>Publisher</h2>
      ${adaptor?.publisherVerified ? publisherIcon(publishedBy.icon) : ''}
      <p>${address(publisher, publisherPath(network, publisher))}</p>
      <p>${publisherBadge(adaptor?.publisherVerified ?? publishedBy.verified)}</p>
      <p class="muted">${(adaptor?.publisherVerified ?? publishedBy.verified) ? 'It published the package or owns its UpgradeCap. The indexer read that from the chain.' : 'The chain does not show that it controls the package.'}</p>
      ${adaptor?.publisherName ? html`<p>${suiName(adaptor.publisherName)}</p>` : ''}
      ${adaptor?.manifest.profile?.name ? html`<p>Calls itself ${plain(adaptor.manifest.profile.name)}</p>` : ''}
      ${adaptor?.publisherDomain ? provenDomain(adaptor.publisherDomain, nowMs) : ''}
      <p class="muted">${counted(publishedBy.shownCount, 'adaptor')} in the catalog, ${counted(publishedBy.actions, 'use')}.</p>
    </section>
    <section><h2>Listing</h2><dl class="facts">
      ${fact('Service', html`<code title=${serviceType}>${plain(nameType(serviceType))}</code>${copyButton(serviceType, 'Copy the service type')}`)}
      ${fact('Package', address(packageId, explorerLink(node.explorerUrl, 'object', packageId)))}
      ${adaptor?.packageName ? fact('MVR name', html`<code>${adaptor.packageName}</code>${copyButton(adaptor.packageName, 'Copy the name of the package')}`) : ''}
      ${fact('Version', version)}
      ${fact('First listed', time(listing.firstListedAtMs, nowMs))}
      ${fact('Last change', time(registered.updatedAtMs, nowMs))}
      ${adaptor?.manifest.integrator ? fact('Integrator', plain(adaptor.manifest.integrator)) : ''}
      ${
        adaptor
          ? fact(
              'Coins',
              adaptor.coins.length > 0
                ? adaptor.coins.slice(0, 20).map((coin) => html`${coinTag(coin)} `)
                : 'any',
            )
          : ''
      }
    </dl></section>
    <section><h2>Manifest</h2><dl class="facts">
      ${fact('Hash', address(manifestHash))}
      ${fact('Stored at', html`<code title=${manifestUri}>${plain(manifestUri.length > 24 ? `${manifestUri.slice(0, 23)}…` : manifestUri)}</code>`)}
      ${fact('Raw', html`<a href=${api}>JSON</a>`)}
    </dl>${verify}</section>
    ${adaptor ? linksPart(adaptor.manifest) : ''}
    <section><p><a href=${reportPath(network, serviceType, publisher)}>Report this listing</a></p></section>
  </aside>`;
}

function since({ serviceType, adaptor, quarantined }: ListingData, name: string, request: PageRequest): Html {
  const { network, search } = request;
  const publisher = search.get('publisher') || undefined;
  const seen = {
    path: adaptorPath(network, serviceType, publisher),
    name,
    version: adaptor?.version ?? null,
    quarantined: quarantined !== null,
    deprecated: adaptor?.manifest.deprecated != null,
    warned: (adaptor?.warnings.length ?? 0) > 0,
  };
  return sincePart([seen]);
}

/** The feed of what happens to a listing. That of a publisher who was never verified has this listing alone. */
const findFeed = ({ serviceType, publisher, publisherEverVerified }: ListingData, network: string): string =>
  adaptorFeedPath(network, serviceType, publisherEverVerified ? undefined : publisher);

function follow(listing: ListingData, name: string, { network }: PageRequest): Html {
  const { serviceType, publisher } = listing;
  return followPart({ feed: findFeed(listing, network), network, name, publisher, serviceType });
}

/** Renders the button that begins a grant, or the reason why a deprecated or unverified listing has none. */
function usePrompt(
  { status, publisher }: ListingData,
  { publisherVerified, serviceType, manifest }: Entry,
  network: string,
): Html {
  // Without a publisher, the page of grants is about the listing that the catalog shows.
  const path = grantPath(network, serviceType, status === 'SHOWN' ? undefined : publisher);
  if (publisherVerified && manifest.deprecated !== null)
    return html`<p class="use muted" id="offer"><span>There is no button to use it, because its publisher has deprecated it. If you rely on it, you can still <a href=${path}>grant to it</a>.</span></p>`;
  if (publisherVerified)
    return html`<p class="use" id="offer"><a class="button" href=${path}>Use this adaptor</a> <span class="muted">Try it against your wallet, then grant it the least that it needs. Or <a href=${comparePath(network, serviceType)}>compare it</a> with another adaptor.</span></p>`;
  return html`<p class="use muted" id="offer"><span>There is no button to use it, because the chain does not show that the publisher controls the package. If you know the publisher, you can still <a href=${path}>grant to this listing</a>.</span></p>`;
}

function entryPage(listing: ListingData, entry: Entry, request: PageRequest): Content {
  const { network, nowMs } = request;
  const { coins, manifest, operations, reviews, serviceType } = entry;
  const types = findKnownTypes(entry);
  const hasSource = isSourceVerified(entry.packageSource?.verdict ?? null);
  const parts: readonly [id: string, title: string, body: Html][] = [
    ['operations', 'Operations', operationsPart(operations, types)],
    ['canaries', 'Works now', canaryPart(entry.canary, listing, request)],
    ['use', 'Use', usePart(listing, request)],
    ['reviews', 'Reviews', reviewsPart({ ...listing, reviews }, request)],
    ['versions', 'Versions', versionsPart(listing, nowMs)],
    ['events', 'Events', eventsPart(listing, request)],
    ['source', 'Source', sourcePart(entry, listing.publisher, request)],
    ['code', 'Code', snippets(entry, request)],
  ];
  return {
    title: manifest.name,
    description: manifest.summary,
    picture: `${request.origin}/og/${network}/${serviceType}`,
    section: 'catalog',
    feed: findFeed(listing, network),
    islands: ['adaptor', 'charts', 'watch', 'since'],
    main: html`<div data-live="adaptor" data-chain=${toChain(network)} data-service=${serviceType} data-publisher=${listing.publisher}>
      <div class="title-row">${glyph(manifest)}<div>
        <h1>${plain(manifest.name)}</h1>
        <p class="lead">${plain(manifest.summary)}</p>
        <p class="badges">${publisherBadge(entry.publisherVerified)} ${hasSource ? html`<a href="#source">${sourceBadge(entry.packageSource!.verdict)}</a>` : ''} ${tag(plain(manifest.category))} ${listing.publisherEverVerified ? rating(reviews) : ''} ${tag(network)}</p>
      </div></div>
      ${since(listing, manifest.name, request)}
      <div id="warnings">${warnings(listing, request)}${widenedNotice(entry, { network, publisher: listing.publisher })}</div>
      ${usePrompt(listing, entry, network)}
      <nav class="jump" aria-label="Parts of the page">${parts.map(([id, title]) => html`<a href=${`#${id}`}>${title}</a>`)}</nav>
      <div class="parts">
        <div>
          ${mayDo(operations, coins, feeWords(manifest.feeBps, manifest.feeRecipient), types)}
          ${codeCanDo(entry, { network, publisher: listing.publisher, hasSource })}
          <div>${parts.map(([id, title, body]) => part(id, title, body))}</div>
        </div>
        <div><div id="facts">${rail(listing, request)}</div>${follow(listing, manifest.name, request)}</div>
      </div>
    </div>`,
  };
}

/** Renders a listing that the catalog does not show: its registration, and the reason. */
function listingPage(listing: ListingData, request: PageRequest): Content {
  const { network, nowMs } = request;
  const name = nameType(listing.serviceType);
  return {
    title: name,
    section: 'catalog',
    feed: findFeed(listing, network),
    islands: ['adaptor', 'watch', 'since'],
    main: html`<div data-live="adaptor" data-chain=${toChain(network)} data-service=${listing.serviceType} data-publisher=${listing.publisher}>
      <h1>${plain(name)}</h1>
      ${since(listing, name, request)}
      <div id="warnings">${warnings(listing, request)}</div>
      <p id="offer"></p>
      <div class="parts">
        <div>
          ${part('versions', 'Versions', versionsPart(listing, nowMs))}
          ${part('events', 'Events', eventsPart(listing, request))}
        </div>
        <div><div id="facts">${rail(listing, request)}</div>${follow(listing, name, request)}</div>
      </div>
    </div>`,
  };
}

/** The page of an id that was never registered, which is often a name instead. */
function unknownPage({ network, parameters }: PageRequest): Content {
  const requested = parameters.serviceType!.slice(0, 200).toWellFormed();
  const search = `/?${new URLSearchParams({ network, q: requested })}`;
  return {
    title: 'No such adaptor',
    status: 404,
    section: 'catalog',
    main: html`<article class="text">
      <h1>No such adaptor</h1>
      <p>The registry of ${network} has no listing with the id <code>${plain(requested)}</code>.</p>
      <h2>What to do</h2>
      <p>Check the id, and the network. An id is a service type: the id of a package, a module and a witness, such as <code>0x2::swap::Swap</code>.</p>
      <p><a href=${search}>Search the catalog for it</a></p>
    </article>`,
  };
}

export const adaptorPage = graphPage<{ listing: ListingData | null }>({
  path: '/a/:network/:serviceType',
  document: listingDocument,
  variables: ({ parameters, network, search }) => ({
    chain: toChain(network),
    serviceType: parameters.serviceType,
    publisher: search.get('publisher') || undefined,
    reviews: { verified: showsVerifiedReviews(search) || undefined },
    days: readRange(useRange, search),
  }),
  render({ listing }, request) {
    if (!listing) return unknownPage(request);
    return listing.adaptor ? entryPage(listing, listing.adaptor, request) : listingPage(listing, request);
  },
});
