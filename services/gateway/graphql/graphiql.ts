import { inlineHash, type Page, page } from '../pages/page.ts';

const startQuery = `{
  adaptors(first: 5) {
    edges { node { serviceType publisherVerified manifest { name category } } }
  }
}
`;

/**
 * GraphiQL from this server alone: one page of nine megabytes, made and compressed when first asked for. Only
 * its own script runs, and the editor's workers, which that script makes from blobs.
 */
export const graphiql = page(async (): Promise<Page> => {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = String(await renderGraphiQL({ title: 'Adaptor marketplace graph', defaultQuery: startQuery }));
  const script = html.slice(html.indexOf('<script>') + '<script>'.length, html.lastIndexOf('</script>'));
  return {
    html,
    policy: [
      `script-src ${inlineHash(script)} blob:`,
      'worker-src blob:',
      "style-src 'unsafe-inline'",
      "img-src 'self' data:",
      'font-src data:',
      "connect-src 'self'",
    ],
  };
});
