import { loadWhenConnected } from './signing/remembered.ts';

loadWhenConnected(() => import('./review-form.ts'));
