import { addEarnings } from '../../../db/queries/agents.ts';
import { hasDueCredits } from '../../../db/queries/catalog/due-credits.ts';
import { addHires } from '../../../db/queries/catalog/hires.ts';
import { refreshRanks } from '../../../db/queries/catalog/ranks.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import { addJobCoins } from '../../../db/queries/coins.ts';
import { insertJobs, type JobChange, jobStates, updateJobs } from '../../../db/queries/jobs.ts';
import { type EscrowEvents, escrowEvents } from '../../../lib/chain/events/escrow.ts';
import { type ChainEvent, type DecodedEvent, decodeForStorage, type Source } from './source.ts';

type EscrowEvent = DecodedEvent<EscrowEvents>;

export const escrowSource: Source<EscrowEvent> = {
  name: 'escrow',

  packages: ({ escrowPackageId: packageId }) =>
    packageId === undefined
      ? []
      : [{ packageId, setting: 'ESCROW_PACKAGE_ID', modules: escrowEvents.modules }],

  decode: (path, contents) => decodeForStorage(escrowEvents, path, contents),

  async append(client, network, events) {
    const changes = new Map<string, JobChange>();
    for (const event of events) {
      if (!event.data) continue;
      const { jobId } = event.data.fields;
      const change = changes.get(jobId) ?? { jobId };
      for (const [field, value] of Object.entries(toChange(event))) {
        // A field that the event does not have stays as it was.
        if (value !== undefined) Object.assign(change, { [field]: value });
      }
      changes.set(jobId, change);
    }
    const all = [...changes.values()];
    const added = await insertJobs(
      client,
      network,
      all.flatMap((change) => (change.created ? [{ ...change, created: change.created }] : [])),
    );
    const changed = await updateJobs(
      client,
      network,
      all.filter(({ created }) => !created),
    );
    await addJobCoins(client, network, all);
    const results = [...added, ...changed];
    if (results.length === 0) return;
    // This locks the catalog.
    await addHires(client, network, results);
    await addEarnings(client, network, results);
  },

  async settle(client, network) {
    if (await hasDueCredits(client, network)) await refreshRanks(client, await lockCatalog(client, network));
  },
};

const encodeState = (name: (typeof jobStates)[number]) => jobStates.indexOf(name);

function toChange(event: ChainEvent<EscrowEvent>): Omit<JobChange, 'jobId'> {
  const data = event.data!;
  const at = new Date(event.timestampMs);
  switch (data.name) {
    case 'job::JobCreated': {
      const { jobId: _, ...fields } = data.fields;
      return { created: event, state: encodeState('open'), ...fields };
    }
    case 'job::JobFunded': {
      const { amount, funder, fromWallet } = data.fields;
      return { state: encodeState('funded'), amount, funder, fromWallet, fundedAt: at };
    }
    case 'job::JobSubmitted':
      return { state: encodeState('submitted'), note: data.fields.note, submittedAt: at };
    case 'job::JobReleased':
      return { state: encodeState('released'), coin: data.fields.coin, releasedAt: at };
    case 'job::JobRefunded': {
      const { payer, coin, refundedTo, reason: refundReason } = data.fields;
      return { state: encodeState('refunded'), payer, coin, refundedTo, refundReason, refundedAt: at };
    }
    case 'cap_assessor::AssessorCapMinted':
      return { assessorCapId: data.fields.capId, assessor: data.fields.assessor };
  }
}
