import { type EscrowEvents, escrowEvents } from '../../../lib/chain/events/escrow.ts';
import { foldJobs } from './escrow/jobs.ts';
import type { Source } from './source.ts';
import { type DecodedEvent, decodeForStorage } from './storable.ts';

/** An escrow package's event that decoded, told apart by `module::Name`. */
export type EscrowEvent = DecodedEvent<EscrowEvents>;

/** Escrow jobs. */
export const escrowSource: Source<EscrowEvent> = {
  name: 'escrow',

  packages: ({ escrowPackageId: packageId }) =>
    packageId === undefined
      ? []
      : [{ packageId, setting: 'ESCROW_PACKAGE_ID', modules: ['job', 'cap_assessor'] }],

  decode: (path, contents) => decodeForStorage(escrowEvents, path, contents),

  append: foldJobs,

  async settle() {
    return false;
  },
};
