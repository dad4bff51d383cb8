import { networks } from '@adaptor-marketplace/adaptor/networks';
import { z } from 'zod';
import { addressParameter, networkParameter } from '../../request/parameters.ts';

export const delegationsRequest = z.object({ network: networkParameter, address: addressParameter });

const delegation = z
  .object({
    capId: z.string(),
    kind: z.enum(['bearer', 'scoped']),
    walletId: z.string(),
    revoked: z.boolean(),
    policyVersion: z.int().min(0).meta({ description: "The cap's." }),
    vaultVersion: z
      .int()
      .min(0)
      .meta({ description: "The wallet's; 0 where the index has not reached the wallet's policy yet." }),
    coin: z.string().optional(),
    remaining: z.string().optional().meta({ description: 'Base units.' }),
    remainingHuman: z
      .string()
      .optional()
      .meta({ description: 'The same in units of the coin; absent where its decimals are not known.' }),
    depth: z.int().min(0).optional(),
    maxDepth: z.int().min(0).optional(),
    canSubdelegate: z.boolean(),
    conditions: z.array(z.string()).meta({ description: 'What a spend must meet, one sentence each.' }),
    allowlist: z.array(z.string()).nullable().meta({ description: 'Recipients on the list in force.' }),
    allowlistId: z.string().nullable(),
    enforcesAllowlist: z.boolean().meta({ description: 'Whether money can go to those recipients alone.' }),
    summary: z.string(),
  })
  .meta({ id: 'MyDelegation', description: 'A cap that the address holds, and what it is worth.' });

export type Delegation = z.infer<typeof delegation>;

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
