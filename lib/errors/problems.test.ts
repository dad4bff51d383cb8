import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { problem } from './index.ts';
import { listStatuses, type ProblemCode, problems, toProblemType } from './problems.ts';

const root = new URL('../../', import.meta.url);

/** Statuses by code. Clients switch on both: a change of a row breaks them, a new row does not. */
const published = {
  already_running: 409,
  adaptor_changed: 409,
  adaptor_not_confirmed: 404,
  adaptor_not_listed: 404,
  adaptor_quarantined: 403,
  admin_secret_not_configured: 503,
  agent_not_configured: 503,
  agent_unavailable: 502,
  answer_too_large: 400,
  argument_mismatch: 422,
  awaiting_settlement: 409,
  bad_body: 400,
  bad_cursor: 400,
  bad_request: 400,
  body_too_large: 413,
  call_index_missing: 503,
  cap_missing: 422,
  caveat_not_supported: 422,
  checkpoint_not_reached: 504,
  coin_not_supported: 422,
  daily_limit: 429,
  database_unavailable: 503,
  delivery_not_found: 404,
  document_not_trusted: 400,
  forbidden: 403,
  foreign_origin: 403,
  freeze_not_found: 404,
  frozen: 403,
  function_ambiguous: 422,
  function_not_callable: 422,
  function_not_found: 422,
  gas_limit: 429,
  grant_missing: 422,
  headers_too_large: 431,
  internal_error: 500,
  invalid_argument: 400,
  invalid_body: 400,
  invalid_credentials: 401,
  invalid_key: 401,
  invalid_nonce: 401,
  invalid_query: 400,
  invalid_session: 401,
  invalid_signature: 401,
  invalid_text: 400,
  invalid_url: 400,
  already_quarantined: 409,
  quarantine_not_found: 404,
  quarantine_changed: 409,
  picture_not_found: 404,
  text_not_found: 404,
  plan_changed: 409,
  freeze_changed: 409,
  listing_not_found: 404,
  job_not_found: 404,
  key_not_found: 404,
  kv_not_configured: 503,
  kv_unavailable: 503,
  manifest_invalid: 422,
  method_not_allowed: 405,
  network_not_configured: 400,
  no_witness: 422,
  node_busy: 503,
  node_timeout: 504,
  node_unavailable: 502,
  nonce_used: 401,
  not_acceptable: 406,
  not_an_object: 400,
  not_configured: 503,
  not_found: 404,
  not_json: 400,
  not_ready: 503,
  not_your_wallet: 403,
  object_not_found: 422,
  op_not_executable: 422,
  op_not_found: 422,
  out_of_scope: 403,
  confirmation_needed: 403,
  package_not_found: 422,
  package_too_large: 422,
  plan_not_found: 404,
  plan_required: 402,
  publisher_not_configured: 503,
  query_too_large: 400,
  rate_limited: 429,
  recipient_not_allowed: 422,
  repeated_header: 400,
  request_id_reused: 422,
  request_timeout: 408,
  run_limit: 429,
  run_not_found: 404,
  run_not_unknown: 409,
  scope_widened: 422,
  several_witnesses: 422,
  slot_not_configured: 422,
  timeout: 504,
  too_many_keys: 409,
  blob_unavailable: 502,
  file_not_found: 404,
  offer_not_found: 404,
  offers_busy: [429, 503],
  package_not_listed: 404,
  source_refused: 400,
  too_many_offers: 429,
  too_many_reports: 409,
  too_many_filter_changes: 409,
  too_many_runs: 429,
  too_many_streams: [429, 503],
  too_many_waiting: [429, 503],
  too_many_webhooks: 409,
  site_busy: 503,
  sql_busy: [429, 503],
  sql_failed: 422,
  sql_invalid: 400,
  sql_not_configured: 503,
  sql_refused: 422,
  sql_too_large: 422,
  transaction_invalid: 400,
  transaction_too_large: 422,
  unauthorized: 401,
  unexpected_body: 400,
  unreadable_bytecode: 422,
  unsupported_media_type: 415,
  upload_busy: 503,
  upload_failed: 502,
  upload_timeout: 504,
  uri_too_long: 414,
  values_mismatch: 422,
  wallet_not_found: 404,
  wallet_paused: 422,
  webhook_not_active: 409,
  webhook_not_found: 404,
  witness_not_found: 422,
  witness_not_usable: 422,
  wrong_owner: 403,
  wrong_wallet: 403,
} satisfies Record<ProblemCode, number | number[]>;

const codes = Object.keys(problems) as ProblemCode[];

test('every code keeps its status', () => {
  expect(Object.fromEntries(codes.map((code) => [code, problems[code].status]))).toEqual(published);
});

test('every code of the table is used by a source', async () => {
  const sources = await Promise.all(['services', 'graphql', 'lib', 'packages/adaptor/src'].map(readSources));
  const text = sources.flat().join('\n');
  const unused = codes.filter((code) => !new RegExp(`'${code}'|^ {2}${code}: \``, 'm').test(text));
  expect(unused).toEqual([]);
});

async function readSources(folder: string): Promise<string[]> {
  const names = await readdir(new URL(`${folder}/`, root), { recursive: true });
  const sources = names.filter(
    (name) => /\.ts$/.test(name) && !/\.test\.ts$|^errors\/(table|problems)/.test(name),
  );
  return Promise.all(sources.map((name) => readFile(new URL(`${folder}/${name}`, root), 'utf8')));
}

test('every entry says when it happens and what to do, in whole sentences', () => {
  for (const code of codes) {
    const { title, meaning, whatToDo } = problems[code];
    expect(title, code).toMatch(/^[A-Z][^.]{2,60}$/);
    for (const text of [meaning, whatToDo]) expect(text, code).toMatch(/^[`A-Z].*\.$/);
  }
});

test('a problem has the status, the title and the wait of its code', () => {
  expect(problem('node_busy', 'Too much.')).toMatchObject({
    status: 503,
    code: 'node_busy',
    title: 'Node busy',
    detail: 'Too much.',
    message: 'Too much.',
    headers: { 'retry-after': '1' },
  });
  expect(problem('invalid_key', 'Wrong.').headers).toEqual({ 'www-authenticate': 'Bearer' });
  const errors = [{ path: 'query.limit', message: 'is too large' }];
  expect(problem('invalid_query', 'query.limit: is too large', { errors }).errors).toBe(errors);
});

test('a code with several statuses has the usual one, where the throw site names no other', () => {
  expect(listStatuses('too_many_streams')).toEqual([429, 503]);
  expect(problem('too_many_streams', 'No.').status).toBe(429);
  expect(problem('wallet_not_found', 'No.').status).toBe(404);
  expect(problem('wallet_not_found', 'No.', { status: 422 }).status).toBe(422);
  // @ts-expect-error: another status is not the code's
  problem('wallet_not_found', 'No.', { status: 400 });
});

test('the type of a problem is its page, below the public url where that is set', () => {
  expect(toProblemType('not_found')).toBe('/errors/not_found');
  expect(toProblemType('not_found', 'https://market.example')).toBe(
    'https://market.example/errors/not_found',
  );
});
