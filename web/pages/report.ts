import { html } from '../components/html.ts';
import { adaptorPath } from '../components/links.ts';
import { empty } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { nameType } from '../components/type-names.ts';
import { type Content, graphPage, noServiceType, readServiceType, toChain } from '../frame/page.ts';

interface ReportData {
  listing: { serviceType: string; publisher: string; adaptor: { manifest: { name: string } } | null } | null;
}

const categories = {
  malicious: 'It harms wallets',
  misleading: 'It does not do what it says, or imitates another',
  broken: 'It does not work',
  other: 'Something else',
};

/** The page on which a reader reports a listing to the operator. */
export const reportPage = graphPage<ReportData>({
  path: '/report',
  document: `query Report($chain: Chain!, $serviceType: String!, $publisher: String) {
    listing(chain: $chain, serviceType: $serviceType, publisher: $publisher) {
      serviceType publisher adaptor { manifest { name } }
    }
  }`,
  variables: ({ search, network }) => ({
    chain: toChain(network),
    serviceType: readServiceType(search, 'service') ?? noServiceType,
    publisher: search.get('publisher') || undefined,
  }),
  render({ listing }, { network, origin }): Content {
    if (!listing)
      return {
        title: 'Report a listing',
        status: 404,
        section: 'catalog',
        main: html`<h1>Report a listing</h1>
          ${empty(`No such listing on ${network}`, html`<p>Find it in <a href=${`/?network=${network}`}>the catalog</a>. Its page has the link with which you report it.</p>`)}`,
      };
    const { serviceType, publisher, adaptor } = listing;
    const name = adaptor?.manifest.name ?? nameType(serviceType);
    const body = JSON.stringify({ network, serviceType, publisher, category: 'malicious', words: '…' });
    return {
      title: `Report ${name}`,
      section: 'catalog',
      islands: ['report'],
      main: html`<h1>Report ${plain(name)}</h1>
        <p class="lead">Tell the operator of this marketplace what is wrong with <a href=${adaptorPath(network, serviceType, publisher)}>this listing</a>. They can take it out of the catalog. They cannot change the chain: if you granted to it, <a href=${`/wallet?network=${network}`}>revoke it</a> first.</p>
        <form id="report" class="fields box" data-script data-network=${network} data-service=${serviceType} data-publisher=${publisher}>
          <label for="category">What is wrong</label>
          <select id="category" name="category">${Object.entries(categories).map(([value, words]) => html`<option value=${value}>${words}</option>`)}</select>
          <label for="words">In your words</label>
          <textarea id="words" name="words" rows="6" maxlength="1000" required aria-describedby="words-hint"></textarea>
          <p class="hint" id="words-hint">Name transactions, if you know some. Only the operator reads it.</p>
          <p class="actions"><button type="submit" disabled>Report it</button></p>
          <div id="report-state" role="status"></div>
        </form>
        <noscript><div class="box"><p>The form needs script. You can send the same with curl:</p><pre tabindex="0"><code>${`curl ${origin}/api/adaptors/reports -H 'content-type: application/json' -d '${body}'`}</code></pre></div></noscript>`,
    };
  },
});
