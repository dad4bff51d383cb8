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

/** `std::vector` as functions; compiled code uses the instructions of the same meaning. */
export const vector: NativeModule = {
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
};
