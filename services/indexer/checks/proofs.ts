import { type NameReader, readAddressName } from '@adaptor-marketplace/adaptor/chain';
import { domainProofLimits, domainProofPath, findProofFault } from '@adaptor-marketplace/adaptor/manifest';
import {
  type ProofCheck,
  type ProofFinding,
  readDueProof,
  readDueProofs,
  recordProof,
} from '../../../db/queries/catalog/proofs.ts';
import { beginTurns } from '../../../db/queries/turns.ts';
import type { ProofKind } from '../../../db/schema/proofs.ts';
import { OutboundError, redactMessage } from '../../../lib/outbound/errors.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import { computeRecheckSeconds, computeRetrySeconds } from '../queue/schedule.ts';
import { createGroupLimit, Slots } from '../queue/slots.ts';
import { type CheckDependencies, type DueJobs, queueDue, type WorkQueue } from '../queue/work-queue.ts';
import { readPackageName } from './package-name.ts';

/** Maximum number of domains that are read at once. One domain, and one publisher, can use half of them. */
const domainsMax = 8;
/** Maximum number of packages whose names are looked up at once. One publisher can use half of them. */
const packagesMax = 4;
/** Maximum number of addresses whose names are looked up at once. */
const addressesMax = 4;
const timeoutMs = 10_000;

/**
 * Checks the domains of publishers, each by a file of the domain. A failed check removes the proof, and is repeated after
 * seconds, minutes and hours.
 */
export function createDomainQueue(
  options: CheckDependencies,
  { outbound, signal }: { outbound: Outbound; signal: AbortSignal },
): WorkQueue<ProofCheck> {
  const slots = new Slots(domainsMax, [createGroupLimit(domainsMax / 2), createGroupLimit(domainsMax / 2)]);
  return createProofQueue(options, 'domain', slots, (check) => readDomainFile(outbound, check, signal));
}

/** Looks up the SuiNS names of publishers. While the node cannot answer, a name stays. */
export function createNameQueue(options: CheckDependencies): WorkQueue<ProofCheck> & { close(): void } {
  const client = options.providers.client('check');
  const { rpcToken } = options.settings;
  const queue = createProofQueue(options, 'suins', new Slots(addressesMax), (check) =>
    readName(client, check, rpcToken),
  );
  return { ...queue, close: () => client.close() };
}

/**
 * Looks up the MVR names of packages. While the server cannot answer, a name stays. On a network without a server no
 * package has a name.
 */
export function createPackageNameQueue(
  options: CheckDependencies,
  { outbound, signal }: { outbound: Outbound; signal: AbortSignal },
): WorkQueue<ProofCheck> {
  const slots = new Slots(packagesMax, [createGroupLimit(packagesMax), createGroupLimit(packagesMax / 2)]);
  const { mvrUrl } = options.settings;
  return createProofQueue(options, 'mvr', slots, async ({ claim }) =>
    mvrUrl === undefined
      ? { name: null, error: null }
      : await readPackageName(outbound, mvrUrl, claim, { timeoutMs, signal }),
  );
}

/** Checks the names of one kind, each once a day. */
function createProofQueue(
  { db: { pool }, settings: { network }, metrics }: CheckDependencies,
  kind: ProofKind,
  slots: Slots,
  find: (check: ProofCheck) => Promise<ProofFinding>,
): WorkQueue<ProofCheck> {
  const turns = beginTurns();

  async function due(limit: number): Promise<DueJobs<ProofCheck>> {
    return queueDue(await readDueProofs(pool, network, kind, limit, turns), (job) => ({
      key: `${kind} ${network} ${job.publisher} ${job.claim}`,
      groups: [`claim ${job.claim}`, `publisher ${job.publisher}`],
    }));
  }

  return {
    name: `${network}/${kind}`,
    partitions: [{ slots, due }],
    current: (check) => readDueProof(pool, network, check),
    async work(check) {
      if (!check.needed) {
        const none = { name: null, error: null, nextAfterSeconds: null };
        await recordProof(pool, network, { ...check, ...none });
        return;
      }
      const finding = await find(check);
      const retryAfter = finding.error === null ? null : computeRetrySeconds(check.attempts);
      const nextAfterSeconds = retryAfter ?? computeRecheckSeconds();
      await recordProof(pool, network, { ...check, ...finding, nextAfterSeconds });
      metrics.checks.inc({ network, check: kind, state: describeState(finding) });
    },
  };
}

const describeState = ({ name }: ProofFinding) =>
  name === undefined ? 'unavailable' : name === null ? 'absent' : 'verified';

async function readDomainFile(
  outbound: Outbound,
  { claim, publisher }: ProofCheck,
  signal: AbortSignal,
): Promise<ProofFinding> {
  const bounds = { maxBytes: domainProofLimits.bytesMax, timeoutMs, signal };
  try {
    const bytes = await outbound.fetchBytes(`https://${claim}${domainProofPath}`, bounds);
    const fault = findProofFault(bytes, publisher);
    return fault === undefined ? { name: claim, error: null } : { name: null, error: fault };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { name: null, error: error.message };
  }
}

async function readName(
  client: NameReader,
  { publisher }: ProofCheck,
  token: string | undefined,
): Promise<ProofFinding> {
  const answer = await readAddressName(client, publisher, timeoutMs);
  if (answer.status === 'found') return { name: answer.value, error: null };
  if (answer.status === 'absent') return { name: null, error: null };
  return { name: undefined, error: redactMessage(answer.reason, [token]) };
}
