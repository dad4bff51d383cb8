/** An instruction of a function. */
export interface Site {
  /** `0x<original id>::module::function`. */
  function: string;
  /** Index of the instruction in the function's code. */
  offset: number;
}

/** The reason why code was not read. `bound` names an analysis bound. */
export type NotReadReason = 'package' | 'module' | 'function' | 'native' | 'bound' | 'instruction';
