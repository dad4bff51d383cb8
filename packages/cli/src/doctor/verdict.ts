import { transactionLists as lists } from './checks.ts';
import type { CheckResult, NodeReport } from './examine.ts';

export interface Verdict {
  canRun: boolean;
  /** Reasons why the service cannot run, or what is slower or absent with this node. */
  findings: string[];
}

/** Age of the newest checkpoint from which on a node counts as behind, in milliseconds: the default of MAX_LAG_SECONDS. */
const lagMaxMs = 60_000;

/** Decides whether the service can run with a node, and says what is slower or absent. */
export function judge(report: NodeReport): Verdict {
  const { checks, checkpoints, requests } = report;
  const hasLists = checks.some((one) => one.rpc === lists.rpc && isUsable(one));
  const needed = ['always', hasLists ? 'with lists' : 'without lists'];
  const { lowest, newestAgeMs, listLag } = checkpoints;
  const ageS = newestAgeMs === null ? 0 : Math.round(newestAgeMs / 1_000);
  return {
    canRun: checks.every((one) => !needed.includes(one.need) || isUsable(one)),
    findings: [
      ...checks.flatMap(({ rpc, state, reason, without }) =>
        state === 'ok'
          ? []
          : [`${rpc} is ${state} (${reason ?? 'no reason given'}). ${effect(state, without)}`],
      ),
      ...(lowest !== null && lowest > 0
        ? [
            `The node is pruned: it begins at checkpoint ${lowest}. If the contracts were published before it, set ` +
              'SUI_<NETWORK>_ARCHIVE_URL to an archive, or SUI_<NETWORK>_CHECKPOINTS_URL to a bucket of checkpoint files.',
          ]
        : []),
      ...(listLag !== null && listLag > 0
        ? [`The list index is ${listLag} checkpoints behind the newest one, and so are new events.`]
        : []),
      ...(Math.abs(ageS) * 1_000 > lagMaxMs ? [describeAge(ageS)] : []),
      ...(requests.firstRefused === null ? [] : [describeRateLimit(requests)]),
    ],
  };
}

const isUsable = ({ state }: CheckResult) => state === 'ok' || state === 'limited';

const effect = (state: CheckResult['state'], without: string) =>
  state === 'limited' ? `If its calls fail: ${without}` : without;

function describeAge(ageS: number): string {
  return ageS > 0
    ? `The newest checkpoint is ${ageS} s old by the clock of this machine: the node is behind, or the clock is wrong.`
    : `The newest checkpoint is ${-ageS} s ahead of the clock of this machine: correct the clock.`;
}

function describeRateLimit({ refused, firstRefused, sent, retryAfterS }: NodeReport['requests']): string {
  const wait =
    retryAfterS === null ? 'The node names no delay' : `The node demands a delay of ${retryAfterS} s`;
  return (
    `A rate limit refused ${refused} of ${sent} requests, first request ${firstRefused}. ${wait}. The indexer reads ` +
    'history with up to eight requests at a time: use a node with a higher limit.'
  );
}
