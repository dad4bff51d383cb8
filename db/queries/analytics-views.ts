import type { Queryable } from './queryable.ts';

interface AnalyticsView {
  name: string;
  description: string;
  /** In the order of `select *`. */
  columns: { name: string; type: string; description: string }[];
}

/** Changes whenever `migrateDatabase` has created the views again. */
const versionSql = `obj_description(to_regnamespace('analytics'), 'pg_namespace')`;

const describeSql = `select ${versionSql} as version, coalesce(json_agg(v order by name), '[]') as views
  from (
    select c.relname as name, coalesce(obj_description(c.oid, 'pg_class'), '') as description,
      json_agg(json_build_object(
        'name', a.attname,
        'type', case when t.typcategory = 'A' then e.typname || '[]' else t.typname end,
        'description', coalesce(col_description(c.oid, a.attnum), '')
      ) order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    left join pg_type e on e.oid = t.typelem
    where c.relnamespace = to_regnamespace('analytics') and c.relkind = 'v'
    group by c.oid
  ) v`;

interface Described {
  version: string | null;
  views: AnalyticsView[];
}

export type ReadAnalyticsViews = () => Promise<AnalyticsView[]>;

/**
 * Returns a reader of the views of `analytics`, their columns and their comments, from the catalog of the database. It
 * reads all of them once for each version of the views.
 */
export function openAnalyticsViews(db: Queryable): ReadAnalyticsViews {
  let known: Described | undefined;
  return async () => {
    const current = await db.query<Pick<Described, 'version'>>({
      name: 'read-analytics-version',
      text: `select ${versionSql} as version`,
    });
    if (known?.version !== current.rows[0]!.version) {
      const described = await db.query<Described>({ name: 'describe-analytics-views', text: describeSql });
      known = described.rows[0]!;
    }
    return known!.views;
  };
}
