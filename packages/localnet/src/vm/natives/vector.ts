import { abortError, VmError } from '../errors.ts';
import type { Native } from '../runtime/machine.ts';
import type { AnyVector } from '../values.ts';
import {
  borrowElement,
  checkLength,
  makeVector,
  popBack,
  pushBack,
  swapElements,
  vectorBehind,
} from '../vectors.ts';
import type { NativeModule } from './native.ts';

/** Where an instruction stops with a vector error, the function of the same meaning aborts with its number. */
function aborting(natives: NativeModule): NativeModule {
  const wrap =
    (native: Native): Native =>
    (...call) => {
      try {
        return native(...call);
      } catch (error) {
        if (!(error instanceof VmError && error.kind === 'vector')) throw error;
        throw abortError(Number(error.code), error.message);
      }
    };
  return Object.fromEntries(Object.entries(natives).map(([name, native]) => [name, wrap(native)]));
}

/** `std::vector` as functions, which a transaction can call; compiled code uses the instructions. */
export const vector = aborting({
  empty: (_, __, [type]) => [makeVector(type!, [])],
  length: (_, [reference]) => [BigInt(vectorBehind(reference).length)],
  borrow: (_, [reference, index]) => [borrowElement(reference, index as bigint)],
  borrow_mut: (_, [reference, index]) => [borrowElement(reference, index as bigint)],
  push_back: (_, [reference, value]) => {
    pushBack(reference, value!);
    return [];
  },
  pop_back: (_, [reference]) => [popBack(reference)],
  destroy_empty: (_, [value]) => {
    checkLength(value as AnyVector, 0);
    return [];
  },
  swap: (_, [reference, left, right]) => {
    swapElements(reference, left as bigint, right as bigint);
    return [];
  },
});
