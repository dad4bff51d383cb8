import type { z } from 'zod';
import {
  executorKeyBody,
  executorKeyChange,
  executorKeyRequest,
  executorKeysBody,
  executorKeysRequest,
  issuedExecutorKeyBody,
  nonceBody,
  nonceRequest,
  sessionBody,
  signedInBody,
  signInRequest,
} from '../../../lib/agent/shapes.ts';
import { atMs, dayMs, headers, monthMs, owner, serviceType, sui, walletId } from '../openapi/parts.ts';
import { byBearerOrCookie, createForwardedRoute } from './forward.ts';

const nonce = 'aMx1ZK8v2bC4w0dQ';
const session = { address: owner, expiresMs: atMs + dayMs / 2 };
const sessionCookie = { 'set-cookie': headers['set-cookie'] };

const createNonce = createForwardedRoute({
  method: 'post',
  path: '/api/agent/session/nonce',
  proof: 'none',
  body: nonceRequest,
  operation: {
    operationId: 'createNonce',
    summary: 'Get the message to sign for signing in',
    response: { description: 'A message with a nonce that works once, for five minutes.', schema: nonceBody },
    example: {
      request: { address: owner },
      answer: {
        nonce,
        message: `Sign in to the agent of this host as ${owner}. Nonce: ${nonce}`,
        expiresMs: atMs + 300_000,
      },
    },
  },
});

const signIn = createForwardedRoute({
  method: 'post',
  path: '/api/agent/session',
  proof: 'signature',
  body: signInRequest,
  operation: {
    operationId: 'signIn',
    summary: 'Sign in with the key of an address',
    description: 'The session runs actions of the wallets that the address owns, for twelve hours.',
    response: {
      description: 'The session, as a bearer token and as an http-only cookie.',
      schema: signedInBody,
      headers: sessionCookie,
    },
    refusals: ['invalid_nonce', 'nonce_used', 'invalid_signature', 'node_unavailable', 'node_busy'],
    example: {
      request: { address: owner, nonce, signature: 'AHB1Yl…' },
      answer: { token: 'as_4tYb…', ...session },
    },
  },
});

const getSession = createForwardedRoute({
  method: 'get',
  path: '/api/agent/session',
  security: byBearerOrCookie,
  operation: {
    operationId: 'getSession',
    summary: 'Get the current session',
    description: 'Needs a session.',
    response: { description: 'The session.', schema: sessionBody },
    example: { answer: session },
  },
});

const signOut = createForwardedRoute({
  method: 'delete',
  path: '/api/agent/session',
  security: byBearerOrCookie,
  operation: {
    operationId: 'signOut',
    summary: 'Sign out',
    description: 'Needs a session.',
    response: { description: 'The session has ended, and its cookie is removed.', headers: sessionCookie },
    example: {},
  },
});

const amounts = (amount: string) => [{ coinType: sui, amount }];
const scope = {
  services: [serviceType],
  actions: ['swap', 'spend'],
  maxPerRun: amounts('1000000000'),
  maxPerDay: amounts('5000000000'),
};
const key: z.infer<typeof executorKeyBody> = {
  id: 'exec_3kTMd8ZqB1',
  network: 'testnet',
  walletId,
  label: 'rebalancer',
  issuedBy: owner,
  ...scope,
  createdMs: atMs,
  expiresMs: atMs + monthMs,
};
const keyId = { id: { description: 'Id of the executor key, not the key itself.', example: key.id } };
const narrowed = { maxPerDay: amounts('2000000000') };

const listExecutorKeys = createForwardedRoute({
  method: 'get',
  path: '/api/agent/keys',
  security: byBearerOrCookie,
  query: executorKeysRequest,
  operation: {
    operationId: 'listExecutorKeys',
    summary: 'List executor keys',
    description:
      'With a session: those of a wallet that its address owns, including keys that the operator issued. With the ' +
      "host's admin secret: those of all wallets.",
    response: {
      description: 'What is stored of each key: everything but the key.',
      schema: executorKeysBody,
    },
    refusals: ['network_not_configured', 'not_your_wallet'],
    example: { query: { walletId }, answer: { count: 1, keys: [key] } },
  },
});

const issueExecutorKey = createForwardedRoute({
  method: 'post',
  path: '/api/agent/keys',
  security: byBearerOrCookie,
  body: executorKeyRequest,
  operation: {
    operationId: 'issueExecutorKey',
    summary: 'Issue a key that runs actions of one wallet',
    description:
      "By the wallet's owner with a session, or by the operator. You can limit what the key may do here, and narrow it " +
      'later. It can never be widened.',
    response: {
      description: 'The new key. Only its hash is stored: save the key now.',
      schema: issuedExecutorKeyBody,
    },
    refusals: ['network_not_configured', 'not_your_wallet', 'too_many_keys'],
    example: {
      request: { network: 'testnet', walletId, label: 'rebalancer', ...scope, expiresMs: atMs + monthMs },
      answer: { ...key, key: 'ek_5uGzR0…' },
    },
  },
});

const narrowExecutorKey = createForwardedRoute({
  method: 'patch',
  path: '/api/agent/keys/:id',
  parameters: keyId,
  security: byBearerOrCookie,
  body: executorKeyChange,
  operation: {
    operationId: 'narrowExecutorKey',
    summary: 'Narrow what an executor key may do',
    description:
      'Fields that the body leaves out stay. Effective at once: a run that is being prepared with the key ends unsigned.',
    response: { description: 'The key after the change.', schema: executorKeyBody },
    refusals: ['key_not_found', 'scope_widened'],
    example: { request: narrowed, answer: { ...key, ...narrowed } },
  },
});

const revokeExecutorKey = createForwardedRoute({
  method: 'delete',
  path: '/api/agent/keys/:id',
  parameters: keyId,
  security: byBearerOrCookie,
  operation: {
    operationId: 'revokeExecutorKey',
    summary: 'Revoke an executor key',
    description: 'Effective at once: a run that is being prepared with the key ends unsigned.',
    response: { description: 'Revoked.' },
    refusals: ['key_not_found'],
    example: {},
  },
});

export const sessionRoutes = [
  createNonce,
  signIn,
  getSession,
  signOut,
  listExecutorKeys,
  issueExecutorKey,
  narrowExecutorKey,
  revokeExecutorKey,
];
