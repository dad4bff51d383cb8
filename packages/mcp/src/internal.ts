/**
 * Exports for the gateway, which serves other tools in the same way, and for the command line. They are not part of the
 * package's public interface.
 */
export { findUnknownArgument, randomId } from './calls.ts';
export { findAnsweredRequestId, runConfirmed } from './confirmation.ts';
export { describeConfirmation } from './confirmation-words.ts';
export { holdAction } from './held-action.ts';
export { ArgumentInvalidError, refuseCall, toToolError, toToolResult } from './results.ts';
export { serverInfo } from './server.ts';
