/** Ports that others know: people, programs, and the roles that are processes of their own. */
const users = {
  PORT: 'the HTTP API',
  LOCALNET_PORT: 'the local network',
  LOCALNET_FAUCET_PORT: 'the faucet',
  LOCALNET_BLOBS_PORT: 'the blob store',
  EMBEDDED_POSTGRES_PORT: 'the embedded PostgreSQL',
} as const;

export type PortSetting = keyof typeof users;

/** What the settings say of a port. */
export interface PortChoice {
  readonly setting: PortSetting;
  /** 0: any free one. */
  readonly port: number;
  /** Whether the operator set it, so that no other port will do. Never with 0. */
  readonly required: boolean;
}

/** Which ports were in use, and which one serves in their place. */
export interface PortUse {
  readonly taken: readonly number[];
  readonly port: number;
}

/** What the operator must know of a port that is not the default one or not the one of earlier starts, if anything. */
export function portNotice(
  { setting, port: wanted }: PortChoice,
  { taken, port }: PortUse,
): string | undefined {
  const user = users[setting];
  if (taken.length > 0) {
    const inUse = taken.length === 1 ? `Port ${taken[0]} is` : `Ports ${taken.join(' and ')} are`;
    return `${inUse} in use: ${user} uses ${port} instead. Set ${setting} to choose one.`;
  }
  if (wanted === 0 || port === wanted) return undefined;
  return `Port ${port}, as at earlier starts, instead of ${wanted}: ${user}. Set ${setting} to choose one.`;
}
