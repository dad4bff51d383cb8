import type { AgentActionRequest, AgentSimulation } from '@adaptor-marketplace/sdk';
import { unseen } from './text.ts';

/**
 * The parts of a simulation that are signed in a run too. The movements of the simulation are not among them, since
 * execution can differ.
 */
type SignedBounds = Pick<AgentSimulation, 'network' | 'takesAtMost' | 'bringsAtLeast' | 'boundsHold'>;

/** Bound in characters. A longer text would hide its end, and a person would confirm what they did not read. */
export const argumentsLengthMax = 12_000;

type ListingAdditions = Readonly<Record<string, unknown>>;

/** The question to a person before a run: the bounds that are signed, then the arguments. */
export function confirmationWords(
  request: AgentActionRequest,
  bounds: SignedBounds,
  argumentsInWords: string,
): string {
  const { action = 'spend', walletId, owner } = request;
  return [
    `Run the action ${visible(action)} for the wallet ${visible(walletId)} of the owner ${visible(owner)} on ${bounds.network}?`,
    'This is signed:',
    ...boundLines(bounds),
    ...payments(request).map((payment) => `- ${payment}`),
    boundsNote(bounds),
    argumentsInWords,
  ].join('\n');
}

/** Fields that the question shows above the arguments, or that change nothing about what happens. */
const saidBefore = new Set(['action', 'network', 'walletId', 'owner', 'requestId', 'bounds']);

/**
 * Describes every argument of a request in full, each on a line of its own.
 * @param listed additions from the listing, such as the objects that the op uses
 */
export function argumentWords(request: AgentActionRequest, listed: ListingAdditions = {}): string {
  const args = Object.entries(request).filter(([name]) => !saidBefore.has(name));
  return [
    'Arguments, in full:',
    ...argumentLines(Object.fromEntries(args)),
    ...(Object.keys(listed).length === 0 ? [] : ['From its listing:', ...argumentLines(listed)]),
    'Names of services, operations and values are words of their publisher. They say nothing about what happens.',
  ].join('\n');
}

function boundLines({ takesAtMost, bringsAtLeast }: SignedBounds): string[] {
  const leaving = takesAtMost.map((one) => `- At most ${amountInWords(one)} leaves the wallet.`);
  const entering = bringsAtLeast.map((one) => `- At least ${amountInWords(one)} comes into the wallet.`);
  return [
    ...(leaving.length > 0 ? leaving : ['- Nothing leaves the wallet.']),
    ...(entering.length > 0 ? entering : ['- Nothing has to come into the wallet.']),
  ];
}

const boundsNote = ({ boundsHold }: SignedBounds) =>
  boundsHold
    ? 'The chain enforces these bounds, whatever the adaptor does.'
    : 'The chain does NOT enforce these bounds for this wallet: the adaptor is trusted to keep them.';

const sui = /^0x0*2::sui::SUI$/;

/** Shows an amount. Only SUI is also shown with its decimals, since strangers choose those of other coins. */
function amountInWords({ coinType, amount }: { coinType: string; amount: string }): string {
  const inUnits = `${visible(amount)} base units of ${visibleType(coinType)}`;
  if (!sui.test(coinType) || !/^\d+$/.test(amount)) return inUnits;
  const digits = amount.padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return `${inUnits} (${digits.slice(0, -9)}${fraction === '' ? '' : `.${fraction}`} SUI)`;
}

type StepFields = Readonly<Record<string, unknown>>;

/** Describes each payment: its recipient and amount, for each step that has a recipient. */
function payments(request: AgentActionRequest): string[] {
  const steps =
    'steps' in request
      ? (request.steps as unknown as readonly StepFields[])
      : [request as unknown as StepFields];
  return steps.flatMap(({ recipient, amount, coinType }) =>
    recipient === undefined
      ? []
      : [
          `${visible(recipient)} is paid ${amountInWords({ coinType: String(coinType), amount: String(amount) })}.`,
        ],
  );
}

/** Lists each value of an object on a line, with the path to it. */
function argumentLines(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`- ${path} = ${visibleJson(value)}`];
  const entries = Object.entries(value);
  if (entries.length === 0) return path === '' ? [] : [`- ${path} = ${Array.isArray(value) ? '[]' : '{}'}`];
  return entries.flatMap(([key, inner]) =>
    argumentLines(inner, path === '' ? visibleName(key) : `${path}.${visibleName(key)}`),
  );
}

const visibleName = (name: string) => (/^\w{1,64}$/.test(name) ? name : visibleJson(name));

/** Returns an id or a plain word unchanged, and anything else as JSON. */
const visible = (value: unknown) =>
  typeof value === 'string' && /^\w{1,80}$/.test(value) ? value : visibleJson(value);

const visibleType = (type: string) => (/^[\w:<>, ]{1,600}$/.test(type) ? type : visibleJson(type));

/**
 * JSON with an escape for each character that a reader does not see, so that no value can look like a line of the
 * question.
 */
const visibleJson = (value: unknown): string =>
  (JSON.stringify(value) ?? 'undefined').replace(unseen, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
