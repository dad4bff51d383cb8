import { loadWhenConnected } from './signing/remembered.ts';

/** Only their owner sees runs. */
loadWhenConnected(() =>
  document.querySelector('#run') ? import('./runs/watch.ts') : import('./runs/list.ts'),
);
