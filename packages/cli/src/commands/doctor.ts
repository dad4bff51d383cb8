import { Command } from 'commander';
import { examineNode, type NodeReport, requestsMax } from '../doctor/examine.ts';
import { HandshakeError } from '../doctor/handshake.ts';
import { judge, type Verdict } from '../doctor/verdict.ts';
import { CommandFailedError, formatTable, type Io } from '../io.ts';
import { chooseNodeUrl, nameChain, nodeUrlHelp } from '../network.ts';
import { addExamples, answer, originArgument } from '../options.ts';

interface Options {
  rpc?: string;
  json?: boolean;
}

/** The node does not suffice: the report is printed, and the exit code is 1. */
class NodeUnfitError extends CommandFailedError {}

/** `doctor`: checks whether the service can run with a node. */
export function createDoctorCommand(io: Io) {
  const command = new Command('doctor')
    .description(
      `Checks whether the service can run with a full node: every RPC that it needs, latencies, limits and history.\n` +
        `Sends at most ${requestsMax} requests, one after another, and changes nothing on the chain. Ends with 0 if the service\n` +
        'can run, else with 1.',
    )
    .option('--rpc <url>', 'url of the node; see below', originArgument)
    .option('--json', 'print the result as JSON, and errors as problem+json')
    .addHelpText('after', `\n${nodeUrlHelp}`)
    .action(async (options: Options) => {
      const { url, from, token } = await chooseNodeUrl(io, options);
      io.err(`Checking ${url} with at most ${requestsMax} requests.\n`);
      const report = await examineNode(url, { token }).catch((error: unknown) => {
        if (!(error instanceof HandshakeError)) throw error;
        throw new CommandFailedError(`${url} (${from}) ${error.message}.`);
      });
      const verdict = judge(report);
      const network = report.chainId === null ? null : (nameChain(report.chainId) ?? null);
      answer(io, options, { network, ...report, ...verdict }, () => formatReport(report, network, verdict));
      if (!verdict.canRun) throw new NodeUnfitError(`The service cannot run with ${url}.`);
    });
  return addExamples(
    command,
    'doctor --rpc https://fullnode.testnet.sui.io:443',
    'doctor --rpc http://127.0.0.1:9000 --json',
  );
}

function formatReport(report: NodeReport, network: string | null, { canRun, findings }: Verdict): string[] {
  const { url, chainId, checkpoints, limits, requests, checks } = report;
  const { newest, lowest, lowestObjects, newestAgeMs, listLag } = checkpoints;
  return [
    `node        ${url}`,
    `network     ${network ?? 'not a public one'}, chain ${chainId ?? 'not named'}`,
    `round trip  ${inMs(report.roundTripMs)} (HTTP/2 ping)`,
    `ledger      checkpoints ${formatCount(lowest)} to ${formatCount(newest)}, objects from ${formatCount(lowestObjects)}`,
    `newest      ${newestAgeMs === null ? 'unknown age' : `${(newestAgeMs / 1_000).toFixed(1)} s old`}, list index ${
      listLag === null ? 'absent' : `${listLag} checkpoints behind`
    }`,
    `streams     ${formatStreams(report)}`,
    `limits      batches of ${formatCount(limits.batchMax)} objects accepted, requests of ${formatCount(limits.requestBytes)} bytes, ` +
      `responses of ${formatCount(limits.responseBytes)} bytes`,
    `requests    ${requests.sent} sent, ${requests.refused} refused by a rate limit`,
    '',
    ...formatTable(
      ['RPC', 'STATE', 'MEDIAN', 'NEEDED', 'FOR'],
      checks.map(({ rpc, state, medianMs, need, neededFor }) => [
        rpc,
        state,
        medianMs === null ? '-' : inMs(medianMs),
        need,
        neededFor,
      ]),
    ),
    '',
    ...findings,
    canRun ? 'The service can run with this node.' : 'The service cannot run with this node.',
  ];
}

function formatStreams({ firstFrameMs }: NodeReport): string {
  const frames = Object.entries(firstFrameMs).map(([rpc, ms]) => `${rpc.split('/')[1]} after ${inMs(ms)}`);
  return frames.length === 0 ? 'none' : `first message of ${frames.join(', of ')}`;
}

const inMs = (ms: number) => `${ms < 1 ? ms.toFixed(2) : ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
const formatCount = (count: number | null) => (count === null ? 'unknown' : count.toLocaleString('en'));
