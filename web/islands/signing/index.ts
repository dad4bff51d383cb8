/** Modules for forms that a wallet signs. Importing this file loads the wallet code. */

export { ActionFailedError, askApi, RequestRefusedError } from '../api/ask.ts';
export { type Attempts, failureNotice } from '../api/attempts.ts';
export { createSigningAttempts, showRefusal } from './attempts.ts';
export { askGraph, type ChainIds, client, faucetUrl, readChainIds, siteNetwork } from './chain.ts';
export { getAccount, signMessage, waitForConnection } from './connection.ts';
export { toRefusal } from './failure.ts';
export { allowOneAtATime } from './one-at-a-time.ts';
export { type Request, sign } from './sign.ts';
