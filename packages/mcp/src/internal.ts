/** Exports for a host that serves other tools in the same way. They are not part of the package's public interface. */
export { randomId, unknownArgument } from './calls.ts';
export { runConfirmed } from './confirmation.ts';
export { schemas } from './generated/schemas.ts';
export { ArgumentInvalidError, answered, failed, refused } from './results.ts';
export { runOutput, serverInfo } from './server.ts';
