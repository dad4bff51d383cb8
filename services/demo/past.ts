import { join } from 'node:path';
import { type Localnet, type LocalnetOptions, startLocalnet } from '@adaptor-marketplace/localnet';
import { Ledger } from '@adaptor-marketplace/localnet/ledger/ledger';
import { compileFramework } from '@adaptor-marketplace/move-toolchain';
import { makeFolder } from '@adaptor-marketplace/process';

/** Clock of a local network that is behind the machine's. */
export interface PastClock {
  /** Ends the checkpoint, and sets the network's clock that far before the machine's. It never goes back. */
  goTo(agoMs: number): void;
}

interface PastNetwork {
  localnet: Localnet;
  clock: PastClock;
  close(): Promise<void>;
}

interface PastOptions extends LocalnetOptions {
  /** New folder for the state. */
  dataDir: string;
  checkpointIntervalMs: number;
}

/**
 * Starts a network whose chain begins in the past. A running network cannot go back, so the chain is begun before, and
 * no checkpoint is made until the clock of the network is in the past too.
 */
export async function startPastNetwork(
  { checkpointIntervalMs, ...options }: PastOptions,
  agoMs: number,
): Promise<PastNetwork> {
  makeFolder(options.dataDir);
  const path = join(options.dataDir, 'ledger.sqlite');
  Ledger.open({ path, framework: await compileFramework(), now: () => Date.now() - agoMs }).close();
  const localnet = await startLocalnet({ ...options, checkpointIntervalMs: 0 });
  const { ledger, misbehaviour } = localnet;
  const setClock = (agoMs: number) => misbehaviour.set({ clock: agoMs === 0 ? null : { offsetMs: -agoMs } });
  setClock(agoMs);
  const timer = setInterval(() => ledger.createCheckpoint(), checkpointIntervalMs);
  return {
    localnet,
    clock: {
      goTo(agoMs) {
        ledger.createCheckpoint();
        setClock(agoMs);
      },
    },
    close() {
      clearInterval(timer);
      return localnet.close();
    },
  };
}
