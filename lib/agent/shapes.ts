import { networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { stepActions } from '../actions/request.ts';
import { address, coinBound, coinBoundOrZero, serviceType } from '../actions/steps.ts';
import { absentIfEmpty, describeInteger, wholeNumber } from '../http/parse.ts';
import { runCodes } from './run-failure.ts';

/** Requests and responses of the agent service, besides the actions, shared with the API's description. */

/**
 * Header of the gateway that names a caller by its API key or address. The agent service counts the simulations of
 * unplanned callers by it, and gives it no right.
 */
export const callerHeader = 'x-svc-caller';

/** The steps of a run, in their order. */
export const runSteps = [
  'validate',
  'authorize',
  'guard',
  'draft',
  'check',
  'simulate',
  'sign',
  'execute',
  'confirm',
] as const;
export type RunStepName = (typeof runSteps)[number];

const digest = z.string().meta({ description: "The transaction's digest, as soon as it is known." });

const codeList = Object.entries(runCodes).map(([name, meaning]) => `\`${name}\`: ${meaning}`);
const code = z.string().meta({
  description: ['Stable word for what went wrong.', ...codeList].join('\n- '),
});

/** One line of a run's stream. */
export const runStep = z
  .object({
    step: z.enum(runSteps),
    status: z.enum(['active', 'done', 'error']),
    code: code.optional(),
    detail: z.string().optional().meta({ description: 'What was found or went wrong, for people.' }),
    digest: digest.optional(),
  })
  .meta({ id: 'AgentRunStep' });
export type RunStep = z.infer<typeof runStep>;

const milliseconds = z.int().min(0).meta({ description: 'Milliseconds since the epoch.' });
const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'expected no control characters');

const defaultNetwork = { description: "Absent: this host's default network." };
const network = z.enum(networks).optional().meta(defaultNetwork);
const networkParameter = absentIfEmpty(z.enum(networks).optional()).optional().meta(defaultNetwork);

const requestIdParameter = (description: string) =>
  z.string().min(1).max(128).optional().meta({ description });

export const runsRequest = z.object({
  walletId: address.meta({ description: 'Id of the wallet.' }),
  network: networkParameter,
  requestId: requestIdParameter('Only runs of this request: one for each attempt.'),
  limit: wholeNumber(100).default(20).meta({ description: 'Most runs per page; default: 20.' }),
  cursor: z.string().min(1).max(2048).optional().meta({ description: '`nextCursor` of the page before.' }),
});

export const coinAmount = z
  .object({ coinType: z.string(), amount: z.string() })
  .meta({ id: 'CoinAmount', description: 'An amount of a coin, in base units.' });

export const runBody = z
  .object({
    id: z.string(),
    network: z.enum(networks),
    walletId: z.string(),
    owner: z.string(),
    action: z.string(),
    request: z.looseObject({}).meta({ description: 'The request as it was understood.' }),
    requestId: z.string().nullable(),
    attempt: z.int().min(1).meta({ description: 'Which run of its requestId it is.' }),
    state: z.enum(['running', 'signed', 'unknown', 'done', 'failed']).meta({
      description:
        'signed: it may be on the chain already, which the service finds out. unknown: it may have executed, and no node can say; the operator settles it.',
    }),
    digest: digest.nullable(),
    code: z.string().nullable().meta({ description: 'Code of its last error line.' }),
    gasCharged: z
      .string()
      .nullable()
      .meta({ description: 'What the chain charged for gas less rebates, in MIST; null: not known.' }),
    settledNote: z.string().nullable().meta({ description: "The operator's note, where one settled it." }),
    startedMs: milliseconds,
    endedMs: milliseconds.nullable(),
    reserved: z.array(coinAmount).meta({ description: "What it set aside of the day's limits." }),
    steps: z.array(runStep.extend({ atMs: milliseconds })),
  })
  .meta({ id: 'AgentRun' });
export type RunBody = z.infer<typeof runBody>;

const numberFromZero = (form: RegExp) =>
  z
    .string()
    .regex(form, 'expected a whole number from 0')
    .transform(Number)
    .meta(describeInteger({ minimum: 0 }));

