/** The networks of Sui that adaptors are listed on. */
export const networks = ['testnet', 'mainnet'] as const;
export type Network = (typeof networks)[number];
