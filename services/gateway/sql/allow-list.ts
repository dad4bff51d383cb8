/**
 * Allow-list for statements of `POST /api/sql`. Names that are absent are refused. Add a name only if it reads nothing
 * but its arguments, and if its result is not much larger than they are.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Functions of PostgreSQL, those behind SQL syntax (`extract`, `at time zone`, `like ... escape`) included. */
export const allowedFunctions = words(`
  avg bool_and bool_or corr count covar_pop covar_samp every max min mode percentile_cont percentile_disc regr_avgx
  regr_avgy regr_count regr_intercept regr_r2 regr_slope stddev stddev_pop stddev_samp sum var_pop var_samp variance
  cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
  abs ceil ceiling div exp floor ln log mod power round sign sqrt trunc width_bucket
  btrim char_length character_length left length like_escape lower ltrim octet_length position reverse right rtrim
  split_part starts_with strpos substr substring upper
  age date_bin date_part date_trunc extract isfinite make_date now overlaps timezone to_char to_date to_timestamp
  array_length array_position cardinality unnest
  jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_each jsonb_each_text jsonb_extract_path
  jsonb_extract_path_text jsonb_object_keys jsonb_typeof
  num_nonnulls num_nulls
`);

/** Types by their names in the parse tree. Their arrays are allowed too. */
export const allowedTypes = words(`
  bool date float4 float8 int2 int4 int8 interval jsonb numeric text timestamp timestamptz varchar
`);

export const allowedOperators = words(`
  + - * / % ^ = <> != < > <= >= || ~ ~* !~ !~* ~~ !~~ ~~* !~~* -> ->> #> #>> @> <@ ? ?| ?& && BETWEEN
`);

/** Operators that compare rows and return one value. */
export const rowComparisons = words('= <> != < > <= >=');

/** Highest number of `||`, each of which adds a value to a text; in a subquery as often as its column is used. */
export const concatenationsMax = 8;
/** Highest number of nodes after subqueries are inlined. The planner has no other bound of its memory. */
export const nodesMax = 10_000;
/**
 * Highest number of multiplications, divisions, powers, roots and the like, counted as `nodesMax` is. PostgreSQL does
 * not look for a cancel request while it computes the expressions of a row. With numerics of 131,000 digits, one of
 * these takes up to 50 ms (`mod`, PostgreSQL 18, two cores of a cloud machine), so a row ends within about 10 s.
 */
export const productsMax = 200;
export const costlyOperators = words('* / % ^');
export const costlyFunctions = words('div exp ln log mod power sqrt width_bucket');
/** Functions that return a time whatever their arguments. `passingFunctions` return one of their arguments. */
export const timeFunctions = words('date_bin date_trunc make_date now timezone to_date to_timestamp');
export const passingFunctions = words(
  'first_value lag last_value lead max min mode nth_value percentile_disc unnest',
);
/** Types whose text parser caches each time zone that it has read. */
export const timeTypes = words('date timestamp timestamptz');
/** Highest number of aggregates with `distinct` or `order by`. Each sort takes some megabytes of memory. */
export const sortedAggregatesMax = 16;
/** Highest number of views, common table expressions and subqueries in a join. The planner has to order them. */
export const relationsMax = 32;

/** Functions that accept a whole row. If `a` has no column of that name, `a.name` calls one of these with its row. */
export const rowFunctions = words(`
  any_out any_value anycompatible_out anycompatiblenonarray_out anyelement_out anynonarray_out array_agg concat
  hash_record json_agg json_agg_strict json_build_array json_build_object jsonb_agg jsonb_agg_strict jsonb_build_array
  jsonb_build_object max min pg_collation_for pg_column_compression pg_column_size pg_column_toast_chunk_id
  pg_restore_attribute_stats pg_restore_relation_stats pg_typeof quote_literal quote_nullable record_out record_send
  row_to_json to_json to_jsonb
`);

/** Rule by which a field of a node is checked. */
export type FieldRule =
  /** A node, or several, each with its kind as its only key. */
  | 'node'
  | 'nodes'
  /** A number, a flag or a word that cannot name anything. */
  | 'plain'
  /** A node of this kind, without its kind as a key. */
  | { is: string }
  | { oneOf: ReadonlySet<string> }
  /** A name that the statement makes up, or that only its own parts can have. */
  | 'name'
  /** Names that `check.ts` looks up. */
  | 'checked';

const columnDefinition = 'name';
const located = { location: 'plain' } as const;
const query = { is: 'SelectStmt' } as const;
const buildWordRule = (text: string) => ({ oneOf: words(text) });