export const streamRequest = z.strictObject({
  from: numberFromZero(/^(0|[1-9]\d{0,5})$/)
    .default(0)
    .meta({
      description:
        'How many lines to leave out: those that you have. The last line of a run that has ended is never left out.',
    }),
  requestId: requestIdParameter(
    'The request that you attach to. A crash of the database can lose a run, and its id is then given to another one: the answer is 404 `run_not_found`.',
  ),
});

/** The time of a decision that an operator ends, in a query. */
const decidedMs = (description: string) =>
  numberFromZero(/^(0|[1-9]\d{0,14})$/)
    .optional()
    .meta({ description });

export const settleRequest = z.strictObject({
  outcome: z.enum(['executed', 'not_executed']),
  note: text(500).meta({ description: 'How you know. It is shown to the callers of the wallet.' }),
  spent: z.array(coinBoundOrZero).max(64).optional().meta({
    description:
      'With `executed`: what left the wallet, of coins of which it was less than the run set aside. All that was set aside of the others counts as spent.',
  }),
});
export type SettleRequest = z.infer<typeof settleRequest>;

export const runsBody = z
  .object({
    count: z.int().min(0),
    runs: z.array(runBody),
    nextCursor: z.string().optional().meta({ description: 'Present where there are more.' }),
  })
  .meta({ id: 'AgentRuns', description: 'The newest first.' });
export type RunsBody = z.infer<typeof runsBody>;

export const nonceRequest = z.strictObject({ address });
export const nonceBody = z
  .object({
    nonce: z.string(),
    message: z.string().meta({
      description:
        "Sign exactly this as a personal message with the address's key, if it names the host that you sign in at.",
    }),
    expiresMs: milliseconds,
  })
  .meta({ id: 'AgentNonce' });
export type NonceBody = z.infer<typeof nonceBody>;

export const signInRequest = z.strictObject({
  address,
  nonce: z.string().min(1).max(256),
  signature: z
    .string()
    .min(1)
    .max(8_000)
    .meta({ description: 'Of the message, base64, as Sui wallets answer it.' }),
});

export const sessionBody = z
  .object({ address: z.string(), expiresMs: milliseconds })
  .meta({ id: 'AgentSession' });
export type SessionBody = z.infer<typeof sessionBody>;
/** Answer of `POST /api/agent/session`; the same token is set as an http-only cookie. */
export const signedInBody = z
  .object({
    token: z.string().meta({ description: 'Bearer of the session: shown here and never again.' }),
    address: z.string(),
    expiresMs: milliseconds,
  })
  .meta({ id: 'AgentSignedIn' });
export type SignedInBody = z.infer<typeof signedInBody>;

const label = text(200).meta({ description: 'What its issuer calls the key.' });
/** The last millisecond of the year 9999. PostgreSQL does not read the later times that JavaScript writes. */
const never = 253_402_300_799_999;

/** The actions that a key may be bound to: those of single steps. */
const keyActions = stepActions as [string, ...string[]];

export const executorKeysMax = 50;

const distinct = <T>(of: (one: T) => unknown) =>
  [(list: T[]) => new Set(list.map(of)).size === list.length, 'names one twice'] as const;

const coinBounds = z
  .array(coinBound)
  .max(64)
  .refine(...distinct(({ coinType }: { coinType: string }) => coinType))
  .optional();
const keyBounds = {
  services: z
    .array(serviceType)
    .max(64)
    .refine(...distinct((service: string) => service))
    .optional()
    .meta({
      description:
        'Service types that its actions may go to. A spend goes to none, so it must be among the actions then. Absent: all.',
    }),
  actions: z
    .array(z.enum(keyActions))
    .min(1)
    .refine(...distinct((action: string) => action))
    .optional()
    .meta({
      description:
        'What it may do; compose where each step is among them. Absent: all, but no spend where services are named.',
    }),
  maxPerRun: coinBounds.meta({
    description: 'The most that one run may take of each coin; of other coins, nothing. Absent: no bound.',
  }),
  maxPerDay: coinBounds.meta({
    description: 'The same for all its runs of a UTC day together. Absent: no bound.',
  }),
  expiresMs: milliseconds.max(never).optional().meta({
    description: 'When it ends, milliseconds since the epoch. Absent: until it is revoked.',
  }),
  unattended: z.boolean().optional().meta({
    description:
      'Whether tools for models, at every address, move funds with it if no person can be asked. Absent: no.',
  }),
};

