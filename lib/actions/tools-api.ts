import { networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { actionRequest } from './request.ts';
import { slots } from './slots.ts';
import { address } from './steps.ts';

/**
 * Protocol between the agent service and the tool service. Errors are problem+json. Errors that depend on the chain or
 * the catalog have status 422 and one of `draftErrors` as code.
 */

/** Header that authenticates the agent service. Its value is the secret that both services are configured with. */
export const internalAgentHeader = 'x-svc-internal-agent';

const type = z.string();
const digits = z.string().regex(/^\d+$/).meta({ description: 'Base units, decimal digits.' });
const coinAmount = z.object({ coinType: type, amount: digits });

/** The listed adaptor that a transaction calls, with the hash of its verified manifest. */
const usedAdaptor = z.object({
  serviceType: type,
  packageId: z.string(),
  publisher: z.string(),
  name: z.string(),
  version: z.int(),
  manifestHash: z.string(),
});
export type UsedAdaptor = z.infer<typeof usedAdaptor>;

/**
 * A grant that an action requires from the wallet's owner. `amount`: what this action takes; absent in `GET
 * /protocols`.
 */
const grant = z.discriminatedUnion('kind', [
  z
    .object({ kind: z.literal('delegate') })
    .meta({ description: '`delegate::add`: the agent is a delegate.' }),
  z
    .object({ kind: z.literal('service'), serviceType: type })
    .meta({ description: 'Any grant of the service: it keeps an asset in the wallet.' }),
  z
    .object({
      kind: z.literal('serviceCoin'),
      serviceType: type,
      coinType: type.nullable(),
      amount: digits.optional(),
    })
    .meta({ description: '`wallet::grant_service_coin`: what the service may take.' }),
  z
    .object({ kind: z.literal('serviceBudget'), serviceType: type, amount: digits.optional() })
    .meta({ description: "`delegate::set_service_allowance`: the agent's budget for the service." }),
  z
    .object({ kind: z.literal('coinBudget'), coinType: type.nullable(), amount: digits.optional() })
    .meta({ description: "`delegate::set_coin_allowance`: the agent's budget of the coin." }),
  z.object({ kind: z.literal('cap'), coinType: type.nullable(), amount: digits.optional() }).meta({
    description:
      '`cap_auth::mint_and_transfer` or `sub_delegate::mint_root_and_transfer`: a cap to spend by.',
  }),
  z
    .object({ kind: z.literal('recipient'), recipient: z.string() })
    .meta({ description: "`rule::allow`: the recipient is on the wallet's allowlist." }),
]);
export type Grant = z.infer<typeof grant>;

/** Maximum time of `POST /draft` in milliseconds, even if the node is slow. */
export const draftMsMax = 20_000;

export const transactionDraftRequest = z.strictObject({
  sender: address.meta({ description: 'Who signs: the managed agent key.' }),
  request: actionRequest,
});
export type TransactionDraftRequest = z.infer<typeof transactionDraftRequest>;

const draftStep = z.object({
  action: z.string(),
  summary: z.string().meta({ description: 'What the step does, in words.' }),
  slot: z.enum(slots).nullable().meta({ description: 'Null: a spend under the policy.' }),
  adaptor: usedAdaptor.nullable(),
  targets: z.array(z.string()).meta({ description: '`0x…::module::function` of its calls, in order.' }),
  spends: z.array(coinAmount).meta({ description: 'What leaves the wallet, at most.' }),
  receivesAtLeast: z.array(coinAmount).meta({ description: 'What comes into the wallet, at least.' }),
  recipient: z.string().nullable().meta({ description: 'Who is paid by a spend.' }),
  capId: z.string().nullable().meta({ description: 'The cap that a spend goes by.' }),
});

export const transactionDraft = z.object({
  network: z.enum(networks),
  walletId: z.string(),
  sender: z.string(),
  transactionKind: z.base64().meta({
    description:
      'BCS of a TransactionKind whose objects are resolved: `Transaction.fromKind`. Sender and gas are yours to set.',
  }),
  summary: z.string().meta({ description: 'What the transaction does, in words.' }),
  steps: z.array(draftStep).meta({ description: 'One, or those of a `compose`, in order.' }),
  spends: z.array(coinAmount).meta({ description: 'Over all steps, by coin, at most.' }),
  receivesAtLeast: z.array(coinAmount).meta({ description: 'Over all steps, by coin.' }),
});
export type TransactionDraft = z.infer<typeof transactionDraft>;

/**
 * Codes of status 422. `detail` says what to do. `errors` has one row for each missing grant or cap: its path is the
 * kind of the grant, and its message is the call that the owner must make.
 */
export const draftErrors = {
  slot_not_configured: 'No adaptor fills the slot on this network.',
  adaptor_not_listed: 'The adaptor is not listed, or its manifest is not verified.',
  adaptor_quarantined: 'The operator holds the adaptor in quarantine.',
  op_not_found: 'The adaptor lists no executable op for the action.',
  op_not_executable: 'The op that the adaptor lists for the action cannot be executed.',
  coin_not_supported: 'No op of the adaptor takes these coins, this pool or this market.',
  argument_mismatch:
    'The op needs a value that neither the action nor the manifest gives, or of another type.',
  wallet_not_found: 'The wallet is not known, or it is not of this owner.',
  wallet_paused: 'The owner paused the wallet.',
  grant_missing: 'The owner has not granted what the action takes.',
  cap_missing: "The agent holds no cap by which the wallet's policy lets it spend this.",
  recipient_not_allowed: "The recipient is not on the wallet's allowlist.",
  caveat_not_supported: "The wallet's policy demands a caveat that this service cannot satisfy.",
} as const;
export type DraftErrorCode = keyof typeof draftErrors;

export const protocolsRequest = z.strictObject({ network: z.enum(networks) });

const coin = type.nullable();
const protocolOp = z.object({
  role: z.string().meta({ description: "What the slot's actions need it for, such as `deposit`." }),
  target: z.string(),
  label: z.string().nullable(),
  coinIn: coin.meta({ description: 'The coin it takes out of the wallet; null: none, or as asked for.' }),
  coinOut: coin.meta({ description: 'The coin it brings into the wallet; null: none, or as asked for.' }),
  objects: z.array(z.string()).meta({ description: 'Pools, markets and the like that it works on.' }),
  grants: z.array(grant).meta({ description: 'What the owner must grant.' }),
});
const unusableOp = z.object({
  role: z.string(),
  op: z.string().meta({ description: '`module::function`, or its place in the manifest.' }),
  reason: z.string().meta({ description: 'A sentence.' }),
});
export type ProtocolOp = z.infer<typeof protocolOp>;

export const protocolsAnswer = z.object({
  network: z.enum(networks),
  protocols: z.array(
    z.object({
      slot: z.enum(slots),
      status: z.enum(['ready', 'not_configured', 'not_available']),
      reason: z.string().nullable().meta({ description: 'Why it is not ready.' }),
      adaptor: usedAdaptor.nullable(),
      supportedCoins: z.array(z.string()).meta({ description: 'As the manifest has it.' }),
      ops: z.array(protocolOp),
      notExecutable: z.array(unusableOp).meta({ description: 'The first 32 that cannot be executed.' }),
    }),
  ),
  spend: z.object({ grants: z.array(grant).meta({ description: 'What the owner must grant for `spend`.' }) }),
});
export type ProtocolsAnswer = z.infer<typeof protocolsAnswer>;
