import { RpcError } from '@protobuf-ts/runtime-rpc';
import { KvUnavailableError } from '../kv/kv.ts';
import { OutboundError } from '../outbound/errors.ts';

/** SQLSTATE classes and socket errors of a database that is temporarily unreachable. */
const awayCode =
  /^(08|53|57P0)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** Messages of `pg` errors that have no code. */
const awayMessage =
  /^(timeout exceeded when trying to connect|Connection terminated|timeout expired|Client (has encountered a connection error|was closed) and is not queryable)/;

/** PgBouncer gives this error the code of a lost connection; waiting cannot help. */
const refusedByPooler = /^unsupported startup parameter/;

/** Errors of other servers. Their causes are the same socket errors, and say nothing about the database. */
const otherServers = [OutboundError, KvUnavailableError, RpcError];

/** `true` if the error of a statement or connection, or its cause, means that the database is unreachable. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error) || otherServers.some((known) => error instanceof known)) return false;
  if (refusedByPooler.test(error.message)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    awayCode.test(code) ||
    isSocketMissing(error) ||
    awayMessage.test(error.message) ||
    isDatabaseAway(error.cause)
  );
}

/** `true` if the server's socket is a file that does not exist. Any other missing file has the same code. */
const isSocketMissing = (error: Error): boolean =>
  'code' in error && error.code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';
