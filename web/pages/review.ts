import { html } from '../components/html.ts';
import { adaptorPath } from '../components/links.ts';
import { empty } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { type Content, graphPage, noServiceType, readServiceType, toChain } from '../frame/page.ts';

interface ReviewData {
  listing: { serviceType: string; adaptor: { manifest: { name: string } } | null } | null;
}

/** The page on which a reader reviews a service on chain. */
export const reviewPage = graphPage<ReviewData>({
  path: '/review',
  document: `query ReviewPage($chain: Chain!, $serviceType: String!) {
    listing(chain: $chain, serviceType: $serviceType) { serviceType adaptor { manifest { name } } }
  }`,
  variables: ({ search, network }) => ({
    chain: toChain(network),
    serviceType: readServiceType(search, 'service') ?? noServiceType,
  }),
  render({ listing }, { network }): Content {
    if (!listing?.adaptor)
      return {
        title: 'Write a review',
        status: 404,
        section: 'catalog',
        main: html`<h1>Write a review</h1>
          ${empty(`The catalog of ${network} shows no such adaptor`, html`<p>Find it in <a href=${`/?network=${network}`}>the catalog</a>. Its page has the link with which you review it.</p>`)}`,
      };
    const { serviceType, adaptor } = listing;
    const { name } = adaptor.manifest;
    return {
      title: `Review ${name}`,
      section: 'catalog',
      islands: ['review'],
      main: html`<h1>Review ${plain(name)}</h1>
        <p class="lead">Say on chain how <a href=${adaptorPath(network, serviceType)}>this adaptor</a> worked for you. Everyone can read a review, and nobody can delete it. Only your latest one counts. Its publisher cannot review it.</p>
        <div id="review" data-service=${serviceType} data-name=${name}>
          <div class="box" data-script><p>Connect a wallet: a review is a transaction that you sign.</p><p><button type="button" data-connect>Connect</button></p></div>
          <noscript><div class="box"><p>The form needs script, for your wallet signs. The command line does the same:</p><pre tabindex="0"><code>${`npx adaptor-marketplace attest '${serviceType}' 5 --text 'It paid out within a minute.'`}</code></pre></div></noscript>
        </div>`,
    };
  },
});
