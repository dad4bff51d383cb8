import { askGraph } from '../signing/chain.ts';

/** Reads the ids of the wallets of an address from the index; at most 20. */
export async function readWallets(owner: string): Promise<string[]> {
  const { wallets } = await askGraph<{ wallets: { edges: { node: { walletId: string } }[] } }>(
    'query ($chain: Chain, $owner: String!) { wallets(chain: $chain, owner: $owner, first: 20) { edges { node { walletId } } } }',
    { owner },
  );
  return wallets.edges.map(({ node }) => node.walletId);
}
