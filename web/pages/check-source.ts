import { html } from '../components/html.ts';
import { sourcePath } from '../components/links.ts';
import { plain } from '../components/plain.ts';
import { graphPage, toChain } from '../frame/page.ts';
import { notSafe } from './source-part.ts';

interface CheckSourceData {
  listing: { serviceType: string; publisher: string; adaptor: { manifest: { name: string } } | null } | null;
}

/** The page on which the reader's browser builds source and compares it with the package of a listing. */
export const checkSourcePage = graphPage<CheckSourceData>({
  path: '/a/:network/:serviceType/source/check',
  document: `query CheckSource($chain: Chain!, $serviceType: String!, $publisher: String) {
    listing(chain: $chain, serviceType: $serviceType, publisher: $publisher) {
      serviceType publisher adaptor { manifest { name } }
    }
  }`,
  variables: ({ parameters, search, network }) => ({
    chain: toChain(network),
    serviceType: parameters.serviceType,
    publisher: search.get('publisher') || undefined,
  }),
  render({ listing }, { network, node }) {
    if (!listing?.adaptor) return undefined;
    const { serviceType, publisher, adaptor } = listing;
    const { name } = adaptor.manifest;
    return {
      title: `Build the source of ${name}`,
      section: 'catalog',
      islands: ['check-source'],
      worker: 'rebuild',
      policy: { 'worker-src': "'self'" },
      main: html`<h1>Build the source of ${plain(name)}</h1>
        <p class="lead">Your browser builds <a href=${sourcePath(network, serviceType, { publisher })}>the source</a> with the Move compiler, reads the bytecode from a node of your choice, and compares the two. Nothing is sent to this site.</p>
        ${notSafe}
        <form id="check-source" class="fields box" data-script data-network=${network} data-service=${serviceType} data-publisher=${publisher}>
          <label for="node">Node</label>
          <input id="node" name="node" type="url" required value=${node.url} aria-describedby="node-hint" />
          <p class="hint" id="node-hint">Any full node of ${network} with gRPC-Web.</p>
          <label for="zip">Source as a zip file (optional)</label>
          <input id="zip" name="zip" type="file" accept=".zip,application/zip" aria-describedby="source-hint" />
          <label for="directory">Or as a folder (optional)</label>
          <input id="directory" name="directory" type="file" webkitdirectory="" multiple aria-describedby="source-hint" />
          <p class="hint" id="source-hint">Without one, your browser builds the source that this marketplace holds. A zip file of a repository is what its host offers for download.</p>
          <label for="folder">Folder of the package (optional)</label>
          <input id="folder" name="folder" maxlength="255" placeholder="packages/pool" aria-describedby="folder-hint" />
          <p class="hint" id="folder-hint">If the zip file or the folder has several packages.</p>
          <p class="actions"><button type="submit" disabled>Build and compare</button></p>
        </form>
        <div id="compared"></div>
        <p class="muted">The first build loads 3 MB. The compiler and this program come from this site; <code>adaptor-marketplace verify</code> has its own.</p>
        <noscript><p>The build needs script.</p></noscript>`,
    };
  },
});
