/** A query that GraphiQL offers in a tab of its own. Its comment is what a newcomer reads first. */
const catalog = `# The catalog: what wallets can use.
# Press the button to run it.
query Catalog {
  adaptors(first: 5, orderBy: USAGE) {
    totalCount
    edges { node {
      serviceType
      manifest { name category summary }
      operations {
        kind label executable reason { code }
      }
      usage { actions uniqueVaults }
      reviews { count avg }
    } }
    pageInfo { hasNextPage endCursor }
  }
  catalogFilters {
    categories { value count }
    coins { coinType coinInfo { symbol } count }
  }
}
`;

const history = `# Versions with what changed in each, and who
# rated the service.
query History {
  adaptors(first: 3) { edges { node {
    manifest { name }
    versions(first: 3) { edges { node {
      version listed
      changes { path before after }
    } } }
    latestReviews(first: 3) { edges { node {
      attester score verified
    } } }
    attestations(first: 3) {
      totalCount
      edges { node { attester score timestampMs } }
    }
    events(last: 3) { edges { node {
      name sender timestampMs
    } } }
  } } }
}
`;

const use = `# Use of each adaptor by day and by coin, with
# the actions behind it.
query Use {
  adaptors(first: 3) { edges { node {
    manifest { name }
    usageByDay(days: 7) {
      day actions wallets
      coins { coin taken brought }
    }
    usageByCoin(days: 30) {
      coin coinInfo { symbol decimals }
      actions taken brought
    }
    actions(first: 3) { edges { node {
      actors
      moved { coin taken brought }
      wallet { owner }
      event { txDigest }
    } } }
  } } }
}
`;

const publishers = `# Who publishes, what they registered, and why
# some of it is not shown.
query Publishers {
  publishers(first: 5) {
    totalCount
    edges { node {
      address verified firstSeenMs shownCount
      reviews { count avg }
      listings(first: 5) { edges { node {
        serviceType status reason
        adaptor { manifest { name } }
      } } }
      packages { edges { node {
        packageId verified
      } } }
    } }
  }
  integrators { edges { node {
    name adaptorCount
    adaptors(first: 3) { edges { node {
      serviceType
    } } }
  } } }
}
`;

const agents = `# Agents for hire, their jobs, and the wallets
# that pay.
query Agents {
  agents(first: 5) { edges { node {
    address name skills completedJobs hirers
    releasedByCoin {
      coinType coinInfo { symbol decimals }
      amount jobs
    }
    jobs(first: 5) { edges { node {
      jobId status amount brief
      wallet {
        walletId owner
        policy {
          version
          rules { rule ruleKind }
          allowlist { allowlistId }
        }
      }
    } } }
  } } }
}
`;

const chain = `# How far the index is, what it has read, and
# the rules that policies can require.
query Chain {
  _meta {
    chain checkpoint
    sources { name checkpoint checkpointMs }
  }
  sources {
    name checkpoint chainTip events lastError
  }
  source(name: REGISTRY) { checkpointMs }
  registryEvents(first: 5) { edges { node {
    name sender checkpoint data
  } } }
  events(source: WALLET, first: 5) {
    edges { node { name checkpoint data } }
  }
  rules { edges { node {
    ruleType label ruleKind warnings { code }
  } } }
}
`;

const byId = `# One object by what names it. The variables
# below name some of this index: of what does not
# exist, an answer has null.
query One(
  $serviceType: String = "0x1::module::Witness"
  $publisher: String = "0x1"
  $ruleType: String = "0x1::module::Rule"
  $agent: String = "0x1"
  $walletId: String = "0x1"
  $jobId: String = "0x1"
  $allowlistId: String = "0x1"
) {
  adaptor(serviceType: $serviceType) { id version }
  listing(serviceType: $serviceType) {
    id status reason
  }
  usage(serviceType: $serviceType) {
    actions uniqueVaults
  }
  publisher(address: $publisher) {
    verified firstSeenMs
  }
  rule(ruleType: $ruleType) { label }
  agent(address: $agent) { name }
  wallet(walletId: $walletId) {
    owner paused
    grants { serviceType coin allowance }
  }
  job(jobId: $jobId) { status amount }
  allowlist(allowlistId: $allowlistId) { walletId }
}
`;

const ofAddress = `# What an address owns, hired for and was given.
# \`nodes\` finds objects again by their \`id\`.
query OfAddress(
  $owner: String = "0x1"
  $recipient: String = "0x1"
  $integrator: String = "acme"
  $ids: [ID!] = []
) {
  wallets(owner: $owner) {
    totalCount
    edges { node {
      walletId
      delegates { edges { node { address } } }
    } }
  }
  jobs(owner: $owner) {
    totalCount
    edges { node { jobId status } }
  }
  caps(recipient: $recipient) {
    totalCount
    edges { node { capId capKind remaining } }
  }
  integrator(name: $integrator) { actions }
  nodes(ids: $ids) {
    id
    ... on Adaptor { serviceType }
  }
}
`;

const node = `# An object by its id, which any object has.
query Node(
  $id: ID =
    "U291cmNlOlsidGVzdG5ldCIsInJlZ2lzdHJ5Il0="
) {
  node(id: $id) {
    id
    ... on Source { name checkpoint }
  }
}
`;

const live = `# Events of the registry, each when it is
# indexed. Press the button again to stop.
subscription Live {
  eventAdded {
    cursor chain
    event {
      name sender checkpoint timestampMs data
    }
  }
}
`;

/** The tabs of GraphiQL: together they offer every query. */
export const exampleQueries = {
  catalog,
  history,
  use,
  publishers,
  agents,
  chain,
  byId,
  ofAddress,
  node,
  live,
} as const;
