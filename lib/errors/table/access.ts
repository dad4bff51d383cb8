import type { ProblemEntry } from './entry.ts';

export const accessProblems = {
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    meaning:
      'The operation needs a credential, and the request has none, or one of a kind that it does not accept.',
    whatToDo: 'Send a credential of a kind that `detail` names.',
  },
  foreign_origin: {
    status: 403,
    title: 'Foreign origin',
    meaning: 'A page of another origin called the tools for models, or tried to sign in.',
    whatToDo: 'Call them from a program, which sends no `origin`, or from a page of this host.',
  },
  invalid_credentials: {
    status: 401,
    title: 'Invalid credentials',
    meaning:
      'The bearer token or the internal header of the request is not a credential that this service knows.',
    whatToDo: 'Check the token. Leave it out for operations that need no credential.',
  },
  invalid_key: {
    status: 401,
    title: 'Invalid key',
    meaning:
      'The API key or the executor key is wrong, revoked or expired, or its issuer no longer owns the wallet.',
    whatToDo:
      'Use another key. Operations that need no key work without one; a wrong key never falls back to anonymous access.',
  },
  invalid_session: {
    status: 401,
    title: 'Invalid session',
    meaning: 'The session token or cookie is wrong, or the session has ended.',
    whatToDo: 'Sign in again at `/api/agent/session/nonce`.',
  },
  invalid_nonce: {
    status: 401,
    title: 'Invalid nonce',
    meaning: 'The nonce has expired, or was issued for another address.',
    whatToDo: 'Request a new nonce for the address that signs, and sign its message.',
  },
  invalid_signature: {
    status: 401,
    title: 'Invalid signature',
    meaning:
      'The signature is not by the address, or is over another message, or it is a zkLogin signature and the chain node verifies none.',
    whatToDo:
      "Sign the message of the nonce, unchanged, as a personal message with the address's key. If `detail` says that zkLogin accounts cannot sign in, use another account.",
  },
  nonce_used: {
    status: 401,
    title: 'Nonce already used',
    meaning: 'A session was already opened with this nonce.',
    whatToDo: 'Request a new nonce.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    meaning:
      'The credential is valid, but does not allow this operation: the admin secret runs no actions. Or the operation is only for callers on the machine of the service.',
    whatToDo: 'Use the credential, or the address, that `detail` names.',
  },
  wrong_wallet: {
    status: 403,
    title: 'Wrong wallet',
    meaning: 'The executor key is bound to another wallet.',
    whatToDo: 'Use an executor key of this wallet.',
  },
  not_your_wallet: {
    status: 403,
    title: 'Not your wallet',
    meaning: 'The address of the session does not own the wallet.',
    whatToDo: "Sign in with the address of the wallet's owner.",
  },
  wrong_owner: {
    status: 403,
    title: 'Wrong owner',
    meaning: 'The wallet belongs to another owner than the one in the request.',
    whatToDo: 'Correct `owner` or `walletId`.',
  },
  out_of_scope: {
    status: 403,
    title: 'Out of scope',
    meaning: 'The action, its service, or an amount exceeds what the executor key allows.',
    whatToDo: 'Correct the field that `errors` names, or use a key with a wider scope.',
  },
  confirmation_needed: {
    status: 403,
    title: 'Confirmation needed',
    meaning:
      'No person confirmed the action, and the credential is not an executor key that is `unattended`.',
    whatToDo:
      'Use a client that can ask a person, or an executor key that its issuer marked `unattended`. Over HTTP, a client of an MCP version before 2026-07-28 receives no question, even if it declares elicitation: let it negotiate the version, or run `npx adaptor-marketplace mcp`. With your own program, confirm the action and leave out `unattended`.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'The API key, credential or address has made more requests in this minute than its limit allows, or the address has sent too many wrong credentials.',
    whatToDo:
      'Send the request again after the seconds in `retry-after`. The `x-ratelimit-*` headers of every response show what is left. An API key has a limit of its own.',
  },
  kv_not_configured: {
    status: 503,
    title: 'Key-value store not configured',
    meaning: 'The service has no key-value store, so it has no API keys and no webhooks.',
    whatToDo: 'The operator sets `REDIS_URL`, or another of the settings that `detail` names.',
  },
  kv_unavailable: {
    status: 503,
    title: 'Key-value store unavailable',
    meaning: 'The key-value store cannot be reached, so the credential cannot be checked.',
    whatToDo:
      'Send the request again after the seconds in `retry-after`. Reads without a credential still work.',
    retryAfterSeconds: 5,
  },
  key_not_found: {
    status: 404,
    title: 'Key not found',
    meaning: 'No API key or executor key has this id, or you may not see it.',
    whatToDo: 'List the keys with the operation that `detail` names.',
  },
  too_many_keys: {
    status: 409,
    title: 'Too many keys',
    meaning: 'The wallet has the maximum number of valid executor keys.',
    whatToDo: 'Revoke one that you no longer use.',
  },
  scope_widened: {
    status: 422,
    title: 'Scope widened',
    meaning: 'The change would let an executor key do more than it may now. A key can only be narrowed.',
    whatToDo: 'Issue another key with the wider scope.',
  },
} as const satisfies Record<string, ProblemEntry>;
