import { address, amount, chosenTime, count, flag, text, typeName, word } from '../fields.ts';
import { defineLayout } from '../structs.ts';
import { createEventCodec, type EventsOf } from './codec.ts';

const layouts = {
  /** `reviewMs`: time after the deadline in which submitted work may be judged, before anyone can expire it. */
  'job::JobCreated': defineLayout(
    { jobId: address, walletId: address, provider: address, assessorType: typeName },
    { payer: address, coin: typeName, amount, deadlineMs: chosenTime, brief: text, reviewMs: count },
  ),
  'job::JobFunded': defineLayout({ jobId: address, amount }, { funder: address, fromWallet: flag }),
  'job::JobSubmitted': defineLayout({ jobId: address, note: text }),
  'job::JobReleased': defineLayout({ jobId: address, provider: address, amount }, { coin: typeName }),
  'job::JobRefunded': defineLayout(
    { jobId: address, payer: address, amount },
    { coin: typeName, refundedTo: address, reason: word(['cancelled', 'expired', 'rejected']) },
  ),
  'cap_assessor::AssessorCapMinted': defineLayout({ capId: address, jobId: address }, { assessor: address }),
};

/** The events of the escrow package, by `module::Name`. */
export type EscrowEvents = EventsOf<typeof layouts>;
export type EscrowEventName = keyof EscrowEvents;

export const escrowEvents = createEventCodec(layouts);
