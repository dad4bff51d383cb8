import { networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { runCodes } from './run-failure.ts';
import { coinAmount, executorKeyBody, runSteps } from './shapes.ts';

const amounts = z.array(coinAmount);
const codes = Object.keys(runCodes) as [string, ...string[]];

const draftedArgument = z
  .object({
    role: z.enum(['wallet', 'clock', 'object', 'result', 'amount', 'minOut', 'value']),
    value: z.unknown().meta({
      description:
        'As it is signed: the id of an object, the place of an earlier result as `{ call, index }`, or a value. Numbers of 64 bits and more are decimal digits, addresses are in full.',
    }),
    type: z.string().optional().meta({ description: 'Move type of a value.' }),
    name: z
      .string()
      .optional()
      .meta({ description: 'Name of a value in the manifest. Its publisher chose it.' }),
    fixed: z.boolean().meta({ description: 'Whether the listing sets it, and not the request.' }),
  })
  .meta({ id: 'DraftedArgument' });
export type DraftedArgument = z.infer<typeof draftedArgument>;

const draftedCall = z
  .object({
    target: z.string().meta({ description: '`0x…::module::function`.' }),
    typeArguments: z.array(z.string()),
    arguments: z.array(draftedArgument),
  })
  .meta({ id: 'DraftedCall' });
export type DraftedCall = z.infer<typeof draftedCall>;

const draftedStep = z
  .object({
    action: z.string(),
    adaptor: z
      .object({
        serviceType: z.string(),
        publisher: z.string(),
        manifestHash: z.string().meta({
          description: 'Send it in `bounds.manifests`, so that the run calls it by this listing only.',
        }),
      })
      .nullable()
      .meta({ description: 'The listed adaptor that the step calls. Null: a payment by the policy.' }),
    capId: z.string().nullable().meta({
      description:
        'The cap that pays. Send it as `capId` of the step, so that the run pays from no other. Null: not a payment.',
    }),
    calls: z.array(draftedCall).meta({
      description: 'In order, without the calls that state the bounds to the wallet.',
    }),
  })
  .meta({ id: 'DraftedStep' });
export type DraftedStep = z.infer<typeof draftedStep>;

export const simulationBody = z
  .object({
    network: z.enum(networks),
    walletId: z.string(),
    action: z.string(),
    address: z.string().meta({ description: 'Who would act for the wallet.' }),
    wouldSucceed: z.boolean(),
    failedAt: z.enum(runSteps).optional().meta({ description: 'The step at which a run would end.' }),
    code: z.enum(codes).optional().meta({ description: 'As in the error line of a run.' }),
    detail: z.string().optional().meta({ description: 'Why it would fail and what to do, for people.' }),
    takesAtMost: amounts.meta({
      description: 'What leaves the wallet at most, by coin: what is signed. Decide by it.',
    }),
    bringsAtLeast: amounts.meta({
      description: 'What must come into the wallet at least, by coin: what is signed.',
    }),
    boundsHold: z.boolean().meta({
      description:
        'Whether the chain holds the action to these bounds. false: the package of the wallet has no lock, and an adaptor that the operator confirmed is trusted to keep them.',
    }),
    steps: z.array(draftedStep).meta({
      description:
        'Calls that the action makes now, by step. Empty if it was not drafted, or the draft was refused.',
    }),
    paid: amounts.meta({
      description: 'What left the wallet in this simulation. It promises nothing: execution can differ.',
    }),
    received: amounts.meta({
      description: 'What came into the wallet in this simulation. It promises nothing: execution can differ.',
    }),
    gasBudget: z.string().nullable().meta({ description: 'The most that the gas may cost, in MIST.' }),
  })
  .meta({ id: 'AgentSimulation', description: 'What an action would do now. Nothing was signed.' });
export type SimulationBody = z.infer<typeof simulationBody>;

export const authorityBody = z
  .object({
    network: z.enum(networks),
    walletId: z.string(),
    owner: z.string(),
    paused: z.boolean(),
    address: z.string().meta({ description: 'Acts for the wallet: the owner grants to it.' }),
    confirmedOnly: z.boolean().meta({
      description:
        'Whether it calls only adaptors that the operator confirmed: nothing on chain bounds others.',
    }),
    key: executorKeyBody
      .pick({ id: true, services: true, actions: true, maxPerRun: true, maxPerDay: true, unattended: true })
      .nullable()
      .meta({ description: 'The bounds of the executor key. Null: a session of the owner, without bounds.' }),
  })
  .meta({ id: 'AgentAuthority', description: 'What a credential is for a wallet now.' });
export type AuthorityBody = z.infer<typeof authorityBody>;