export const executorKeyRequest = z.strictObject({
  network,
  walletId: address,
  label: label.optional(),
  ...keyBounds,
});
/** Body of `PATCH /api/agent/keys/{id}`. Absent fields stay as they are. */
export const executorKeyChange = z.strictObject({ label: label.optional(), ...keyBounds });
export type ExecutorKeyChange = z.infer<typeof executorKeyChange>;
const shownBounds = z.array(coinAmount).optional();
/** An executor key without the key; the answer of `PATCH /api/agent/keys/{id}`. */
export const executorKeyBody = z
  .object({
    id: z.string().meta({ description: 'By which the key is changed and revoked; no secret.' }),
    network: z.enum(networks),
    walletId: z.string().meta({ description: 'The one wallet that it runs actions of.' }),
    label: label.nullable(),
    issuedBy: z.string().meta({
      description:
        '`operator`, or the address of the owner who made it: it then works while they own the wallet.',
    }),
    services: z.array(z.string()).optional(),
    actions: z.array(z.string()).optional(),
    maxPerRun: shownBounds,
    maxPerDay: shownBounds,
    unattended: z.boolean().optional(),
    createdMs: milliseconds,
    expiresMs: milliseconds.nullable(),
  })
  .meta({ id: 'ExecutorKey' });
export type ExecutorKeyBody = z.infer<typeof executorKeyBody>;
export const issuedExecutorKeyBody = executorKeyBody
  .extend({ key: z.string().meta({ description: 'The key itself: shown here and never again.' }) })
  .meta({ id: 'IssuedExecutorKey' });
export type IssuedExecutorKeyBody = z.infer<typeof issuedExecutorKeyBody>;
/** Maximum rows in the lists of keys, plans and freezes. */
export const listMax = 1_000;
export const executorKeysRequest = z.strictObject({
  walletId: address.optional().meta({ description: 'Needed with a session.' }),
  network: networkParameter.meta({
    description: "Absent: with a session, this host's default network; with the admin secret, every network.",
  }),
});
export const executorKeysBody = z
  .object({ count: z.int().min(0), keys: z.array(executorKeyBody) })
  .meta({ id: 'ExecutorKeys', description: `Those that work, oldest first, ${listMax} at most.` });
export type ExecutorKeysBody = z.infer<typeof executorKeysBody>;

const planName = text(64).meta({ description: 'What the host calls the plan.' });
export const planRequest = z.strictObject({
  owner: address,
  plan: planName,
  endsMs: milliseconds.max(never).optional().meta({
    description: 'Milliseconds since the epoch; absent: until it is ended.',
  }),
});
export const endPlanRequest = z.strictObject({
  grantedMs: decidedMs(
    '`grantedMs` of the plan that you decided on. If the owner has another one by now, nothing ends. Absent: any plan ends.',
  ),
});
export const planBody = z
  .object({ owner: z.string(), plan: planName, grantedMs: milliseconds, endsMs: milliseconds.nullable() })
  .meta({ id: 'AgentPlan' });
export type PlanBody = z.infer<typeof planBody>;
export const plansBody = z
  .object({ count: z.int().min(0), plans: z.array(planBody) })
  .meta({ id: 'AgentPlans', description: `Active ones, in the order of their owners, ${listMax} at most.` });
export type PlansBody = z.infer<typeof plansBody>;

const manifestHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'expected 64 lower-case hex digits')
  .meta({ description: 'sha256 of the canonical manifest, in hex: the version that the operator read.' });
export const confirmAdaptorRequest = z.strictObject({ network, serviceType, manifestHash });
export const confirmedAdaptorBody = z
  .object({
    network: z.enum(networks),
    serviceType: z.string(),
    publisher: z.string(),
    version: z
      .int()
      .min(0)
      .meta({ description: 'Version of the listing. Its updates up to it are confirmed for all wallets.' }),
    packageId: z.string(),
    manifestHash,
    confirmedMs: milliseconds,
  })
  .meta({ id: 'ConfirmedAdaptor' });
