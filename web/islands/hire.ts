import { loadWhenConnected } from './signing/remembered.ts';

/** The form that hires an agent. */
loadWhenConnected(() => import('./jobs/hire-form.ts'));
