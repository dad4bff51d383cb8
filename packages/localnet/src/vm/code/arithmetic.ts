import { brokenInvariant, VmError } from '../errors.ts';
import type { Step } from '../runtime/machine.ts';
import {
  BOOL,
  DROP,
  INTEGER_BITS,
  type IntegerKind,
  type IntegerType,
  U8,
  U16,
  U32,
  U64,
  U128,
  U256,
} from '../types.ts';
import { equalValues } from '../values.ts';
import type { Emit } from './compiler.ts';

function overflow(message: string): VmError {
  return new VmError('arithmetic', message);
}

/** u8 to u32 are numbers whose sums and products are exact (below 2^64, checked before use); the rest bigints. */
function isSmall(kind: IntegerKind): boolean {
  return INTEGER_BITS[kind] <= 32;
}

function maximum(kind: IntegerKind): bigint {
  return (1n << BigInt(INTEGER_BITS[kind])) - 1n;
}

type Binary<T> = (left: T, right: T) => T;

/** A checked operation: `small` for numbers, `big` for bigints; a result outside the type aborts. */
function checked(small: Binary<number>, big: Binary<bigint>): Emit {
  return (compiler) => {
    const type = compiler.popInteger();
    compiler.expect(type);
    compiler.push(type);
    const limit = maximum(type.kind);
    if (isSmall(type.kind)) {
      const smallLimit = Number(limit);
      return ({ stack }) => {
        const right = stack.pop() as number;
        const result = small(stack.pop() as number, right);
        if (result < 0 || result > smallLimit) throw overflow(`${type.kind} overflow`);
        stack.push(result);
      };
    }
    return ({ stack }) => {
      const right = stack.pop() as bigint;
      const result = big(stack.pop() as bigint, right);
      if (result < 0n || result > limit) throw overflow(`${type.kind} overflow`);
      stack.push(result);
    };
  };
}

function nonZero<T extends number | bigint>(divisor: T): T {
  if (divisor === 0 || divisor === 0n) throw overflow('division by zero');
  return divisor;
}

/** Bit operations never leave the type; `>>> 0` undoes the sign that 32-bit operators give numbers. */
function bitwise(small: Binary<number>, big: Binary<bigint>): Emit {
  return checked((left, right) => small(left, right) >>> 0, big);
}

function shift(small: Binary<number>, big: Binary<bigint>): Emit {
  return (compiler) => {
    compiler.expect(U8);
    const type = compiler.popInteger();
    compiler.push(type);
    const bits = INTEGER_BITS[type.kind];
    const limit = maximum(type.kind);
    return ({ stack }) => {
      const by = stack.pop() as number;
      const value = stack.pop() as number | bigint;
      if (by >= bits) throw overflow(`shift of ${type.kind} by ${by}`);
      // The product is exact: at most 32 bits by 31.
      if (typeof value === 'number') stack.push(Number(BigInt(small(value, by)) & limit));
      else stack.push(big(value, BigInt(by)) & limit);
    };
  };
}

function comparison(compare: (left: number | bigint, right: number | bigint) => boolean): Emit {
  return (compiler) => {
    compiler.expect(compiler.popInteger());
    compiler.push(BOOL);
    return ({ stack }) => {
      const right = stack.pop() as number | bigint;
      stack.push(compare(stack.pop() as number | bigint, right));
    };
  };
}

function equality(wanted: boolean): Emit {
  return (compiler) => {
    const type = compiler.pop();
    compiler.expect(type);
    compiler.require(type, DROP, 'EQUALITY_OP_TYPE_MISMATCH_ERROR');
    compiler.push(BOOL);
    return (machine) => {
      const right = machine.stack.pop()!;
      machine.stack.push(equalValues(machine.stack.pop()!, right, machine.meter) === wanted);
    };
  };
}

function logic(combine: (left: boolean, right: boolean) => boolean): Emit {
  return (compiler) => {
    compiler.expect(BOOL);
    compiler.expect(BOOL);
    compiler.push(BOOL);
    return ({ stack }) => {
      const right = stack.pop() as boolean;
      stack.push(combine(stack.pop() as boolean, right));
    };
  };
}

function cast(to: IntegerType): Emit {
  return (compiler) => {
    compiler.popInteger();
    compiler.push(to);
    const limit = maximum(to.kind);
    const small = isSmall(to.kind);
    return ({ stack }) => {
      const value = stack.pop() as number | bigint;
      // Mixed comparison of numbers and bigints is exact.
      if (value > limit) throw overflow(`the value does not fit into ${to.kind}`);
      stack.push(small ? Number(value) : BigInt(value));
    };
  };
}

function constantStep(value: number | bigint | boolean): Step {
  return ({ stack }) => {
    stack.push(value);
  };
}

function load(type: IntegerType): Emit {
  return (compiler, operand) => {
    const value = Array.isArray(operand) ? littleEndian(operand) : BigInt(operand as number | bigint);
    if (value < 0n || value > maximum(type.kind)) throw brokenInvariant('a constant is outside its type');
    compiler.push(type);
    return constantStep(isSmall(type.kind) ? Number(value) : value);
  };
}

function littleEndian(bytes: number[]): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function loadBool(value: boolean): Emit {
  return (compiler) => {
    compiler.push(BOOL);
    return constantStep(value);
  };
}

export const arithmetic: Record<string, Emit> = {
  LdU8: load(U8),
  LdU16: load(U16),
  LdU32: load(U32),
  LdU64: load(U64),
  LdU128: load(U128),
  LdU256: load(U256),
  LdTrue: loadBool(true),
  LdFalse: loadBool(false),
  Add: checked(
    (left, right) => left + right,
    (left, right) => left + right,
  ),
  Sub: checked(
    (left, right) => left - right,
    (left, right) => left - right,
  ),
  Mul: checked(
    (left, right) => left * right,
    (left, right) => left * right,
  ),
  Div: checked(
    (left, right) => Math.trunc(left / nonZero(right)),
    (left, right) => left / nonZero(right),
  ),
  Mod: checked(
    (left, right) => left % nonZero(right),
    (left, right) => left % nonZero(right),
  ),
  BitAnd: bitwise(
    (left, right) => left & right,
    (left, right) => left & right,
  ),
  BitOr: bitwise(
    (left, right) => left | right,
    (left, right) => left | right,
  ),
  Xor: bitwise(
    (left, right) => left ^ right,
    (left, right) => left ^ right,
  ),
  Shl: shift(
    (value, by) => value * 2 ** by,
    (value, by) => value << by,
  ),
  Shr: shift(
    (value, by) => Math.floor(value / 2 ** by),
    (value, by) => value >> by,
  ),
  Lt: comparison((left, right) => left < right),
  Le: comparison((left, right) => left <= right),
  Gt: comparison((left, right) => left > right),
  Ge: comparison((left, right) => left >= right),
  Eq: equality(true),
  Neq: equality(false),
  And: logic((left, right) => left && right),
  Or: logic((left, right) => left || right),
  Not: (compiler) => {
    compiler.expect(BOOL);
    compiler.push(BOOL);
    return ({ stack }) => {
      stack.push(!stack.pop());
    };
  },
  CastU8: cast(U8),
  CastU16: cast(U16),
  CastU32: cast(U32),
  CastU64: cast(U64),
  CastU128: cast(U128),
  CastU256: cast(U256),
};
