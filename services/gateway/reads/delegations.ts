import { type Network, networks } from '@adaptor-marketplace/adaptor';
import { allowlistRule } from '@adaptor-marketplace/adaptor/transactions';
import { z } from 'zod';
import { readPolicies, recipientsMax } from '../../../db/queries/wallets/policies.ts';
import { ancestorsOf } from '../../../lib/chain/caps.ts';
import { addressParameter, id, networkParameter, sui, walletId } from '../openapi/parameters.ts';
import type { CapChain } from './cap-chain.ts';
import { type Delegation, delegation, describeCap } from './describe-cap.ts';
import { type ReadDependencies, readRoute, requirePackage } from './read.ts';

export interface DelegationDependencies extends ReadDependencies {
  /** By network; of those where wallets are indexed. */
  capChains: ReadonlyMap<Network, CapChain>;
}

export const delegationsBody = z
  .object({
    address: z.string(),
    network: z.enum(networks),
    active: z.array(delegation),
    revoked: z.array(delegation),
    truncated: z.boolean().meta({
      description: 'Whether the address holds more caps than were read, or their lists were too long.',
    }),
  })
  .meta({ id: 'Delegations' });

/**
 * The node's index of owned objects says which caps an address holds, because caps are transferred without an event.
 * The read model says what each of them allows.
 */
export const listDelegations = readRoute({
  path: '/api/delegations',
  query: z.object({
    network: networkParameter,
    address: addressParameter.meta({ description: 'The address that holds the caps.' }),
  }),
  needs: ['walletPackageId'],
  also: ['rules'],
  body: delegationsBody,
  operation: {
    operationId: 'listDelegations',
    summary: 'List the caps of an address, and what each allows',
    description:
      "Caps are transferred without an event, so the holder is read from the network's node. The terms come from the " +
      'index.',
    refusals: ['node_unavailable', 'node_busy', 'node_timeout'],
    example: {
      query: { address: id('4') },
      answer: {
        address: id('4'),
        network: 'testnet',
        active: [
          {
            capId: id('5'),
            kind: 'scoped',
            walletId,
            revoked: false,
            policyVersion: 1,
            vaultVersion: 1,
            coin: sui,
            remaining: '1900000000',
            remainingHuman: '1.9',
            depth: 0,
            maxDepth: 3,
            canSubdelegate: true,
            conditions: ['At most 1.9 SUI may be spent.', 'Money may go to anyone.'],
            allowlist: null,
            allowlistId: null,
            enforcesAllowlist: false,
            summary: `Its holder may spend at most 1.9 SUI from wallet ${walletId}. Money may go to anyone.`,
          },
        ],
        revoked: [],
        truncated: false,
      },
    },
  },
  async answer({ query: { address }, network, settings }, { db, capChains }: DelegationDependencies) {
    const { caps, truncated, units, guards } = await capChains.get(network)!.holdingsOf(address);
    const { policies, revokedCaps, tooLong } = await readPolicies(db, {
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

/** Each cap shows its wallet's whole list. Where all lists are too long, the caps with the longest are left out. */
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
