import type { Queryable, Statement } from './queryable.ts';

const findLiveVersion: Statement = {
  name: 'find_live_version',
  text: `
select version from listings where network = $1 and service_type = $2 and publisher = $3 and listed`,
};

/** The version of a publisher's present listing of a service type, as far as the index has read; undefined without one. */
export async function readLiveVersion(
  db: Queryable,
  listing: { network: string; serviceType: string; publisher: string },
): Promise<number | undefined> {
  const { network, serviceType, publisher } = listing;
  const { rows } = await db.query<{ version: number }>({
    ...findLiveVersion,
    values: [network, serviceType, publisher],
  });
  return rows[0]?.version;
}
