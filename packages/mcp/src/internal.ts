/** Exports for a host that serves other tools in the same way, and for the command line. They are not part of the package's public interface. */
export { randomId, unknownArgument } from './calls.ts';
export { answeredRequestId, runConfirmed } from './confirmation.ts';
export { describeConfirmation } from './confirmation-words.ts';
export { holdAction } from './held-action.ts';
export { ArgumentInvalidError, answered, failed, refuseCall } from './results.ts';
export { serverInfo } from './server.ts';
