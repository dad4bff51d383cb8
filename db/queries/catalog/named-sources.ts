/**
 * SQL that makes the sources due for a fetch that verified publishers name in the entries of `verified`, each once. An older
 * manifest can have anything in their place.
 */
export const addNamedSourcesSql = `
  insert into named_sources (network, package_id, repository, commit, path)
  select distinct $1, package_id, source ->> 'repository', source ->> 'commit', coalesce(source ->> 'path', '')
  from verified
  where publisher_verified and source ->> 'commit' ~ '^[0-9a-f]{40}$' and length(source ->> 'repository') <= 512
    and length(coalesce(source ->> 'path', '')) <= 255
  on conflict do nothing`;
