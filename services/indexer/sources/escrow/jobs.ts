import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import type { EscrowEvent } from '../escrow.ts';
import type { ChainEvent } from '../source.ts';
import { insertJobs, type JobChange, updateJobs } from './job-rows.ts';

const states = { open: 0, funded: 1, submitted: 2, released: 3, refunded: 4 };

/** Brings `jobs` up to date with events in chain order. */
export async function foldJobs(
  client: ClientBase,
  network: Network,
  events: ChainEvent<EscrowEvent>[],
): Promise<void> {
  const changes = new Map<string, JobChange>();
  for (const event of events) {
    if (!event.data) continue;
    const { jobId } = event.data.fields;
    const change = changes.get(jobId) ?? {};
    for (const [field, value] of Object.entries(changeBy(event))) {
      // What an event does not say stays.
      if (value !== undefined) Object.assign(change, { [field]: value });
    }
    changes.set(jobId, change);
  }
  const all = [...changes];
  await insertJobs(
    client,
    network,
    all.filter(([, { created }]) => created),
  );
  await updateJobs(
    client,
    network,
    all.filter(([, { created }]) => !created),
  );
}

function changeBy(event: ChainEvent<EscrowEvent>): JobChange {
  const data = event.data!;
  const at = new Date(event.timestampMs);
  switch (data.name) {
    case 'job::JobCreated': {
      const { jobId: _, ...fields } = data.fields;
      return { created: event, state: states.open, ...fields };
    }
    case 'job::JobFunded': {
      const { amount, funder, fromWallet } = data.fields;
      return { state: states.funded, amount, funder, fromWallet, fundedAt: at };
    }
    case 'job::JobSubmitted':
      return { state: states.submitted, note: data.fields.note, submittedAt: at };
    case 'job::JobReleased':
      return { state: states.released, coin: data.fields.coin, releasedAt: at };
    case 'job::JobRefunded': {
      const { payer, coin, refundedTo, reason: refundReason } = data.fields;
      return { state: states.refunded, payer, coin, refundedTo, refundReason, refundedAt: at };
    }
    case 'cap_assessor::AssessorCapMinted':
      return { assessorCapId: data.fields.capId, assessor: data.fields.assessor };
  }
}
