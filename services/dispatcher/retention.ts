import type { Pool } from 'pg';

/** Days after which deliveries and their attempts are forgotten, whatever became of them. */
export const keptDays = 30;

/** Removes what is too old. Also what is left of subscriptions that were deleted while being sent to. */
export async function removeOld(pool: Pool): Promise<void> {
  await pool.query(`delete from webhook_attempts where started_at < now() - $1 * interval '1 day'`, [
    keptDays,
  ]);
  await pool.query(`delete from webhook_lanes where removed_at < now() - $1 * interval '1 day'`, [keptDays]);
  await pool.query(`delete from webhook_deliveries where created_at < now() - $1 * interval '1 day'`, [
    keptDays,
  ]);
}
