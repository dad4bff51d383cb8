import { loadWhenConnected } from './signing/remembered.ts';

/** Trial and grant of an adaptor. */
loadWhenConnected(() => import('./grant/form.ts'));
