import { z } from 'zod';
import { decodeCursor, encodeCursor, type Page, toPage } from '../page.ts';
import type { Queryable } from '../queryable.ts';

/** A delivery and its attempts, as its subscriber sees them. */
interface Delivery {
  id: string;
  network: string;
  /** The `id` in the body that is sent. */
  eventId: string;
  event: string;
  state: string;
  createdMs: number;
  /** When it is sent next; null when it is not. */
  dueMs: number | null;
  attempts: Attempt[];
}

interface Attempt {
  number: number;
  startedMs: number;
  durationMs: number;
  outcome: string;
  status: number | null;
  error: string | null;
  response: string | null;
}

interface DeliveryRow {
  id: number;
  network: string;
  event_id: string;
  event: string;
  state: string;
  created_at: Date;
  due_at: Date | null;
  attempts: (Omit<Attempt, 'startedMs'> & { startedAt: string })[] | null;
}

const columns = `
  d.id, d.network, d.event, d.state, d.created_at, d.due_at,
  coalesce(e.tx_digest || ':' || e.event_index, 'test:' || d.id) as event_id, a.attempts`;

const joined = `
left join events e using (network, checkpoint, tx_index, event_index)
left join lateral (
  select json_agg(json_build_object('number', number, 'startedAt', started_at, 'durationMs', duration_ms,
    'outcome', outcome, 'status', status, 'error', error, 'response', response) order by number) as attempts
  from webhook_attempts a where a.subscription = d.subscription and a.delivery = d.id
) a on true`;

interface DeliveryQuestion {
  subscription: string;
  state?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

/**
 * Deliveries of a subscription, the newest first.
 * @throws ProblemError `bad_cursor`
 */
export async function readDeliveries(
  db: Queryable,
  { subscription, state, limit, cursor }: DeliveryQuestion,
): Promise<Page<Delivery>> {
  const before = cursor === undefined ? undefined : decodeCursor(cursor, z.tuple([z.int()]))[0];
  const { rows } = await db.query<DeliveryRow>({
    name: 'webhook-deliveries',
    text: `select ${columns} from (
        select * from webhook_deliveries
        where subscription = $1 and id < coalesce($2, 9223372036854775807) and ($3::text is null or state = $3)
        order by id desc limit $4
      ) d ${joined} order by d.id desc`,
    values: [subscription, before, state, limit + 1],
  });
  return toPage(rows, limit, toDelivery, (row) => encodeCursor([row.id]));
}

/** Undefined where the subscription has no such delivery. */
export async function readDelivery(
  db: Queryable,
  subscription: string,
  id: number,
): Promise<Delivery | undefined> {
  const { rows } = await db.query<DeliveryRow>({
    name: 'webhook-delivery',
    text: `select ${columns} from webhook_deliveries d ${joined} where d.subscription = $1 and d.id = $2`,
    values: [subscription, id],
  });
  return rows[0] && toDelivery(rows[0]);
}

function toDelivery({ id, event_id: eventId, created_at, due_at, attempts, ...row }: DeliveryRow): Delivery {
  return {
    id: String(id),
    network: row.network,
    eventId,
    event: row.event,
    state: row.state,
    createdMs: created_at.getTime(),
    dueMs: due_at?.getTime() ?? null,
    attempts: (attempts ?? []).map(({ startedAt, ...attempt }) => {
      return { ...attempt, startedMs: Date.parse(startedAt) };
    }),
  };
}

/** When each subscription began to fail without a success since; those that do not are absent. */
export async function readFailing(
  db: Queryable,
  subscriptions: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ subscription: string; failing_since: Date }>({
    name: 'webhook-failing',
    text: `select subscription, failing_since from webhook_subscriptions
      where subscription = any($1) and failing_since is not null`,
    values: [subscriptions],
  });
  return new Map(rows.map((row) => [row.subscription, row.failing_since.getTime()]));
}
