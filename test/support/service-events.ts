import type { Database } from '../../db/client.ts';
import { appendServiceEvents } from '../../db/queries/service-events.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { NewServiceEvent } from '../../lib/webhooks/service-events.ts';

/** Events whose `data` has a reason. */
type QuarantineEventName = Extract<NewServiceEvent, { data: { reason: string } }>['name'];

interface Subject {
  network?: string;
  serviceType?: string | null;
  publisher?: string | null;
}

/** Adds events to the log of the service, each in a transaction of its own. Returns their ids, in order. */
export async function addServiceEvents(
  db: Database,
  count: number,
  name: QuarantineEventName = 'Quarantined',
  { network = 'testnet', serviceType = '0x1::a::A', publisher = null }: Subject = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let nth = 0; nth < count; nth++) {
    const data = { serviceType, publisher, reason: `reason ${nth}` };
    await inTransaction(db.pool, (client) => appendServiceEvents(client, [{ network, name, data }]));
    const { rows } = await db.pool.query<{ id: string }>(
      `select 'svc_' || max(number) as id from service_events where network = $1`,
      [network],
    );
    ids.push(rows[0]!.id);
  }
  return ids;
}
