import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import { parseAddress } from '../query/move-path.ts';
import { bindService } from '../server/service.ts';
import { notFound } from '../server/status.ts';
import { invalidField, missingField } from '../server/status-details.ts';
import { canonicalName, type NameEntry, type NameTable } from './names.ts';

/** Looks names up in the process's table. */
export function nameService(names: NameTable) {
  return bindService<SuiGrpcClient['nameService']>(GrpcTypes.NameService, {
    async lookupName({ name: asked }) {
      if (!asked) throw missingField('name');
      const name = canonicalName(asked);
      if (name === undefined)
        throw invalidField('name', `${JSON.stringify(asked.slice(0, 100))} is not a name`);
      return { record: recordOf(names.byName(name), `Name ${name}`) };
    },

    async reverseLookupName({ address: asked }) {
      const address = parseAddress(asked, 'address');
      return { record: recordOf(names.byAddress(address), `A name of ${address}`) };
    },
  });
}

/** Without ids and an expiry: no object on chain stands behind the table. */
function recordOf(entry: NameEntry | undefined, what: string): GrpcTypes.NameRecord {
  if (!entry) throw notFound(`${what} not found`);
  return { name: entry.name, targetAddress: entry.address, data: {} };
}
