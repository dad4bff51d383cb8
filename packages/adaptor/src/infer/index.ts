export { type FoundOp, findOp } from './find-op.ts';
export type { HistoryEnd, TransactionLister } from './history.ts';
export {
  type InferBounds,
  InferenceFailedError,
  type InferOptions,
  type InferTarget,
  inferBounds,
  inferCalls,
} from './infer-calls.ts';
export { type Inference, type InferredArgument, inferenceSchema, type PureCandidate } from './inference.ts';
export { latestVersions } from './versions.ts';
