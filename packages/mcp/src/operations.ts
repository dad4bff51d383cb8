interface ToolOperation {
  /** Id of the operation in the OpenAPI document. */
  operationId: string;
  title: string;
  description: string;
  /** Parameters that a model does not need. */
  leftOut?: string[];
  /** Arguments that are sent if the caller does not set them. */
  defaults?: Record<string, unknown>;
  /** Effect of the tool. Absent: it only reads. */
  writes?: 'stores' | 'moves funds';
}

const credential =
  "Needs an executor key of the wallet, or a session of its owner, as the connection's bearer token.";

/**
 * The tools, by name. Descriptions contain no text of third parties, because a model reads them as instructions.
 * Schemas come from the operation.
 */
export const toolOperations: Record<string, ToolOperation> = {
  search_adaptors: {
    operationId: 'listAdaptors',
    title: 'Search adaptors',
    description:
      'Finds listed wallet adaptors by words, category, coin or publisher. Entries are verified against the chain unless `include` says otherwise.',
    leftOut: ['sinceRevision', 'ids'],
    defaults: { limit: 10 },
  },
  describe_adaptor: {
    operationId: 'getAdaptor',
    title: 'Describe an adaptor',
    description:
      'Returns one listing with its manifest: its ops, the coins they take and the calls that run them; and, where it is not in the catalog, why.',
  },
  get_certificate: {
    operationId: 'getAdaptorCertificate',
    title: 'Get what the code of an adaptor can do',
    description:
      'Returns what the functions that a listing calls can do with money, as sentences that come from their bytecode.',
    leftOut: ['include'],
    defaults: { limit: 3 },
  },
  get_certificate_changes: {
    operationId: 'getAdaptorCertificateChanges',
    title: 'Get what an update may do more',
    description:
      'Compares the code of the last two versions of a listing: what the later one may do more or less.',
  },
  get_source: {
    operationId: 'getAdaptorSource',
    title: "Get an adaptor's source verdict",
    description:
      'Compares offered source with the code on chain: the verdict, and where they differ. Verified is not safe.',
    leftOut: ['include', 'file'],
  },
  explain: {
    operationId: 'explainTransaction',
    title: 'Explain a transaction',
    description:
      'Says what an unsigned transaction can take at most, where it goes, and what comes back. Nothing is executed.',
    leftOut: ['sender'],
  },
  introspect_package: {
    operationId: 'introspectPackage',
    title: 'Introspect a package',
    description: 'Reads the functions of a published Move package, and what each argument is for.',
  },
  infer_call: {
    operationId: 'inferCall',
    title: 'Infer a call',
    description:
      'Finds the objects and values that past calls of a function used, to complete the spec of an op.',
  },
  draft_listing: {
    operationId: 'draftListing',
    title: 'Draft a listing',
    description:
      'Drafts the manifest of a package, stores it with `upload`, and builds the registration that its publisher signs with their own wallet. Nothing is signed here.',
    leftOut: ['profile', 'source'],
    writes: 'stores',
  },
  get_registry_schema: {
    operationId: 'getAdaptorSchemas',
    title: 'Get the schemas of manifests',
    description: "Returns the JSON Schemas of manifests and calls, and the registry's targets.",
  },
  get_wallet: {
    operationId: 'getVault',
    title: "Get an owner's wallet",
    description:
      'Returns the wallets of an owner: their ids, their addresses for coins, and which are paused.',
  },
  list_delegations: {
    operationId: 'listDelegations',
    title: 'List delegations',
    description: 'Returns the caps that an address holds, and what each of them may spend now.',
  },
  list_agents: {
    operationId: 'listAgentServices',
    title: 'List agents',
    description: 'Returns the agents for hire, with their skills, completed jobs and what they earned.',
    defaults: { limit: 20 },
  },
  find_jobs: {
    operationId: 'findEscrowJobs',
    title: 'Find escrow jobs',
    description: 'Returns one job by `jobId`, or the jobs of a provider or an owner.',
  },
  list_events: {
    operationId: 'listEvents',
    title: 'List events since',
    description:
      "Returns the registry's events in the order of the chain, behind the cursor `after`. Keep the last cursor, and call again with it.",
    defaults: { limit: 50 },
  },
  simulate_action: {
    operationId: 'simulateAction',
    title: 'Simulate an action',
    description: `Returns the bounds that a run of an action would sign now, \`takesAtMost\` and \`bringsAtLeast\`, the calls (\`steps\`), or why it would fail. \`paid\` and \`received\` are what moved in the simulation, and promise nothing: decide by the bounds. Nothing is signed. ${credential}`,
  },
  run_action: {
    operationId: 'runAction',
    title: 'Run an action',
    description: `Signs and executes an action of a wallet with the key that the operator manages, within the limits that the owner granted on chain. It moves funds, and a person confirms it first, unless the key is unattended. Simulate it, and send the bounds that you decided on as \`bounds\`, with the \`manifestHash\` of each adaptor in \`manifests\`. If the connection breaks, call again with the same \`requestId\`, which starts nothing new. ${credential}`,
    writes: 'moves funds',
  },
};
