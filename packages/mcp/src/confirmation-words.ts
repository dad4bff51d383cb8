import type { AgentActionRequest, AgentSimulation } from '@adaptor-marketplace/sdk';
import { listValueLines, toVisibleJson, toVisibleText, toVisibleType } from './visible.ts';

/**
 * The parts of a simulation that are signed in a run too. The movements of the simulation are not among them, since
 * execution can differ.
 */
type SignedParts = Pick<
  AgentSimulation,
  'network' | 'takesAtMost' | 'bringsAtLeast' | 'boundsHold' | 'steps'
>;
type DraftedStep = SignedParts['steps'][number];
type DraftedCall = DraftedStep['calls'][number];

/** Bound in characters. A longer text would hide its end, and a person would confirm what they did not read. */
export const questionLengthMax = 20_000;

/** The question to a person before a run: the bounds that are signed, the calls, then the arguments of the request. */
export function describeConfirmation(request: AgentActionRequest, signed: SignedParts): string {
  const { action = 'spend', walletId, owner } = request;
  return [
    `Run the action ${toVisibleText(action)} for the wallet ${toVisibleText(walletId)} of the owner ${toVisibleText(owner)} on ${signed.network}?`,
    'This is signed:',
    ...listBounds(signed),
    ...listPayments(request).map((payment) => `- ${payment}`),
    describeEnforcement(signed),
    ...listCalls(signed.steps),
    describeArguments(request),
    'Names of packages, services, operations and values are words of their publisher. They say nothing about what happens.',
  ].join('\n');
}

/** Fields that the question shows above the arguments, or that change nothing about what happens. */
const shownElsewhere = new Set(['action', 'network', 'walletId', 'owner', 'requestId', 'bounds']);

/** Describes every argument of a request in full, each on a line of its own. */
export function describeArguments(request: AgentActionRequest): string {
  const args = Object.entries(request).filter(([name]) => !shownElsewhere.has(name));
  return ['Arguments of the request, in full:', ...listValueLines(Object.fromEntries(args))].join('\n');
}

function listBounds({ takesAtMost, bringsAtLeast, steps }: SignedParts): string[] {
  const leaving = takesAtMost.map((one) => `- At most ${describeAmount(one)} leaves the wallet.`);
  const entering = bringsAtLeast.map((one) => `- At least ${describeAmount(one)} comes into the wallet.`);
  const services = new Set(steps.flatMap(({ adaptor }) => (adaptor ? [adaptor.serviceType] : [])));
  return [
    ...(leaving.length > 0 ? leaving : ['- No coin leaves the wallet.']),
    // The bounds count coins. A service may also take out what it put into the wallet.
    ...[...services].map(
      (service) =>
        `- Objects that the service ${toVisibleType(service)} keeps in the wallet, such as positions, can leave it.`,
    ),
    ...(entering.length > 0 ? entering : ['- No coin has to come into the wallet.']),
  ];
}

const describeEnforcement = ({ boundsHold }: SignedParts) =>
  boundsHold
    ? 'The chain enforces these bounds, whatever the adaptor does.'
    : 'The chain does NOT enforce these bounds for this wallet: the adaptor is trusted to keep them.';

/** Describes each call with all its arguments, and the listing that each step uses. */
function listCalls(steps: readonly DraftedStep[]): string[] {
  return steps.flatMap(({ action, adaptor, calls }, index) => {
    const step = steps.length > 1 ? `Step ${index + 1} (${toVisibleText(action)})` : 'It';
    const listing =
      adaptor === null
        ? []
        : [
            `- Listing: service ${toVisibleType(adaptor.serviceType)}, publisher ${toVisibleText(adaptor.publisher)}, manifest ${toVisibleText(adaptor.manifestHash)}.`,
          ];
    return [
      `${step} makes these calls:`,
      ...listing,
      ...calls.flatMap((call, index) => describeCall(call, index + 1)),
    ];
  });
}

function describeCall({ target, typeArguments, arguments: args }: DraftedCall, number: number): string[] {
  const at = `- Call ${number}`;
  return [
    `${at}: ${toVisibleText(target)}`,
    ...typeArguments.map((type, index) => `${at}, type ${index + 1}: ${toVisibleType(type)}`),
    ...args.map((one, index) => `${at}, argument ${index + 1}: ${describeArgument(one)}`),
  ];
}

function describeArgument({ role, value, type, name, fixed }: DraftedCall['arguments'][number]): string {
  const origin = fixed ? ' (set by the listing)' : '';
  switch (role) {
    case 'wallet':
      return `the wallet ${toVisibleText(value)}`;
    case 'clock':
      return 'the clock';
    case 'object':
      return `object ${toVisibleText(value)}${origin}`;
    case 'result': {
      const { call, index } = value as { call: number; index: number };
      return `result ${index + 1} of call ${call + 1}`;
    }
    case 'amount':
      return `amount ${toVisibleText(value)}`;
    case 'minOut':
      return `minimum ${toVisibleText(value)}`;
    case 'value': {
      const called = name === undefined ? '' : `, called ${toVisibleJson(name)}`;
      return `${toVisibleType(String(type))} ${toVisibleJson(value)}${called}${origin}`;
    }
  }
}

const sui = /^0x0*2::sui::SUI$/;

/** Shows an amount. Only SUI is also shown with its decimals, since strangers choose those of other coins. */
function describeAmount({ coinType, amount }: { coinType: string; amount: string }): string {
  const inUnits = `${toVisibleText(amount)} base units of ${toVisibleType(coinType)}`;
  if (!sui.test(coinType) || !/^\d+$/.test(amount)) return inUnits;
  const digits = amount.padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return `${inUnits} (${digits.slice(0, -9)}${fraction === '' ? '' : `.${fraction}`} SUI)`;
}

type StepFields = Readonly<Record<string, unknown>>;

/** Describes each payment: its recipient and amount, for each step that has a recipient. */
function listPayments(request: AgentActionRequest): string[] {
  const steps =
    'steps' in request
      ? (request.steps as unknown as readonly StepFields[])
      : [request as unknown as StepFields];
  return steps.flatMap(({ recipient, amount, coinType }) =>
    recipient === undefined
      ? []
      : [
          `${toVisibleText(recipient)} is paid ${describeAmount({ coinType: String(coinType), amount: String(amount) })}.`,
        ],
  );
}
