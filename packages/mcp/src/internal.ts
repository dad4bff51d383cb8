/** For a host that serves other tools in the same way. No part of the package's interface. */
export { answered, failed, followRun, randomId, refused, unknownArgument } from './calls.ts';
export { schemas } from './generated/schemas.ts';
export { reportTo, runOutput, serverInfo } from './server.ts';
