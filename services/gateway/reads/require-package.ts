import { problem } from '../../../lib/errors/index.ts';
import type { GatewayNetwork } from '../options.ts';

const settingNames = {
  walletPackageId: 'WALLET_PACKAGE_ID',
  rulesPackageId: 'RULES_PACKAGE_ID',
  agentsPackageId: 'AGENTS_PACKAGE_ID',
  escrowPackageId: 'ESCROW_PACKAGE_ID',
} as const;

export type NeededPackage = keyof typeof settingNames;

/** @throws ProblemError 503 that names the setting, where the host does not follow the package */
export function requirePackage(settings: GatewayNetwork, name: NeededPackage): string {
  const packageId = settings[name];
  if (packageId !== undefined) return packageId;
  const setting = `${settings.network.toUpperCase()}_${settingNames[name]}`;
  throw problem(
    'not_configured',
    `This service does not index what this operation reads: ${setting} is not set.`,
  );
}
