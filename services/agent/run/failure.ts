import type { RunCode } from '../../../lib/agent/run-codes.ts';

/** Why a run ends without having done what was asked. Both reach the caller. */
export class RunFailure extends Error {
  readonly code: RunCode;

  /** @param detail what is wrong and what to do, for people */
  constructor(code: RunCode, detail: string) {
    super(detail);
    this.name = 'RunFailure';
    this.code = code;
  }
}

/** The run is another worker's by now: whoever drove it has nothing more to say of it. */
export class RunLost extends Error {
  constructor() {
    super('another worker drives the run');
    this.name = 'RunLost';
  }
}
