import {
  amount,
  amountInFull,
  badge,
  baseUnits,
  type CoinInfo,
  formatCoinSymbol,
  type Html,
  html,
  type State,
  shortened,
  time,
} from '../components/index.ts';

type JobStatus = 'OPEN' | 'FUNDED' | 'SUBMITTED' | 'RELEASED' | 'REFUNDED';

/** A job, as `jobFields` selects it. */
export interface JobData {
  jobId: string;
  status: JobStatus;
  amount: string;
  coinType: string | null;
  coinInfo: CoinInfo | null;
  brief: string | null;
  note: string | null;
  provider: string;
  payer: string | null;
  /** Type of the witness that judges. */
  assessorType: string;
  /** Address that judges; null if a contract does, or if the owner has not named an address yet. */
  assessor: string | null;
  walletId: string;
  /** Current owner of the wallet, who has the rights of the payer. */
  wallet: { owner: string } | null;
  agent: { name: string } | null;
  createdMs: number;
  deadlineMs: number | null;
  reviewMs: number | null;
  fundedMs: number | null;
  submittedMs: number | null;
  releasedMs: number | null;
  refundedMs: number | null;
  /** Address that a refund goes to; null before the payment. */
  refundTo: string | null;
  refundedTo: string | null;
  refundReason: string | null;
}

export const jobFields = `jobId status amount coinType coinInfo { symbol decimals } brief note provider payer assessorType assessor walletId
  wallet { owner } agent { name } createdMs deadlineMs reviewMs fundedMs submittedMs releasedMs refundedMs refundTo refundedTo refundReason`;

const states: Record<JobStatus, { state: State; word: string; words: string }> = {
  OPEN: { state: 'neutral', word: 'Open', words: 'Nothing is paid into escrow yet.' },
  FUNDED: { state: 'neutral', word: 'Funded', words: 'The payment is in escrow. The agent is at work.' },
  SUBMITTED: {
    state: 'caution',
    word: 'Submitted',
    words: 'The agent submitted its work. It waits for a verdict.',
  },
  RELEASED: { state: 'good', word: 'Paid', words: 'The work was accepted, and the agent is paid.' },
  REFUNDED: { state: 'danger', word: 'Refunded', words: 'The job ended without payment to the agent.' },
};

export const jobStatuses = Object.keys(states) as JobStatus[];
export const statusName = (status: JobStatus): string => states[status].word;
export const statusWords = (status: JobStatus): string => states[status].words;
export const statusBadge = (status: JobStatus): Html => badge(states[status].state, states[status].word);

type JobPayment = Pick<JobData, 'amount' | 'coinType' | 'coinInfo'>;

/** Renders the payment that the agent receives. */
export function payment({ amount: units, coinType, coinInfo }: JobPayment): Html {
  if (coinType === null) return baseUnits(units);
  return html`${amount(units, coinType, coinInfo)}${coinInfo === null ? html` of <span title=${coinType}>${formatCoinSymbol(coinType, coinInfo)}</span>` : ''}`;
}

export const renderPaymentInFull = ({ amount: units, coinType, coinInfo }: JobPayment): Html =>
  coinType === null ? baseUnits(units) : amountInFull(units, coinType, coinInfo);

export type JobAct = 'fund' | 'submit' | 'release' | 'reject' | 'cancel' | 'expire';

/** A step that is possible now. */
interface JobStep {
  act: JobAct;
  verb: string;
  /** The address that may take the step; undefined if everyone may. */
  by: string | undefined;
  words: Html;
}

/** Returns the end of the time for the work or, once it is submitted, for the verdict. */
const endMs = ({ status, deadlineMs, reviewMs }: JobData): number | undefined =>
  deadlineMs === null ? undefined : deadlineMs + (status === 'SUBMITTED' ? (reviewMs ?? 0) : 0);

/** Returns the time in the future at which the next steps change without an event on chain. */
export function dueMs(job: JobData, nowMs: number): number | undefined {
  const end = endMs(job);
  const hasEnded = job.status === 'RELEASED' || job.status === 'REFUNDED';
  return hasEnded || end === undefined || end <= nowMs ? undefined : end;
}

