import { address, amount, chosenTime, count, flag, text, typeName, word } from '../fields.ts';
import { layout } from '../structs.ts';
import { type EventsOf, eventCodec } from './codec.ts';

const layouts = {
  /** `reviewMs`: time after the deadline in which submitted work may be judged, before anyone can expire it. */
  'job::JobCreated': layout(
    { jobId: address, walletId: address, provider: address, assessorType: typeName },
    { payer: address, coin: typeName, amount, deadlineMs: chosenTime, brief: text, reviewMs: count },
  ),
  'job::JobFunded': layout({ jobId: address, amount }, { funder: address, fromWallet: flag }),
  'job::JobSubmitted': layout({ jobId: address, note: text }),
  'job::JobReleased': layout({ jobId: address, provider: address, amount }, { coin: typeName }),
  'job::JobRefunded': layout(
    { jobId: address, payer: address, amount },
    { coin: typeName, refundedTo: address, reason: word(['cancelled', 'expired', 'rejected']) },
  ),
  'cap_assessor::AssessorCapMinted': layout({ capId: address, jobId: address }, { assessor: address }),
};

/** The events of the escrow package, by `module::Name`. */
export type EscrowEvents = EventsOf<typeof layouts>;
export type EscrowEventName = keyof EscrowEvents;

export const escrowEvents = eventCodec(layouts);
