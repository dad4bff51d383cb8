/** What forms need to have a wallet sign. It loads the code of wallets. */

export { type Attempts, attemptsOf } from './attempts.ts';
export {
  ApiRefusal,
  askApi,
  askGraph,
  type ChainIds,
  chainIds,
  client,
  Refusal,
  siteNetwork,
} from './chain.ts';
export { account, settled, signMessage } from './connection.ts';
export { openDialog } from './dialog.ts';
export { failureNotice, refusalOf } from './failure.ts';
export { type Request, sign } from './sign.ts';
