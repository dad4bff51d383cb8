import { loadWhenConnected } from './signing/remembered.ts';

/** The page of a wallet. */
loadWhenConnected(() => import('./wallet/page.ts'));
