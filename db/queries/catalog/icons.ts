import type { ClientBase } from 'pg';
import { buildLatestProfileSql } from '../publishers.ts';

/**
 * Makes the icons in the profiles of publishers due for a fetch where their urls are new, and deletes those of publishers
 * that have none now. Profiles change under the lock of the catalog.
 */
export async function refreshIcons(
  client: ClientBase,
  network: string,
  publishers: readonly string[],
): Promise<void> {
  await client.query({
    name: 'refresh-icons',
    text: `with latest as (
        select key.address, profile ->> 'icon' as icon
        from (select $1::text as network, unnest($2::text[]) as address) key
        left join lateral (${buildLatestProfileSql('e.profile')}) e on true
      ),
      gone as (
        delete from pictures p using latest
        where p.network = $1 and p.subject = latest.address and latest.icon is null
      )
      insert into pictures as p (network, subject, url)
      select $1, address, icon from latest where icon is not null
      on conflict (network, subject) do update set url = excluded.url, picture = null, media_type = null,
        last_error = null, check_attempts = 0, next_check_at = now(), check_ready = true
        where p.url <> excluded.url`,
    values: [network, publishers],
  });
}