/** Returns the steps that are possible now, each with the address that may take it. */
export function nextSteps(job: JobData, nowMs: number): JobStep[] {
  const { status, provider, assessor, wallet, payer, deadlineMs, reviewMs } = job;
  const owner = wallet?.owner ?? payer ?? undefined;
  const isOver = (endMs(job) ?? nowMs + 1) <= nowMs;
  const paid = payment(job);
  const expire: JobStep = {
    act: 'expire',
    verb: status === 'OPEN' ? 'End the job' : 'Refund',
    by: undefined,
    words:
      status === 'OPEN'
        ? html`Its deadline has passed. Everyone can end it.`
        : html`${status === 'SUBMITTED' ? 'The time for a verdict is over' : 'The deadline has passed without work'}. Everyone can have ${paid} refunded to where they came from.`,
  };
  const cancel: JobStep = {
    act: 'cancel',
    verb: 'Cancel the job',
    by: owner,
    words: html`The owner of the wallet can cancel, until work is submitted.${status === 'FUNDED' ? html` ${paid} go back.` : ''}`,
  };
  switch (status) {
    case 'OPEN':
      return [
        {
          act: 'fund',
          verb: 'Pay into escrow',
          by: undefined,
          words: html`Everyone can pay ${paid} into escrow. A refund goes to the one who paid.`,
        },
        cancel,
        ...(isOver ? [expire] : []),
      ];
    case 'FUNDED':
      if (isOver) return [expire, cancel];
      return [
        {
          act: 'submit',
          verb: 'Submit work',
          by: provider,
          words: html`The agent can submit its work.${deadlineMs === null ? '' : html` Its time ends ${time(deadlineMs, nowMs)}.`}`,
        },
        cancel,
      ];
    case 'SUBMITTED': {
      if (assessor === null) return isOver ? [expire] : [];
      const until =
        deadlineMs === null
          ? ''
          : html` If there is no verdict, everyone can have it refunded ${time(deadlineMs + (reviewMs ?? 0), nowMs)}.`;
      return [
        {
          act: 'release',
          verb: 'Accept and pay',
          by: assessor,
          words: html`The assessor ${shortened(assessor)} can accept the work. Then the agent gets ${paid}.`,
        },
        {
          act: 'reject',
          verb: 'Reject and refund',
          by: assessor,
          words: html`Or reject it: ${paid} go back to where they came from.${isOver ? '' : until}`,
        },
        ...(isOver ? [expire] : []),
      ];
    }
    default:
      return [];
  }
}

const reasons: Record<string, string> = {
  cancelled: 'The owner cancelled it',
  expired: 'It expired',
  rejected: 'The assessor rejected the work',
};

interface PastStep {
  atMs: number;
  what: Html;
  /** Name of the event on chain. */
  event: string;
}

/** Returns the past steps, the oldest first. */
export function pastSteps(job: JobData): PastStep[] {
  const { createdMs, fundedMs, submittedMs, releasedMs, refundedMs, refundReason, refundedTo } = job;
  const all: [number | null, string, Html][] = [
    [createdMs, 'JobCreated', html`The job was created.`],
    [fundedMs, 'JobFunded', html`${payment(job)} were paid into escrow.`],
    [submittedMs, 'JobSubmitted', html`The agent submitted its work.`],
    [releasedMs, 'JobReleased', html`The assessor accepted the work, and the agent got ${payment(job)}.`],
    [
      refundedMs,
      'JobRefunded',
      html`${reasons[refundReason ?? ''] ?? 'It ended'}.${fundedMs === null || refundedTo === null ? '' : html` ${payment(job)} went back to <code title=${refundedTo}>${shortened(refundedTo)}</code>.`}`,
    ],
  ];
  return all.flatMap(([atMs, event, what]) => (atMs === null ? [] : [{ atMs, event, what }]));
}