export type ConfirmedAdaptorBody = z.infer<typeof confirmedAdaptorBody>;
export const removeAdaptorRequest = z.strictObject({ network: networkParameter, serviceType });
export const confirmedAdaptorsBody = z
  .object({ count: z.int().min(0), adaptors: z.array(confirmedAdaptorBody) })
  .meta({ id: 'ConfirmedAdaptors', description: `By network and service type, ${listMax} at most.` });
export type ConfirmedAdaptorsBody = z.infer<typeof confirmedAdaptorsBody>;

const listedVersion = z
  .int()
  .min(0)
  .max(2_147_483_647)
  .meta({ description: 'Version that the catalog shows.' });
export const heldUpdatesRequest = z.strictObject({
  network: networkParameter,
  walletId: address.meta({ description: 'Id of the wallet.' }),
});
const heldUpdateBody = z
  .object({
    serviceType: z.string(),
    publisher: z.string(),
    version: listedVersion,
    heldSince: z.int().min(0).meta({
      description:
        'The first version that may do more than the one before it, or is not compared with it yet.',
    }),
    state: z.enum(['pending', 'computed']).meta({ description: '`pending`: not compared yet.' }),
  })
  .meta({ id: 'HeldUpdate' });
export const heldUpdatesBody = z
  .object({ count: z.int().min(0), updates: z.array(heldUpdateBody) })
  .meta({ id: 'HeldUpdates', description: `By service type, ${listMax} at most.` });
export type HeldUpdatesBody = z.infer<typeof heldUpdatesBody>;
export const confirmUpdateRequest = z.strictObject({
  network,
  walletId: address.meta({ description: 'Id of the wallet.' }),
  serviceType,
  version: listedVersion,
});
export const confirmedUpdateBody = z
  .object({
    network: z.enum(networks),
    walletId: z.string(),
    serviceType: z.string(),
    publisher: z.string(),
    version: listedVersion,
    confirmedMs: milliseconds,
  })
  .meta({ id: 'ConfirmedUpdate' });
export type ConfirmedUpdateBody = z.infer<typeof confirmedUpdateBody>;

export const addressRequest = z.object({
  network: networkParameter,
  walletId: address.meta({ description: 'Id of the wallet.' }),
});
export const authorityRequest = addressRequest.extend({
  walletId: address.optional().meta({
    description: 'Id of the wallet. With an executor key it may be absent: its wallet, on its network.',
  }),
});
export const addressBody = z
  .object({
    network: z.enum(networks),
    walletId: z.string(),
    address: z.string().meta({
      description:
        'Acts for this wallet: make it a delegate with budgets, or mint caps for it. No other wallet has this address.',
    }),
    payer: z
      .string()
      .meta({ description: 'Pays the gas. Grant nothing to it: it is the same for all wallets.' }),
    actsAs: z.enum(['wallet', 'host']).meta({
      description:
        'host: this wallet granted to the payer and not to `address`, so runs act as the payer and call only adaptors that the operator confirmed.',
    }),
  })
  .meta({ id: 'AgentAddress' });
export type AddressBody = z.infer<typeof addressBody>;

const everything = z.literal('*');
const frozenNetwork = z.union([z.enum(networks), everything]).default('*');
const freezeScope = {
  network: frozenNetwork.meta({ description: '* for all networks.' }),
  walletId: z.union([everything, address]).default('*').meta({ description: '* for all wallets.' }),
};
export const freezeRequest = z.strictObject({ ...freezeScope, reason: text(500) });
export const unfreezeRequest = z.strictObject({
  ...freezeScope,
  network: absentIfEmpty(frozenNetwork).default('*').meta({ description: '* for all networks.' }),
  frozenMs: decidedMs(
    '`frozenMs` of the freeze that you decided on. If it was set again since, nothing ends. Absent: any freeze of the scope ends.',
  ),
});
export const freezeBody = z
  .object({ network: z.string(), walletId: z.string(), reason: z.string(), frozenMs: milliseconds })
  .meta({ id: 'AgentFreeze' });
export type FreezeBody = z.infer<typeof freezeBody>;
export const freezesBody = z
  .object({ count: z.int().min(0), freezes: z.array(freezeBody) })
  .meta({ id: 'AgentFreezes', description: `The newest first, ${listMax} at most.` });
export type FreezesBody = z.infer<typeof freezesBody>;
