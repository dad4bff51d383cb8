import type { ProblemEntry } from './entry.ts';

export const requestProblems = {
  bad_request: {
    status: 400,
    title: 'Bad request',
    meaning: 'The bytes are not an HTTP/1.1 request, or the path is malformed.',
    whatToDo:
      'Send a well-formed request: check the request line, the headers and the percent-encoding of the path.',
  },
  repeated_header: {
    status: 400,
    title: 'Repeated header',
    meaning:
      'The request has `host`, `authorization`, `content-type` or `x-api-key` more than once. A proxy and this service could each take a different one.',
    whatToDo:
      'Send the header that `detail` names once. A proxy that appends a header must replace it instead.',
  },
  unexpected_body: {
    status: 400,
    title: 'Unexpected body',
    meaning: 'The request has a body, and this operation takes its values from the query.',
    whatToDo: 'Move the values from the body to the query, and send no body.',
  },
  bad_body: {
    status: 400,
    title: 'Bad body',
    meaning: 'The body ended early, or its length is not the one in `content-length`.',
    whatToDo: 'Send the request again with the whole body and the right length.',
  },
  not_json: {
    status: 400,
    title: 'Not JSON',
    meaning: 'The body is not valid JSON in UTF-8.',
    whatToDo: 'Correct the syntax of the body.',
  },
  not_an_object: {
    status: 400,
    title: 'Not an object',
    meaning: 'The body is valid JSON, but not a JSON object.',
    whatToDo: 'Send an object with the fields that the operation describes.',
  },
  invalid_body: {
    status: 400,
    title: 'Invalid body',
    meaning: 'Fields of the body are missing, unknown, or have values that the operation does not accept.',
    whatToDo: 'Correct the fields that `errors` lists: `path` names the field, `message` says what is wrong.',
  },
  invalid_query: {
    status: 400,
    title: 'Invalid query',
    meaning:
      'Parameters of the query string are missing, repeated, badly encoded, or have values that the operation does not accept. On `/graphql`, also: the document does not parse or does not match the schema.',
    whatToDo:
      'Correct the parameters that `errors` lists. For a graph query, correct the document at the location that the error names.',
  },
  invalid_text: {
    status: 400,
    title: 'Invalid text',
    meaning: 'The request has text that the database cannot store, such as U+0000.',
    whatToDo: 'Remove the character.',
  },
  bad_cursor: {
    status: 400,
    title: 'Bad cursor',
    meaning:
      'The cursor does not come from this operation, or comes from a request with other filters or another sort. For an event stream: `last-event-id` is not the id of an event.',
    whatToDo: 'Leave the cursor out to begin at the first page, or at the current end of a stream.',
  },
  network_not_configured: {
    status: 400,
    title: 'Network not configured',
    meaning: 'The network exists, but this service does not serve it.',
    whatToDo: 'Use a network that `detail` lists.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'The service has no such path.',
    whatToDo: 'Compare the path with the API reference at `/docs`.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, but does not take this method.',
    whatToDo: 'Use a method that the `allow` header lists.',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    meaning:
      'The `accept` or `accept-encoding` header excludes every form in which the response is available.',
    whatToDo: 'Accept a media type or an encoding that `detail` names.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    meaning: 'The request did not arrive completely in time.',
    whatToDo: 'Send the request again, without pauses between its parts.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    meaning: 'The body is longer than this operation accepts.',
    whatToDo: 'Send a body within the length that `detail` names.',
  },
  uri_too_long: {
    status: 414,
    title: 'URI too long',
    meaning: 'The url of the request is longer than this service accepts.',
    whatToDo: 'Shorten the query. Send a long graph query with POST.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The body is not `application/json` in UTF-8, or has a `content-encoding`.',
    whatToDo: 'Send uncompressed JSON with `content-type: application/json`.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    meaning: 'The headers of the request are larger than this service accepts.',
    whatToDo: 'Send fewer or shorter headers; large cookies are the usual cause.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    meaning: 'The service failed unexpectedly. Its log has the cause under the request id.',
    whatToDo: 'Send the request again. If the error persists, report its `requestId` to the operator.',
  },
  node_unavailable: {
    status: 502,
    title: 'Node unavailable',
    meaning: "The network's full node did not answer, or answered with an error.",
    whatToDo: 'Send the request again after the seconds in `retry-after`.',
    retryAfterSeconds: 5,
  },
  database_unavailable: {
    status: 503,
    title: 'Database unavailable',
    meaning: 'The database of the service cannot be reached.',
    whatToDo: 'Send the request again after the seconds in `retry-after`.',
    retryAfterSeconds: 5,
  },
  node_busy: {
    status: 503,
    title: 'Node busy',
    meaning:
      "Too many requests that need the network's full node are in progress, or the operator's budget of requests to it is " +
      'used up.',
    whatToDo: 'Send the request again after the seconds in `retry-after`.',
    retryAfterSeconds: 1,
  },
  not_ready: {
    status: 503,
    title: 'Not ready',
    meaning:
      'A readiness check failed: the index of a network is behind, or a service that this one needs does not answer.',
    whatToDo: '`detail` names what is not ready. Send traffic to another instance until the check passes.',
    retryAfterSeconds: 5,
  },
  node_timeout: {
    status: 504,
    title: 'Node timeout',
    meaning: "The network's full node took too long to answer.",
    whatToDo: 'Send the request again after the seconds in `retry-after`.',
    retryAfterSeconds: 5,
  },
  timeout: {
    status: 504,
    title: 'Timeout',
    meaning: 'Reading the response from the database took too long.',
    whatToDo: 'Request less: a smaller page, fewer fields, or a narrower filter.',
  },
  invalid_argument: {
    status: 400,
    title: 'Invalid argument',
    meaning: 'An argument of a graph field has a value that the field does not accept.',
    whatToDo: 'Correct the arguments that `errors` lists.',
  },
  checkpoint_not_reached: {
    status: 504,
    title: 'Checkpoint not reached',
    meaning: 'The graph query names a checkpoint that the service did not index in time.',
    whatToDo: 'Send the query again. `_meta` without the argument shows how far each source is indexed.',
  },
  too_many_waiting: {
    status: [429, 503],
    title: 'Too many waiting',
    meaning:
      'Too many graph queries wait until a checkpoint is indexed: of your API key or address (429), or of all callers (503).',
    whatToDo: 'Send the query again after some seconds, or without `atLeastCheckpoint`.',
    retryAfterSeconds: 2,
  },
  query_too_large: {
    status: 400,
    title: 'Query too large',
    meaning:
      'The graph query exceeds a limit: its tokens, depth, aliases, directives, fields with their page sizes, or the reads that it causes.',
    whatToDo: 'Request fewer items per page and fewer fields, or split the query into several.',
  },
  document_not_trusted: {
    status: 400,
    title: 'Document not trusted',
    meaning:
      'The operator lets `/graphql` execute trusted documents only, and the request names none of them by its `documentId`, or sends another `query`.',
    whatToDo:
      'Send the SHA-256 of a document that the operator has registered as `documentId`, without `query`. Ask the operator to register yours.',
  },
  answer_too_large: {
    status: 400,
    title: 'Response too large',
    meaning: 'The response to the graph query, or the data read for it, exceeds its limit in bytes.',
    whatToDo: 'Request fewer items per page or fewer fields.',
  },
  site_busy: {
    status: 503,
    title: 'Site busy',
    meaning: 'Too many pages of the site are being made, for all readers or for your address.',
    whatToDo: 'Load the page again after the seconds in `retry-after`.',
    retryAfterSeconds: 5,
  },
} as const satisfies Record<string, ProblemEntry>;
