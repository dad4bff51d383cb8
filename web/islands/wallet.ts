import { loadWhenConnected } from './signing/remembered.ts';

loadWhenConnected(() => import('./wallet/page.ts'));
