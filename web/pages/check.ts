import { code } from '../components/code.ts';
import { html } from '../components/html.ts';
import { adaptorPath } from '../components/links.ts';
import { plain } from '../components/plain.ts';
import { graphPage, toChain } from '../frame/page.ts';

interface CheckData {
  listing: { serviceType: string; publisher: string; adaptor: { manifest: { name: string } } | null } | null;
}

/** The page on which the reader's browser computes the certificates of a listing again, from a node of their choice. */
export const checkPage = graphPage<CheckData>({
  path: '/a/:network/:serviceType/check',
  document: `query Check($chain: Chain!, $serviceType: String!, $publisher: String) {
    listing(chain: $chain, serviceType: $serviceType, publisher: $publisher) {
      serviceType publisher adaptor { manifest { name } }
    }
  }`,
  variables: ({ parameters, search, network }) => ({
    chain: toChain(network),
    serviceType: parameters.serviceType,
    publisher: search.get('publisher') || undefined,
  }),
  render({ listing }, { network, node, origin }) {
    if (!listing?.adaptor) return undefined;
    const { serviceType, publisher, adaptor } = listing;
    const { name } = adaptor.manifest;
    const command = `npx adaptor-marketplace certify '${serviceType}' --compare \\
  --network ${network} --rpc ${node.url} \\
  --url ${origin}`;
    const back = adaptorPath(network, serviceType, publisher);
    return {
      title: `Check ${name}`,
      section: 'catalog',
      islands: ['check'],
      worker: 'recompute',
      policy: { 'worker-src': "'self'" },
      main: html`<h1>Check ${plain(name)}</h1>
        <p class="lead">Your browser reads the bytecode from a node of your choice, computes the certificates of all functions that <a href=${`${back}#certificate`}>this listing</a> calls, and compares their hashes with those of this marketplace.</p>
        <form id="check" class="fields box" data-script data-network=${network} data-service=${serviceType} data-publisher=${publisher}>
          <label for="node">Node</label>
          <input id="node" name="node" type="url" required value=${node.url} aria-describedby="node-hint" />
          <p class="hint" id="node-hint">Any full node of ${network} with gRPC-Web. The marketplace reads from another one, or from the same.</p>
          <p class="actions"><button type="submit" disabled>Compute the certificates</button></p>
        </form>
        <div id="checked"></div>
        <p>The program for this comes from this site. The command line has its own:</p>
        ${code(command, 'Copy the command')}
        <p>The same hash says that the sentences are about the bytecode on chain. It does not say that the code is safe.</p>
        <noscript><p>The check needs script.</p></noscript>`,
    };
  },
});
