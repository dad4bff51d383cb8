import { changed, type Step, text } from './step.ts';
import type { JobView } from './view.ts';

/** Returns what is wrong with the course of a job in a transaction. */
export function checkJob(step: Step, job: JobView): string[] {
  const { program, before, after, nowMs } = step;
  const { sender } = program;
  const wallet = before.wallets.get(job.walletId)!;
  const isOwner = wallet.owner === sender || after.wallets.get(job.walletId)!.owner === sender;
  const now = after.jobs.get(job.id);
  if (now === undefined) return isOwner ? [] : [`${job.id} was deleted by a stranger`];
  const terms = ({ walletId, payer, provider, assessorType, amount, deadlineMs, brief, reviewMs }: JobView) =>
    text([walletId, payer, provider, assessorType, amount, deadlineMs, brief, reviewMs]);
  const faults: string[] = changed('the terms', terms(job), terms(now));
  if (job.state === now.state && job.state > 0) {
    faults.push(...changed('the job', { ...job, version: '' }, { ...now, version: '' }));
  }
  if (job.assessor !== now.assessor && (job.assessor !== null || !isOwner || job.state !== 0)) {
    faults.push('the assessor changed');
  }
  const holders = [...after.assessors.values()].filter(({ jobId }) => jobId === job.id);
  if (holders.length > 1) faults.push('there are two assessors');
  if (job.state === now.state) return faults;
  if (now.state < job.state || job.state >= 3) return [...faults, `state ${job.state} became ${now.state}`];
  const isJudge =
    !job.assessorType.endsWith('::CapAssessor') ||
    program.inputs.some(
      (input) => input.kind === 'object' && before.assessors.get(input.object.id)?.jobId === job.id,
    );
  const isSubmitted = job.state === 2 || (job.provider === sender && nowMs < BigInt(job.deadlineMs));
  const reviewMs = job.state === 2 ? BigInt(job.reviewMs) : 0n;
  const isLate = nowMs >= BigInt(job.deadlineMs) + reviewMs;
  if (now.state === 2 && !isSubmitted) faults.push('a stranger submitted, or too late');
  if (now.state === 3 && !(isJudge && isSubmitted)) faults.push('released without a verdict');
  if (now.state === 4 && !((isOwner && job.state < 2) || isLate || (isJudge && isSubmitted))) {
    faults.push('refunded too early, or by a stranger');
  }
  if (job.state === 0 && now.refundTo !== sender && ![job.walletId, job.refundTo].includes(now.refundTo)) {
    faults.push(`a refund goes to ${now.refundTo}`);
  }
  const due = now.state === 3 ? job.provider : now.refundTo;
  const wasFunded = job.funds > 0n || program.called.some((name) => /::job::fund/.test(name ?? ''));
  if (now.state < 3 || (now.state === 4 && !wasFunded)) return faults;
  const isPaid = [...after.coins].some(
    ([id, { coin, amount, owner }]) =>
      !before.coins.has(id) && coin === job.coin && amount === job.amount && owner === due,
  );
  return isPaid || job.funds === 0n ? faults : [...faults, `${due} got nothing`];
}
