import { escrow } from '@adaptor-marketplace/adaptor/transactions';
import { coinWithBalance, type Transaction } from '@mysten/sui/transactions';
import { type Html, html, wholeId, wholeType } from '../../components/index.ts';
import { type JobAct, type JobData, renderPaymentInFull, statusName } from '../../words/job.ts';
import {
  ActionFailedError,
  allowOneAtATime,
  askGraph,
  type ChainIds,
  getAccount,
  type Request,
  showRefusal,
  sign,
} from '../signing/index.ts';
import { askNote } from './ask-text.ts';

type Job = Pick<
  JobData,
  | 'status'
  | 'amount'
  | 'coinType'
  | 'coinInfo'
  | 'walletId'
  | 'provider'
  | 'assessorType'
  | 'assessor'
  | 'refundTo'
> & {
  assessorCapId: string | null;
};

async function readJob(jobId: string): Promise<Job> {
  const { job } = await askGraph<{ job: Job | null }>(
    `query ($chain: Chain, $jobId: String!) { job(chain: $chain, jobId: $jobId) {
      status amount coinType coinInfo { symbol decimals } walletId assessorCapId provider assessorType assessor refundTo } }`,
    { jobId },
  );
  if (job) return job;
  throw new ActionFailedError(
    'The index does not know this job',
    'Look at the network of the page, and reload it.',
  );
}

/** @throws ActionFailedError if the job no longer has the state that the page shows */
function requireSame({ status }: Job, shown: string): void {
  if (status === shown) return;
  throw new ActionFailedError(
    'The job changed while you looked at it',
    `Its state is “${statusName(status)}” now. Nothing was signed. Close this: the page shows what can happen next.`,
  );
}

/**
 * Runs the action of a button on the page of a job.
 * @param shown the state that the page shows
 * @returns `true` if the job may have changed; undefined if another action is underway, and this one did not run
 */
export const actOnJob = allowOneAtATime(
  async (act: JobAct, jobId: string, shown: string): Promise<boolean> => {
    const signer = getAccount()?.address;
    try {
      const job = await readJob(jobId);
      requireSame(job, shown);
      const request = await buildRequest(act, jobId, job);
      if (!request) return false;
      const checked: Request = {
        ...request,
        signer,
        async append(tx, ids) {
          requireSame(await readJob(jobId), shown);
          await request.append(tx, ids);
        },
      };
      return (await sign(checked)) !== undefined;
    } catch (error) {
      await showRefusal(error);
      return true;
    }
  },
);

/** A request of the account that was connected when the reader clicked. */
type OwnRequest = Omit<Request, 'signer'>;
type DialogText = Pick<Request, 'title' | 'consequence' | 'after'>;

