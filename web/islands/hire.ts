import { loadWhenConnected } from './signing/remembered.ts';

loadWhenConnected(() => import('./jobs/hire-form.ts'));
