export { ExplainError, explainBounds } from './bounds.ts';
export { explain } from './explain.ts';
export type * from './explanation.ts';
export type { ExplainFacts, FunctionFact, ObjectFact } from './facts.ts';
export { functionKey, listCalls, listObjectIds, type ParsedTransaction, parseTransaction } from './parse.ts';
export { listTypeOrigins } from './type-origins.ts';
