/** Query for some objects of each kind. Examples name these, so that a reader's first request finds something. */
export const exampleObjects = `{
  adaptors(first: 3, orderBy: NAME) { edges { node { id serviceType publisher } } }
  integrators(first: 1) { edges { node { name } } }
  rules(first: 1) { edges { node { ruleType } } }
  agents(first: 5) { edges { node { address jobs(first: 1) { edges { node { jobId walletId wallet {
    owner
    policy { allowlist { allowlistId } }
    caps(first: 1) { edges { node { recipient } } }
  } } } } } } }
}`;

interface Connection<Node> {
  edges: { node: Node }[];
}
interface Job {
  jobId: string;
  walletId: string;
  wallet: {
    owner: string;
    policy: { allowlist: { allowlistId: string } | null } | null;
    caps: Connection<{ recipient: string }>;
  } | null;
}
export interface ExampleObjects {
  adaptors: Connection<{ id: string; serviceType: string; publisher: string }>;
  integrators: Connection<{ name: string }>;
  rules: Connection<{ ruleType: string }>;
  agents: Connection<{ address: string; jobs: Connection<Job> }>;
}

/** Returns the variables of the graph's example queries, without those whose objects the index lacks. */
export function buildExampleVariables(found: ExampleObjects): Record<string, Record<string, unknown>> {
  const adaptors = found.adaptors.edges.map(({ node }) => node);
  const agents = found.agents.edges.map(({ node }) => node);
  const agent = agents.find(({ jobs }) => jobs.edges.length > 0) ?? agents[0];
  const job = agent?.jobs.edges[0]?.node;
  const { owner, policy, caps } = job?.wallet ?? {};
  return {
    byId: {
      serviceType: adaptors[0]?.serviceType,
      publisher: adaptors[0]?.publisher,
      ruleType: found.rules.edges[0]?.node.ruleType,
      agent: agent?.address,
      walletId: job?.walletId,
      jobId: job?.jobId,
      allowlistId: policy?.allowlist?.allowlistId,
    },
    ofAddress: {
      owner,
      recipient: caps?.edges[0]?.node.recipient,
      integrator: found.integrators.edges[0]?.node.name,
      ids: adaptors.map(({ id }) => id),
    },
  };
}
