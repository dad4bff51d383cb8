import type { NetworkSettings } from './networks.ts';

/** What can be followed of a network: one kind of packages each, with tables of its own. */
export const sourceNames = ['registry', 'wallet', 'rules', 'agents', 'escrow'] as const;
export type SourceName = (typeof sourceNames)[number];

/** The packages that decide what is followed. */
export type FollowedPackages = Pick<
  NetworkSettings,
  'walletPackageId' | 'rulesPackageId' | 'allowlistPackageId' | 'agentsPackageId' | 'escrowPackageId'
>;

/** The sources of a network whose packages are set. */
export function followedSources(settings: FollowedPackages): SourceName[] {
  const packages: Record<SourceName, string | boolean | undefined> = {
    registry: true,
    wallet: settings.walletPackageId,
    rules: settings.rulesPackageId ?? settings.allowlistPackageId,
    agents: settings.agentsPackageId,
    escrow: settings.escrowPackageId,
  };
  return sourceNames.filter((name) => packages[name]);
}
