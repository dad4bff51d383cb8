export { BytecodeError } from './error.ts';
export {
  type CodeJson,
  type FieldJson,
  type FunctionDefJson,
  type InstructionJson,
  instructionParts,
  type ModuleJson,
  type TokenJson,
} from './module.ts';
export { parseModule, replaceAddresses } from './parse.ts';
