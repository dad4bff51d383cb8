import { buildRequest } from '../support/build-request.ts';

interface Found {
  listings: {
    serviceType: string;
    publisher: string;
    publisherVerified: boolean;
    manifest: { name: string };
  }[];
  agents: { address: string }[];
  /** Id of a job whose work was submitted. */
  jobId: string;
  /** Owner of a used wallet that is not paused. */
  owner: string;
}

/** Pages of third-party tools, and the schema, which is as long as the graph. Their size is not limited. */
export const unboundedPages = new Set(['explorer', 'schema']);

/** A page of each kind with data of the demo marketplace, by a name that fits file names. */
export async function demoPages(url: string): Promise<Record<string, string>> {
  const { listings, agents, owner, jobId } = await find(url);
  const vault = listings.find(({ manifest }) => manifest.name === 'Reef Vault')!;
  const other = listings.find(
    ({ publisherVerified, serviceType }) => publisherVerified && serviceType !== vault.serviceType,
  )!;
  const unverified = listings.find(({ publisherVerified }) => !publisherVerified)!;
  const buildPath = ({ serviceType }: { serviceType: string }) => `/a/testnet/${serviceType}`;
  return {
    catalog: '/',
    'catalog-search': '/?q=reef&sort=rating',
    'catalog-empty': '/?q=nothing+like+this',
    adaptor: buildPath(vault),
    'adaptor-unverified': `${buildPath(unverified)}?publisher=${unverified.publisher}`,
    compare: `/compare?a=${vault.serviceType}&b=${other.serviceType}`,
    'compare-choose': `/compare?a=${vault.serviceType}`,
    source: `${buildPath(vault)}/source`,
    'check-source': `${buildPath(vault)}/source/check?publisher=${vault.publisher}`,
    check: `${buildPath(vault)}/check?publisher=${vault.publisher}`,
    review: `/review?service=${vault.serviceType}`,
    report: `/report?service=${vault.serviceType}&publisher=${vault.publisher}`,
    publisher: `/p/${vault.publisher}`,
    agents: '/agents',
    agent: `/agents/${agents[0]!.address}`,
    jobs: '/jobs',
    'jobs-empty': '/jobs?state=open&owner=0x7',
    job: `/jobs/${jobId}`,
    hire: `/jobs/hire?agent=${agents[0]!.address}`,
    runs: '/runs',
    run: '/runs/1',
    publish: '/publish',
    wallet: '/wallet',
    'wallet-owner': `/wallet?owner=${owner}`,
    grant: `/wallet/grant?service=${vault.serviceType}`,
    webhooks: '/webhooks',
    webhook: '/webhooks/wh_8sQm2Kd1',
    'webhook-events': '/webhooks/events',
    guides: '/docs/guides',
    'guides-search': '/docs/guides?q=api+key',
    guide: '/docs/webhooks',
    record: '/docs/decisions/0009-prepared-bytes',
    docs: '/docs',
    operation: '/docs/api/getAdaptor',
    sql: '/sql',
    explorer: '/graphql',
    schema: '/graphql/schema',
    operator: '/operator',
    status: '/status',
    errors: '/errors',
    error: '/errors/rate_limited',
  };
}

async function find(url: string): Promise<Found> {
  const query = `{
    adaptors(first: 50, filter: { includeUnverified: true }) {
      edges { node { serviceType publisher publisherVerified manifest { name } } }
    }
    jobs(first: 1, status: SUBMITTED) { edges { node { jobId } } }
    agents(first: 1) { edges { node { address } } }
    used: adaptors(first: 1) { edges { node { actions(first: 50) { edges { node { wallet { owner paused } } } } } } }
  }`;
  const answer = await fetch(`${url}/graphql`, buildRequest({ query }));
  const { data } = await answer.json();
  const listNodes = (list: { edges: { node: unknown }[] }) => list.edges.map(({ node }) => node);
  const actions = listNodes(data.used.edges[0].node.actions) as {
    wallet: { owner: string; paused: boolean };
  }[];
  return {
    listings: listNodes(data.adaptors) as Found['listings'],
    agents: listNodes(data.agents) as Found['agents'],
    jobId: data.jobs.edges[0].node.jobId,
    owner: actions.find(({ wallet }) => !wallet.paused)!.wallet.owner,
  };
}