async function buildRequest(act: JobAct, jobId: string, job: Job): Promise<OwnRequest | undefined> {
  const { coinType, walletId, assessorCapId } = job;
  const paid = renderPaymentInFull(job);
  if (coinType === null)
    throw new ActionFailedError(
      'The coin of this job is not known yet',
      'Wait a minute, and reload the page.',
    );
  const { provider, assessor, assessorType, refundTo } = job;
  const toAgent = facts({ Agent: wholeId(provider) });
  const back = refundTo === null ? '' : facts({ 'Refund to': wholeId(refundTo) });
  const judgeFact: Record<string, Html> =
    assessor === null ? { 'Contract that judges': wholeType(assessorType) } : { Assessor: wholeId(assessor) };
  const contractWords =
    assessor === null
      ? html`<p><strong>A contract judges the work, and not an address.</strong> Read its code before you sign.</p>`
      : '';
  const request = (
    words: DialogText,
    append: (tx: Transaction, target: escrow.JobTarget, originalId: string) => void,
  ): OwnRequest => ({
    ...words,
    append(tx, ids) {
      const { packageId, originalId } = requireEscrow(ids);
      append(tx, { packageId, coinType, jobId }, originalId);
    },
  });
  const judge = (approve: boolean, words: DialogText) =>
    request(words, (tx, target) => {
      if (assessorCapId === null)
        throw new ActionFailedError(
          'This job has no assessor’s cap',
          'A contract judges it, in an app of its own.',
        );
      escrow.assess(tx, target, { capId: assessorCapId, approve });
    });
  switch (act) {
    case 'fund':
      return request(
        {
          title: 'Pay into escrow',
          consequence: html`<p><strong>${paid} leave your address, and wait in escrow.</strong> They go to the agent when its work is accepted. Else they come back to your address.</p>${contractWords}${facts({ Agent: wholeId(provider), ...judgeFact })}`,
          after: html`<p>The payment is in escrow. The agent can submit its work.</p>`,
        },
        (tx, target, originalId) => {
          requireJudge(job, originalId);
          const coin = tx.add(coinWithBalance({ type: coinType, balance: BigInt(job.amount) }));
          escrow.fund(tx, target, coin);
        },
      );
    case 'submit': {
      const note = await askNote();
      if (note === undefined) return undefined;
      return request(
        {
          title: 'Submit work',
          consequence: html`<p>Your note is on chain then, for everyone to read. You cannot submit again. The assessor decides whether you get ${paid}. Without a verdict in time, the payment can go back.</p>${contractWords}${facts(judgeFact)}`,
          after: html`<p>Your work is submitted. Now the assessor accepts or rejects it.</p>`,
        },
        (tx, target) => escrow.submit(tx, target, note),
      );
    }
    case 'release':
      return judge(true, {
        title: 'Accept and pay',
        consequence: html`<p><strong>${paid} go from escrow to the agent.</strong> This cannot be undone.</p>${toAgent}`,
        after: html`<p>The agent is paid, and the job has ended.</p>`,
      });
    case 'reject':
      return judge(false, {
        title: 'Reject and refund',
        consequence: html`<p><strong>${paid} go back from escrow to where they came from.</strong> The agent gets nothing. This cannot be undone.</p>${back}`,
        after: html`<p>The payment went back, and the job has ended.</p>`,
      });
    case 'cancel':
      return request(
        {
          title: 'Cancel the job',
          consequence: html`<p>The job ends${job.status === 'FUNDED' ? html`, and <strong>${paid} go back to where they came from</strong>` : ''}. This cannot be undone.</p>${back}`,
          after: html`<p>The job is cancelled.</p>`,
        },
        (tx, target) => escrow.cancel(tx, target, walletId),
      );
    case 'expire':
      return request(
        {
          title: job.status === 'OPEN' ? 'End the job' : 'Refund',
          consequence:
            job.status === 'OPEN'
              ? html`<p>The job ends. Nothing was paid, so nothing moves.</p>`
              : html`<p><strong>${paid} go back from escrow to where they came from</strong>, which need not be you. The job ends.</p>${back}`,
          after: html`<p>The job has ended${job.status === 'OPEN' ? '' : ', and its payment went back'}.</p>`,
        },
        (tx, target) => escrow.expire(tx, target),
      );
  }
}

/** Renders addresses and types, each with its role in the job. */
function facts(roles: Record<string, Html>): Html {
  const rows = Object.entries(roles).map(([name, who]) => html`<dt>${name}</dt><dd>${who}</dd>`);
  return html`<dl class="facts">${rows}</dl>`;
}

/** @throws ActionFailedError if an address must judge, and the owner has not named it */
function requireJudge({ assessor, assessorType }: Job, escrowOriginalId: string): void {
  if (assessor !== null || assessorType !== `${escrowOriginalId}::cap_assessor::CapAssessor`) return;
  throw new ActionFailedError(
    'The job has no assessor yet',
    'Its owner first names the address that judges. Nothing was signed.',
  );
}

/** @throws ActionFailedError */
export function requireEscrow(ids: ChainIds): NonNullable<ChainIds['escrow']> {
  if (ids.escrow) return ids.escrow;
  throw new ActionFailedError('This network has no jobs', 'The host follows no package of jobs here.');
}