/** The kinds of nodes, and the fields of each. A kind or a field that is absent is refused. */
export const grammar: Readonly<Record<string, Readonly<Record<string, FieldRule>>>> = {
  SelectStmt: {
    distinctClause: 'nodes',
    targetList: 'nodes',
    fromClause: 'nodes',
    whereClause: 'node',
    groupClause: 'nodes',
    groupDistinct: 'plain',
    havingClause: 'node',
    windowClause: 'nodes',
    valuesLists: 'nodes',
    sortClause: 'nodes',
    limitOffset: 'node',
    limitCount: 'node',
    limitOption: 'plain',
    withClause: { is: 'WithClause' },
    op: 'plain',
    all: 'plain',
    larg: query,
    rarg: query,
  },
  WithClause: { ctes: 'nodes', ...located },
  CommonTableExpr: {
    ctename: 'checked',
    aliascolnames: 'nodes',
    ctematerialized: 'plain',
    ctequery: 'node',
    ...located,
  },
  RangeVar: {
    schemaname: 'checked',
    relname: 'checked',
    inh: 'plain',
    relpersistence: buildWordRule('p'),
    alias: { is: 'Alias' },
    ...located,
  },
  RangeSubselect: { lateral: 'plain', subquery: 'node', alias: { is: 'Alias' } },
  RangeFunction: {
    lateral: 'plain',
    ordinality: 'plain',
    is_rowsfrom: 'plain',
    functions: 'nodes',
    alias: { is: 'Alias' },
  },
  JoinExpr: {
    jointype: buildWordRule('JOIN_INNER JOIN_LEFT JOIN_FULL JOIN_RIGHT'),
    isNatural: 'plain',
    larg: 'node',
    rarg: 'node',
    usingClause: 'nodes',
    join_using_alias: { is: 'Alias' },
    quals: 'node',
    alias: { is: 'Alias' },
    rtindex: 'plain',
  },
  Alias: { aliasname: 'name', colnames: 'nodes' },
  ResTarget: { name: columnDefinition, val: 'node', ...located },
  ColumnRef: { fields: 'checked', ...located },
  String: { sval: 'name' },
  Integer: { ival: 'plain' },
  A_Const: {
    ival: { is: 'Integer' },
    fval: { is: 'Float' },
    boolval: { is: 'Boolean' },
    sval: { is: 'String' },
    isnull: 'plain',
    ...located,
  },
  Float: { fval: 'plain' },
  Boolean: { boolval: 'plain' },
  A_Expr: {
    kind: buildWordRule(
      'AEXPR_OP AEXPR_OP_ANY AEXPR_OP_ALL AEXPR_DISTINCT AEXPR_NOT_DISTINCT AEXPR_NULLIF AEXPR_IN AEXPR_LIKE AEXPR_ILIKE AEXPR_BETWEEN AEXPR_NOT_BETWEEN AEXPR_BETWEEN_SYM AEXPR_NOT_BETWEEN_SYM',
    ),
    name: 'checked',
    lexpr: 'node',
    rexpr: 'node',
    rexpr_list_start: 'plain',
    rexpr_list_end: 'plain',
    ...located,
  },
  BoolExpr: { boolop: 'plain', args: 'nodes', ...located },
  NullTest: { arg: 'node', nulltesttype: 'plain', argisrow: 'plain', ...located },
  BooleanTest: { arg: 'node', booltesttype: 'plain', ...located },
  CaseExpr: { arg: 'node', args: 'nodes', defresult: 'node', ...located },
  CaseWhen: { expr: 'node', result: 'node', ...located },
  CoalesceExpr: { args: 'nodes', ...located },
  MinMaxExpr: { op: 'plain', args: 'nodes', ...located },
  SubLink: {
    subLinkType: buildWordRule('EXISTS_SUBLINK ALL_SUBLINK ANY_SUBLINK EXPR_SUBLINK'),
    testexpr: 'node',
    operName: 'checked',
    subselect: 'node',
    ...located,
  },
  FuncCall: {
    funcname: 'checked',
    args: 'nodes',
    agg_order: 'nodes',
    agg_filter: 'node',
    over: { is: 'WindowDef' },
    agg_within_group: 'plain',
    agg_star: 'plain',
    agg_distinct: 'plain',
    funcformat: 'plain',
    ...located,
  },
  WindowDef: {
    name: 'name',
    refname: 'name',
    partitionClause: 'nodes',
    orderClause: 'nodes',
    frameOptions: 'plain',
    startOffset: 'node',
    endOffset: 'node',
    ...located,
  },
  SortBy: {
    node: 'node',
    sortby_dir: buildWordRule('SORTBY_DEFAULT SORTBY_ASC SORTBY_DESC'),
    sortby_nulls: 'plain',
    ...located,
  },
  TypeCast: { arg: 'node', typeName: { is: 'TypeName' }, ...located },
  TypeName: {
    names: 'checked',
    typmods: 'nodes',
    typemod: 'plain',
    arrayBounds: 'nodes',
    ...located,
  },
  List: { items: 'nodes' },
  A_ArrayExpr: { elements: 'nodes', list_start: 'plain', list_end: 'plain', ...located },
  A_Indirection: { arg: 'node', indirection: 'nodes' },
  A_Indices: { is_slice: 'plain', lidx: 'node', uidx: 'node' },
  RowExpr: { args: 'nodes', row_format: 'plain', ...located },
  GroupingSet: { kind: 'plain', content: 'nodes', ...located },
  GroupingFunc: { args: 'nodes', ...located },
  SQLValueFunction: {
    op: buildWordRule('SVFOP_CURRENT_DATE SVFOP_CURRENT_TIMESTAMP SVFOP_CURRENT_TIMESTAMP_N'),
    typmod: 'plain',
    ...located,
  },
};

/** Readable names of the nodes and fields that are refused most often. */
export const kindNames: Readonly<Record<string, string>> = {
  intoClause: '`select into`',
  lockingClause: 'a locking clause (`for update`, `for share`)',
  recursive: '`with recursive`',
  RangeTableSample: '`tablesample`',
  RangeTableFunc: '`xmltable`',
  JsonTable: '`json_table`',
  XmlExpr: 'an XML function',
  XmlSerialize: 'an XML function',
  ParamRef: 'a parameter such as `$1`',
  CollateClause: '`collate`',
  func_variadic: '`variadic`',
  coldeflist: 'a list of column definitions',
  catalogname: 'the name of a database',
  search_clause: '`search`',
  cycle_clause: '`cycle`',
  useOp: '`order by ... using`',
  setof: '`setof`',
  pct_type: '`%type`',
  bsval: 'a bit string',
  indirection: 'a field of a row',
  InsertStmt: '`insert`',
  UpdateStmt: '`update`',
  DeleteStmt: '`delete`',
  MergeStmt: '`merge`',
};
