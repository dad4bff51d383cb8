import type { Fields } from '../../../services/gateway/sql/tree.ts';
import { list, parseNode } from '../../../services/gateway/sql/tree.ts';
import { findNodes, findOwn, readFunction } from './nodes.ts';

/** Functions of the statements, by `pg_proc.provolatile` of PostgreSQL 18. One that is in no list is not analysed. */
const immutable = new Set(
  `abs array_append array_cat array_length array_position array_remove array_to_string btrim cardinality ceil char_length decode
  div encode floor jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_each jsonb_each_text jsonb_object_keys
  jsonb_strip_nulls json_array_elements json_each left length like_escape lower lower_inc ltrim make_interval md5 mod
  num_nonnulls octet_length power regexp_replace repeat replace reverse right round rtrim sha256 sign split_part sqrt starts_with
  strpos substr substring timezone translate trunc unnest upper`.split(/\s+/),
);
const stable = new Set(
  `age array_to_json concat concat_ws current_setting date_part date_trunc extract format generate_series json_build_object
  json_to_recordset jsonb_build_array jsonb_build_object jsonb_populate_recordset jsonb_to_recordset now row_to_json
  statement_timestamp to_char to_date to_json to_jsonb to_timestamp transaction_timestamp`.split(/\s+/),
);
const volatile = new Set(['clock_timestamp', 'gen_random_uuid', 'pg_sleep', 'random', 'timeofday', 'uuidv7']);
/** Functions that act on the server that runs them, or read its state. */
const actions =
  /^(?:pg_(?:try_)?advisory.*|pg_notify|nextval|currval|setval|lastval|set_config|pg_(?:cancel|terminate)_backend|pg_current_.*|pg_last_.*|pg_export_snapshot|pg_backend_pid|txid_current.*|pg_snapshot.*|pg_is_in_recovery|pg_relation_size|pg_total_relation_size)$/;

const aggregates = new Set(
  `any_value array_agg avg bit_and bit_or bool_and bool_or count every json_agg json_object_agg jsonb_agg jsonb_object_agg max min
  mode percentile_cont percentile_disc range_agg range_intersect_agg stddev stddev_pop stddev_samp string_agg sum variance
  var_pop var_samp`.split(/\s+/),
);

export const isAggregate = (call: Fields): boolean =>
  call.over === undefined && (call.agg_star === true || aggregates.has(readFunction(call)));

/** Names of the functions below a value. */
const listFunctions = (value: unknown): string[] => findNodes(value, 'FuncCall').map(readFunction);

/** Last name of the type of a cast. */
const readType = ({ typeName }: Fields): string =>
  String(parseNode(list((typeName as Fields)?.names).at(-1))?.fields.sval);

const isMutable = (name: string): boolean => !immutable.has(name) && !aggregates.has(name);

/** Name of a function or an expression below a value that is not known to be immutable; undefined without one. */
export function findMutable(value: unknown): string | undefined {
  if (findNodes(value, 'SQLValueFunction').length > 0) return 'current_timestamp';
  if (findNodes(value, 'A_Const').length > 0 && hasTimeArithmetic(value)) return 'timestamptz arithmetic';
  for (const cast of findNodes(value, 'TypeCast')) {
    // A cast of a parameter or a constant is made before. One of a column may depend on settings, such as the time zone.
    const type = readType(cast);
    if (
      /^(?:timestamptz|timestamp|date|time|timetz|regclass)$/.test(type) &&
      findNodes(cast.arg, 'ColumnRef').length > 0
    ) {
      return `a cast to ${type}`;
    }
  }
  return listFunctions(value).find(isMutable);
}

const hasTimeArithmetic = (value: unknown): boolean =>
  findNodes(value, 'TypeCast').some((cast) => readType(cast) === 'interval');

/** Name of a volatile function below a value; undefined without one. */
export const findVolatile = (value: unknown): string | undefined =>
  listFunctions(value).find((name) => volatile.has(name) || actions.test(name));

/** Name of a function below a value that is in no list; undefined without one. */
export const findUnknown = (value: unknown): string | undefined =>
  listFunctions(value).find(
    (name) => isMutable(name) && !stable.has(name) && !volatile.has(name) && !actions.test(name),
  );

/** Name of a stable function that gets a column as its argument, in the query itself; undefined without one. */
export function findStableOnColumn(value: unknown): string | undefined {
  const call = findOwn(value, 'FuncCall').find(
    (one) => stable.has(readFunction(one)) && findNodes(one.args, 'ColumnRef').length > 0,
  );
  if (call) return readFunction(call);
  const sum = findOwn(value, 'A_Expr').find(
    (one) => findNodes(one, 'ColumnRef').length > 0 && hasTimeArithmetic([one.lexpr, one.rexpr]),
  );
  return sum && 'timestamptz arithmetic';
}

/** Name of a function that acts on the server that runs it; undefined without one. */
export const findAction = (value: unknown): string | undefined =>
  listFunctions(value).find((name) => actions.test(name));
