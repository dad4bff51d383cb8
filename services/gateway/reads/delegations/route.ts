import { allowlistRule } from '@adaptor-marketplace/adaptor/calls/allowlist';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { z } from 'zod';
import { readPolicies, recipientsMax } from '../../../../db/queries/wallets/policies.ts';
import { ancestorsOf } from '../../../../lib/chain/caps.ts';
import { type ReadHost, read } from '../read.ts';
import { requirePackage } from '../require-package.ts';
import { type Delegation, type delegationsBody, delegationsRequest } from './body.ts';
import type { CapChain } from './chain.ts';
import { describeCap } from './describe.ts';

/**
 * `GET /api/delegations`: the caps that an address holds by the node's index of owned objects, since caps change
 * hands without an event, and what each is worth by the read model.
 */
export function delegations(host: ReadHost, chains: ReadonlyMap<Network, CapChain>) {
  return read(host, {
    query: delegationsRequest,
    needs: ['walletPackageId'],
    also: ['rules'],
    async answer({ request: { address }, network, settings }) {
      const { caps, truncated, units, guards } = await chains.get(network)!.holdingsOf(address);
      const { policies, revokedCaps, tooLong } = await readPolicies(host.db, {
        network,
        walletIds: [...new Set(caps.map((cap) => cap.walletId))],
        capIds: [...new Set(caps.flatMap((cap) => [cap.id, ...ancestorsOf(cap)]))],
      });
      const walletPackageId = requirePackage(settings, 'walletPackageId');
      const allowlistPackageId = settings.allowlistPackageId ?? settings.rulesPackageId;
      const described = caps
        .filter((cap) => !tooLong.has(cap.walletId))
        .map((cap) =>
          describeCap(cap, {
            walletPackageId,
            allowlistRule: allowlistPackageId && allowlistRule(allowlistPackageId),
            guards,
            policy: policies.get(cap.walletId),
            revokedCaps,
            unit: cap.kind === 'scoped' ? units.get(cap.coin) : undefined,
          }),
        );
      const shown = withinBounds(described);
      return {
        address,
        network,
        active: shown.filter(({ revoked }) => !revoked),
        revoked: shown.filter(({ revoked }) => revoked),
        truncated: truncated || shown.length < caps.length,
      } satisfies z.infer<typeof delegationsBody>;
    },
  });
}

/** Each cap shows its wallet's whole list, so those with the longest lists go first where all are too long. */
function withinBounds(delegations: readonly Delegation[]): Delegation[] {
  const lengthOf = ({ allowlist }: Delegation) => allowlist?.length ?? 0;
  const shown: Delegation[] = [];
  let recipients = 0;
  for (const delegation of delegations.toSorted((a, b) => lengthOf(a) - lengthOf(b))) {
    recipients += lengthOf(delegation);
    if (recipients > recipientsMax) break;
    shown.push(delegation);
  }
  return shown.sort((a, b) => (a.capId < b.capId ? -1 : 1));
}
